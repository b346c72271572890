"""A memory from all sides: what it says, on whose word, what it points at then and now, and how it came to be."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from waypost.errors import NotFound
from waypost.faces.dashboard.activity import deeds
from waypost.faces.dashboard.diffs import DiffLine, DiffWords, line_diff, word_diff
from waypost.faces.dashboard.graph import COLUMNS
from waypost.faces.dashboard.pages.memory_changes import CHANGES, memory_id_of
from waypost.faces.dashboard.request_context import PagePlace, PageRequest, ShowPage
from waypost.faces.dashboard.wording import shortened
from waypost.flows.links.code_changes import Behind
from waypost.flows.recall.related import RelatedMemory
from waypost.flows.write.lifecycle import History
from waypost.memory import Memory
from waypost.model.code_link import LinkedMemory
from waypost.model.code_verdict import AMBIGUOUS, CHANGED, DELETED, MOVED, UNCHANGED, UNCHECKED
from waypost.model.draft import MAX_LEVEL
from waypost.model.kinds import KINDS
from waypost.model.lifetime import CLASSES, ON_EXPIRE
from waypost.model.memory import Version
from waypost.refs.confidence import confidence_parts

_MOST_DEEDS = 50
_MOST_VERSIONS = 50
_ENDINGS = ("retract", "reject")

_LINK_WORDS = {  # the kind of a link, and whether it leads there
    ("parent", True): "Part of",
    ("child", True): "Contains",
    ("supersedes", True): "Replaced",
    ("supersedes", False): "Was replaced by",
    ("justifies", True): "Is a reason for",
    ("justifies", False): "Because",
    ("leads_to", True): "Leads to",
    ("leads_to", False): "Follows from",
    ("blocks", True): "Limits",
    ("blocks", False): "Is limited by",
    ("causes", True): "Causes",
    ("causes", False): "Is caused by",
    ("see_also", True): "See also",
    ("see_also", False): "See also",
    ("derived_from", True): "Comes from",
    ("derived_from", False): "Led to",
}
_STATE_WORDS = {
    UNCHANGED: "as it was",
    MOVED: "moved",
    CHANGED: "changed",
    DELETED: "gone",
    AMBIGUOUS: "in several places",
    UNCHECKED: "not checked",
}
_SURE_WORDS = {
    "recency": "Looked at lately",
    "evidence": "Evidence",
    "code": "Still as it was",
    "source": "Source",
}


@dataclass(frozen=True, slots=True)
class CodeShown:
    """The code behind a link; `diff` is there when it was another."""

    behind: Behind
    diff: tuple[DiffLine, ...] = ()


@dataclass(frozen=True, slots=True)
class VersionShown:
    version: Version
    diff: tuple[DiffWords, ...] = ()  # against the one before


def show(asked: PageRequest) -> ShowPage:
    memory_id = memory_id_of(asked)
    memory = asked.memory
    told = memory.history(memory_id)  # also of what is not held any more
    linked = _held(memory, memory_id)
    version = linked.version if linked else told.versions[-1]
    links = _links(memory.facts.related(memory_id))
    audit = deeds(memory.admin.audit(memory_id, _MOST_DEEDS))
    values: dict[str, Any] = {
        "version": version,
        "linked": linked,
        "state": linked.state if linked else None,
        "is_derived": KINDS[version.kind].derived,
        "is_journal": KINDS[version.kind].is_journal,
        "code": _code(memory, memory_id) if linked and version.refs else (),
        "state_words": _STATE_WORDS,
        "sure": _sure(asked, linked) if linked else (),
        "versions": _versions(told),
        "links": links,
        "chain": version.kind in COLUMNS and linked is not None,
        "audit": audit,
        "ended": "" if linked else _ended(one.action for one in audit),
        "may_act": asked.may_change and asked.is_person,
        "may_forget": asked.is_owner,
        "levels": range(MAX_LEVEL + 1),
        "ttl_classes": CLASSES,
        "ends": ON_EXPIRE,
    }
    return ShowPage("memory.html", shortened(version.text, 60), values)


def _ended(actions: Iterable[str]) -> str:
    """How it ended, where that can be undone: "retract" or "reject". Of what was replaced since, nothing."""
    last = next((one for one in actions if one in (*_ENDINGS, "restore", "reinstate")), "")
    return last if last in _ENDINGS else ""


def _held(memory: Memory, memory_id: str) -> LinkedMemory | None:
    try:
        return memory.show(memory_id)
    except NotFound:
        return None


def _code(memory: Memory, memory_id: str) -> tuple[CodeShown, ...]:
    return tuple(_code_shown(behind) for behind in memory.code.code_behind(memory_id))


def _code_shown(behind: Behind) -> CodeShown:
    if behind.then is None:
        return CodeShown(behind)
    now = behind.now
    new, first = (now.meant, now.marked.start if now.marked else now.first) if now else ((), 1)
    old_first = behind.then.marked.start if behind.then.marked else behind.then.first
    return CodeShown(behind, line_diff(behind.then.meant, new, old_first, first))


def _sure(asked: PageRequest, linked: LinkedMemory) -> tuple[tuple[str, float, float], ...]:
    """What makes it sure, in words: how much there is of each, and how much it counts."""
    seen = replace(linked.state, verified_at=linked.seen_at)
    parts = confidence_parts(linked.version, seen, asked.spaces.now())
    return tuple((_SURE_WORDS[part.name], part.value, part.weight) for part in parts)


def _versions(told: History) -> tuple[VersionShown, ...]:
    """Newest first, with what each changed."""
    shown, before = list[VersionShown](), ""
    for version in told.versions[-_MOST_VERSIONS:]:
        changed = bool(before) and before != version.text
        shown.append(VersionShown(version, word_diff(before, version.text) if changed else ()))
        before = version.text
    return tuple(reversed(shown))


def _links(found: tuple[RelatedMemory, ...]) -> dict[str, list[RelatedMemory]]:
    links: dict[str, list[RelatedMemory]] = {}
    for one in found:
        words = _LINK_WORDS.get((one.kind, one.outgoing), one.kind.replace("_", " ").capitalize())
        links.setdefault(words, []).append(one)
    return links


PLACES = (PagePlace("/memory/{id}", show, "search"), *CHANGES)
