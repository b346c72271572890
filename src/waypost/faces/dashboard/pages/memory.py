"""A memory: its text, source, code then and now, links, history and changes. Deletion is confirmed on its own page."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from waypost.errors import InvalidInput, NotFound, Refused
from waypost.faces.dashboard.activity import audit_lines
from waypost.faces.dashboard.diffs import DiffLine, DiffWords, line_diff, word_diff
from waypost.faces.dashboard.graph import COLUMNS
from waypost.faces.dashboard.request_context import PageRequest, PageRoute, Redirect, ShowPage, post_routes
from waypost.faces.dashboard.wording import shortened
from waypost.flows.erase.forget import BEYOND_REACH
from waypost.flows.links.code_changes import Behind
from waypost.flows.recall.related import RelatedMemory
from waypost.flows.write.lifecycle import History
from waypost.memory import Memory
from waypost.model.code_link import LinkedMemory
from waypost.model.code_verdict import AMBIGUOUS, CHANGED, DELETED, MOVED, UNCHANGED, UNCHECKED
from waypost.model.draft import MAX_LEVEL
from waypost.model.ids import check_id
from waypost.model.kinds import KINDS
from waypost.model.lifetime import CLASSES, ON_EXPIRE
from waypost.model.memory import Version
from waypost.refs.confidence import confidence_parts
from waypost.text.durations import parse_duration

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


_LONGEST = 200_000  # characters of a text


def correct(request: PageRequest) -> Redirect:
    memory, memory_id = _begin(request)
    _check_seen(request, memory, memory_id)
    memory.correct(memory_id, request.sent("text", _LONGEST))
    return request.go("memory", memory_id, told="corrected")


def _check_seen(request: PageRequest, memory: Memory, memory_id: str) -> None:
    seen = request.sent("seen", 20)
    if seen and seen != str(memory.show(memory_id).version.number):
        raise Refused(
            "Someone has changed it since you opened the page.", "Go back, read the current text, and change that."
        )


def retract(request: PageRequest) -> Redirect:
    memory, memory_id = _begin(request)
    memory.retract(memory_id)
    return request.go("memory", memory_id, told="retracted")


def reject(request: PageRequest) -> Redirect:
    memory, memory_id = _begin(request)
    memory.reject(memory_id)
    return request.go("memory", memory_id, told="rejected")


def restore(request: PageRequest) -> Redirect:
    """Undo a retraction or rejection, or restore the version numbered `before`."""
    memory, memory_id = _begin(request)
    before = request.sent("before", 20)
    if before and not (before.isascii() and before.isdigit()):
        raise NotFound("There is no such version.", "See its history.")
    if before:
        _check_seen(request, memory, memory_id)
    memory.restore(memory_id, version=int(before) if before else None)
    return request.go("memory", memory_id, told="brought_back")


def protect(request: PageRequest) -> Redirect:
    memory, memory_id = _begin(request)
    on = request.sent("on") != "0"
    memory.protect(memory_id, on=on)
    return request.go("memory", memory_id, told="protected" if on else "released")


def verify(request: PageRequest) -> Redirect:
    memory, memory_id = _begin(request)
    done = memory.verify(memory_id)
    if not done.memories:
        raise InvalidInput(" ".join(done.left) or "There is nothing to verify.", "Relink it, or correct it.")
    return request.go("memory", memory_id, told="verified")


def relink(request: PageRequest) -> Redirect:
    """To the given references, one per line; without any, to where its code moved."""
    memory, memory_id = _begin(request)
    places = [line.strip() for line in request.sent("refs").splitlines() if line.strip()]
    drop = request.sent("drop") == "1"
    done = memory.code.relink(memory_id, places or None, add=bool(places) and request.sent("add") == "1", drop=drop)
    if not done.memories:
        raise InvalidInput(
            " ".join(done.left) or "There is nothing to relink.", "Give a reference such as src/app.py#L10-L20."
        )
    return request.go("memory", memory_id, told="relinked")


def promote(request: PageRequest) -> Redirect:
    memory, memory_id = _begin(request)
    level = request.sent("level", 1)
    if level and not (level.isascii() and level.isdigit()):
        raise InvalidInput("level is not a number.", "Choose one of the levels.")
    memory.facts.promote(
        memory_id,
        int(level) if level else None,
        parent=request.sent("parent", 40),
        domain=request.sent("domain", 500),
        module=request.sent("module", 500),
    )
    return request.go("memory", memory_id, told="moved")


def ttl(request: PageRequest) -> Redirect:
    memory, memory_id = _begin(request)
    span, chosen = request.sent("span", 20), request.sent("class", 40)
    memory.facts.set_ttl(
        memory_id,
        parse_duration(span) if span else None,
        on_expire=(request.sent("on_expire", 20) or None) if span or chosen else None,
        ttl_class=chosen or None,
    )
    return request.go("memory", memory_id, told="lasting" if span or chosen else "unending")


def ask_to_forget(request: PageRequest) -> ShowPage:
    """Show what will be deleted, and what Waypost cannot reach."""
    request.need_owner()
    memory, memory_id = request.memory, memory_id_of(request)
    history = memory.history(memory_id)
    values = {
        "version": history.versions[-1],
        "versions": len(history.versions),
        "copies": len(history.related),
        "answers": len(memory.forget(memory_id, dry_run=True).answers),
        "beyond": BEYOND_REACH,
    }
    return ShowPage("memory_forget.html", "Forget this memory?", values)


def forget(request: PageRequest) -> ShowPage:
    request.need_owner()
    memory, memory_id = _begin(request)
    if request.sent("sure") != "1":
        raise InvalidInput("Not confirmed.", "Tick the box on the previous page.")
    done = memory.forget(memory_id)
    return ShowPage("memory_forgotten.html", "Forgotten", {"done": done})


def _begin(request: PageRequest) -> tuple[Memory, str]:
    return request.memory, memory_id_of(request)


def memory_id_of(request: PageRequest) -> str:
    """The id in the address. Raises NotFound if it is not a valid id."""
    try:
        return check_id(request.path["id"])
    except InvalidInput as error:
        raise NotFound("There is no such memory.", "Search for its text.") from error


PAGES = (
    PageRoute("/memory/{id}", show, "search"),
    PageRoute("/memory/{id}/forget", ask_to_forget, "search"),
    *post_routes(
        "/memory/{id}", "search", correct, retract, reject, restore, protect, verify, relink, promote, ttl, forget
    ),
)
