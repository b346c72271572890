"""A memory: its text, source, code then and now, links and history."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from waypost.errors import NotFound
from waypost.faces.dashboard.activity import audit_lines
from waypost.faces.dashboard.diffs import DiffLine, DiffWords, line_diff, word_diff
from waypost.faces.dashboard.graph import COLUMNS
from waypost.faces.dashboard.pages.memory_changes import CHANGES, memory_id_of
from waypost.faces.dashboard.request_context import PageRequest, PageRoute, ShowPage
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

_MOST_LINES = 50
_MOST_VERSIONS = 50
_ENDINGS = ("retract", "reject")

_LINK_TITLES = {  # by kind and direction
    ("parent", True): "Part of",
    ("child", True): "Contains",
    ("supersedes", True): "Replaced",
    ("supersedes", False): "Replaced by",
    ("justifies", True): "Reason for",
    ("justifies", False): "Because",
    ("leads_to", True): "Leads to",
    ("leads_to", False): "Follows from",
    ("blocks", True): "Limits",
    ("blocks", False): "Limited by",
    ("causes", True): "Causes",
    ("causes", False): "Caused by",
    ("see_also", True): "See also",
    ("see_also", False): "See also",
    ("derived_from", True): "Comes from",
    ("derived_from", False): "Led to",
}
_STATE_TEXT = {
    UNCHANGED: "unchanged",
    MOVED: "moved",
    CHANGED: "changed",
    DELETED: "deleted",
    AMBIGUOUS: "several places",
    UNCHECKED: "not checked",
}
_CONFIDENCE_TITLES = {
    "recency": "Verified recently",
    "evidence": "Evidence",
    "code": "Code unchanged",
    "source": "Source",
}


@dataclass(frozen=True, slots=True)
class LinkedCode:
    """The code behind a link. `diff` is set if the code has changed."""

    behind: Behind
    diff: tuple[DiffLine, ...] = ()


@dataclass(frozen=True, slots=True)
class VersionDiff:
    version: Version
    diff: tuple[DiffWords, ...] = ()  # against the previous version


def show(request: PageRequest) -> ShowPage:
    memory_id = memory_id_of(request)
    memory = request.memory
    history = memory.history(memory_id)  # also for memories that are no longer valid
    linked = _current(memory, memory_id)
    version = linked.version if linked else history.versions[-1]
    links = _links(memory.facts.related(memory_id))
    audit = audit_lines(memory.admin.audit(memory_id, _MOST_LINES))
    values: dict[str, Any] = {
        "version": version,
        "linked": linked,
        "state": linked.state if linked else None,
        "is_derived": KINDS[version.kind].derived,
        "is_journal": KINDS[version.kind].is_journal,
        "code": _code(memory, memory_id) if linked and version.refs else (),
        "state_words": _STATE_TEXT,
        "sure": _confidence(request, linked) if linked else (),
        "versions": _versions(history),
        "links": links,
        "chain": version.kind in COLUMNS and linked is not None,
        "audit": audit,
        "ended": "" if linked else _ending(line.action for line in audit),
        "may_act": request.may_change and request.is_person,
        "may_forget": request.is_owner,
        "levels": range(MAX_LEVEL + 1),
        "ttl_classes": CLASSES,
        "ends": ON_EXPIRE,
    }
    return ShowPage("memory.html", shortened(version.text, 60), values)


def _ending(actions: Iterable[str]) -> str:
    """ "retract" or "reject" if that ended the memory and can be undone, else empty."""
    last = next((action for action in actions if action in (*_ENDINGS, "restore", "reinstate")), "")
    return last if last in _ENDINGS else ""


def _current(memory: Memory, memory_id: str) -> LinkedMemory | None:
    try:
        return memory.show(memory_id)
    except NotFound:
        return None


def _code(memory: Memory, memory_id: str) -> tuple[LinkedCode, ...]:
    return tuple(_code_shown(behind) for behind in memory.code.code_behind(memory_id))


def _code_shown(behind: Behind) -> LinkedCode:
    if behind.then is None:
        return LinkedCode(behind)
    now = behind.now
    new, first = (now.meant, now.marked.start if now.marked else now.first) if now else ((), 1)
    old_first = behind.then.marked.start if behind.then.marked else behind.then.first
    return LinkedCode(behind, line_diff(behind.then.meant, new, old_first, first))


def _confidence(request: PageRequest, linked: LinkedMemory) -> tuple[tuple[str, float, float], ...]:
    """The parts of its confidence: title, value and weight."""
    state = replace(linked.state, verified_at=linked.seen_at)
    parts = confidence_parts(linked.version, state, request.spaces.now())
    return tuple((_CONFIDENCE_TITLES[part.name], part.value, part.weight) for part in parts)


def _versions(history: History) -> tuple[VersionDiff, ...]:
    """Newest first, each with its change."""
    rows, before = list[VersionDiff](), ""
    for version in history.versions[-_MOST_VERSIONS:]:
        changed = bool(before) and before != version.text
        rows.append(VersionDiff(version, word_diff(before, version.text) if changed else ()))
        before = version.text
    return tuple(reversed(rows))


def _links(related: tuple[RelatedMemory, ...]) -> dict[str, list[RelatedMemory]]:
    links: dict[str, list[RelatedMemory]] = {}
    for memory in related:
        title = _LINK_TITLES.get((memory.kind, memory.outgoing), memory.kind.replace("_", " ").capitalize())
        links.setdefault(title, []).append(memory)
    return links


PAGES = (PageRoute("/memory/{id}", show, "search"), *CHANGES)
