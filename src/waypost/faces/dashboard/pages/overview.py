"""The overview: what needs attention, what is stored, growth, and recent changes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from markupsafe import Markup

from waypost.errors import InvalidInput, NotFound, WaypostError
from waypost.faces.dashboard.activity import AuditLine, audit_lines
from waypost.faces.dashboard.plots import Series, bar_plot
from waypost.faces.dashboard.request_context import PageRequest, PageRoute, Redirect, ShowPage, post_routes
from waypost.faces.dashboard.wording import day
from waypost.flows.admin.status import GrowthPoint
from waypost.flows.share.agreements import Share
from waypost.memory import Memory
from waypost.memory.catalog import SpaceEntry
from waypost.model.kinds import KEPT_COLLECTIONS
from waypost.model.time import parse_time
from waypost.text.plural import counted

_RECENT = 40  # audit entries, which give fewer lines
_MOST_LINES = 8
_YOUNG = timedelta(days=3)  # below this age, growth is shown by hours
_COLLECTION_WORDS = {
    "facts": ("Facts and decisions", "facts"),
    "learnings": ("Learnings", "facts"),
    "errors_fixes": ("Errors and fixes", "facts"),
    "journal": ("Journal", "journal"),
    "functions": ("Code symbols", "functions"),
    "code_structure": ("Files", "code"),
    "code_summaries": ("File summaries", "code"),
    "database_schema": ("Database tables", "database"),
    "architecture": ("Architecture", "architecture"),
}
_STAGE_WORDS = {
    "daily": "Days",
    "weekly": "Weeks",
    "monthly": "Months",
    "yearly": "Years",
    "pages": "Pages",
    "archive/daily": "Days in the archive",
    "archive/weekly": "Weeks in the archive",
    "archive/monthly": "Months in the archive",
}


@dataclass(frozen=True, slots=True)
class Attention:
    """Something that needs attention, most urgent first."""

    says: str
    todo: str
    href: str = ""
    is_bad: bool = False


@dataclass(frozen=True, slots=True)
class RecentChange:
    line: AuditLine
    texts: tuple[tuple[str, str], ...]  # ids and texts of the memories that still exist


def show(request: PageRequest) -> ShowPage:
    memory = request.memory
    status = memory.status()
    kept, counts = kept_count(status), status["collections"]
    values: dict[str, Any] = {
        "status": status,
        "kept": kept,
        "attention": attention(request, status),
        "collections": [  # title, count and search scope
            (title, counts[name], scope) for name, (title, scope) in _COLLECTION_WORDS.items() if name in counts
        ],
        "growth": _growth(memory.admin.growth()) if kept else "",
        "happened": _happened(memory),
        "tidy": _tidy(memory, status),
        "checks": memory.admin.doctor() if request.is_set("check") else None,
        "all_spaces": space_summaries(request),
        "shares": _described_shares(request),
        "may_decide": request.may_change and request.is_person,
        "may_accept": request.is_owner,
    }
    return ShowPage("overview.html", status["name"], values)


def attention(request: PageRequest, status: Mapping[str, Any]) -> list[Attention]:
    items: list[Attention] = []
    missing = not status["models_installed"].get(status["model"], True)
    if missing:
        todo = "Search uses keywords only until you run: waypost model install"
        items.append(Attention(f"The embedding model {status['model']} is not installed.", todo, is_bad=True))
    if status["overdue"]:
        days = counted(status["overdue"]["days"], "day")
        items.append(Attention(f"Maintenance is {days} late.", "Run it daily: waypost schedule install", is_bad=True))
    if stale := status["references"]["stale"]:
        says = f"{counted(stale, 'memory is', 'memories are')} stale: the code has changed."
        items.append(Attention(says, "Show them", request.link("stale")))
    if waiting := status["review"]["candidates"]:
        says = f"{counted(waiting, 'fact')} to review."
        items.append(Attention(says, "Review them", request.link("review")))
    if expired := status["review"]["expired"]:
        says = f"{counted(expired, 'memory', 'memories')} expired."
        items.append(Attention(says, "Still true?", request.link("review") + "#expired"))
    if pending := sum(status["pending"].values()):
        says = f"{counted(pending, 'text')} not embedded yet."
        items.append(Attention(says, "Embedding continues in the background; waypost doctor --fix does it now."))
    tree = status["tree"]
    if tree and (tree["waiting"] or not tree["complete"]):
        behind = (
            counted(tree["waiting"], "file") + " changed" if tree["waiting"] else "the last change is not processed"
        )
        says = f"The index is behind: {behind}."
        items.append(Attention(says, "It catches up in the background; waypost init does it now."))
    return items


def _growth(points: Sequence[GrowthPoint]) -> Markup:
    young = points[-1].at - points[0].at < _YOUNG
    labels = [f"{point.at:%m-%d %H:%M}" if young else day(point.at) for point in points]
    series = [
        Series(words, [point.counts.get(name, 0) for point in points], tone)
        for tone, (name, (words, _)) in enumerate(_COLLECTION_WORDS.items(), 1)
        if name in KEPT_COLLECTIONS and any(name in point.counts for point in points)
    ]
    return bar_plot("Memories over time", labels, series)


def _happened(memory: Memory) -> list[RecentChange]:
    events = []
    for line in audit_lines(memory.admin.audit(limit=_RECENT))[:_MOST_LINES]:
        texts = [(memory_id, text) for memory_id in line.memory_ids[:3] if (text := _text(memory, memory_id))]
        events.append(RecentChange(line, tuple(texts)))
    return events


def _text(memory: Memory, memory_id: str) -> str:
    try:
        return memory.history(memory_id).versions[-1].text
    except NotFound:  # forgotten
        return ""


def _tidy(memory: Memory, status: Mapping[str, Any]) -> dict[str, Any]:
    """The state of maintenance."""
    try:
        journal = memory.journal.stats()
    except WaypostError:
        journal = None  # its files cannot be read; the checks report why
    over = memory.facts.review(include_archived=True).stale
    return {
        "maintained": status["maintained_at"],
        "last": journal["last_cleanup"] if journal else None,
        "next": journal["next_cleanup"] if journal else None,
        "stages": _stages(journal["stages"]) if journal else [],
        "entries": journal["entries"] if journal else 0,
        "archived": sum(linked.state.archived_at is not None for linked in over),
        "expired": status["review"]["expired"],
        "initialised": parse_time(status["initialised_at"]),
    }


def _stages(stages: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The journal's files by stage, youngest first; unknown stages last."""
    known_stages = [(title, stages[name]) for name, title in _STAGE_WORDS.items() if name in stages]
    return known_stages + [(name.capitalize(), stage) for name, stage in stages.items() if name not in _STAGE_WORDS]


def _described_shares(request: PageRequest) -> list[tuple[str, Share]]:
    shares = sorted(request.memory.admin.shares.list(), key=lambda share: share.state == "revoked")
    return [(share.says, share) for share in shares]


def revoke(request: PageRequest) -> Redirect:
    role = request.sent("role", 10)
    if role not in ("gives", "takes"):
        raise InvalidInput("No direction given.", "Use the button on the overview.")
    request.memory.admin.shares.revoke(request.sent("project", 40), role=role)
    return Redirect(request.link() + "#shares")


def accept(request: PageRequest) -> Redirect:
    request.need_owner()
    request.memory.admin.shares.accept(request.sent("project", 40))
    return Redirect(request.link() + "#shares")


_LOOKED_INTO = 8  # memories whose figures are shown: each must be opened


@dataclass(frozen=True, slots=True)
class SpaceSummary:
    """A memory on this machine. Without `status` it was not opened, or `problem` says why it cannot be."""

    space: SpaceEntry
    is_here: bool
    status: dict[str, Any] | None = None
    problem: str = ""

    @property
    def kept(self) -> int | None:
        """The number of memories, without indexed code."""
        return None if self.status is None else kept_count(self.status)

    @property
    def troubles(self) -> tuple[str, ...]:
        """Problems in a few words each."""
        if self.status is None:
            return ()
        parts = (
            ("maintenance is late", self.status["overdue"]),
            (f"{self.status['references']['stale']} stale", self.status["references"]["stale"]),
            (f"{self.status['review']['candidates']} to review", self.status["review"]["candidates"]),
            ("not all embedded", sum(self.status["pending"].values())),
        )
        return tuple(text for text, value in parts if value)


def kept_count(status: Mapping[str, Any]) -> int:
    return sum(status["collections"].get(name, 0) for name in KEPT_COLLECTIONS)


def space_summaries(request: PageRequest) -> list[SpaceSummary]:
    """The current one first."""
    readable = [entry for entry in request.spaces.menu() if request.identity.opens(entry.space_id)]
    ordered = sorted(readable, key=lambda entry: entry.space_id != request.space_id)
    return [_summary(request, entry, look=index < _LOOKED_INTO) for index, entry in enumerate(ordered)]


def _summary(request: PageRequest, space: SpaceEntry, *, look: bool) -> SpaceSummary:
    is_here = space.space_id == request.space_id
    if not look:
        return SpaceSummary(space, is_here)
    try:
        return SpaceSummary(space, is_here, request.spaces.memory(request.identity.caller, space.space_id).status())
    except WaypostError as error:
        return SpaceSummary(space, is_here, problem=error.what)


PAGES = (PageRoute("", show, ""), *post_routes("/shares", "", revoke, accept))
