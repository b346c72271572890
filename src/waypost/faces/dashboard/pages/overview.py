"""How this memory is doing: what wants attention, what is in it, how it has grown, and what has happened lately."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from markupsafe import Markup

from waypost.errors import NotFound, WaypostError
from waypost.faces.dashboard.activity import Deed, deeds
from waypost.faces.dashboard.pages.overview_spaces import kept_count, spaces_shown
from waypost.faces.dashboard.pages.sharing import shares_shown
from waypost.faces.dashboard.plots import Series, bar_plot
from waypost.faces.dashboard.request_context import PagePlace, PageRequest, ShowPage
from waypost.faces.dashboard.wording import day
from waypost.flows.admin.status import GrowthPoint
from waypost.memory import Memory
from waypost.model.kinds import KEPT_COLLECTIONS
from waypost.model.time import parse_time
from waypost.text.plural import counted

_RECENT = 40  # entries of the audit, which make fewer lines
_MOST_DEEDS = 8
_YOUNG = timedelta(days=3)  # a memory that grows by hours
_COLLECTION_WORDS = {
    "facts": ("Facts and decisions", "facts"),
    "learnings": ("Learnings", "facts"),
    "errors_fixes": ("Errors and their fixes", "facts"),
    "journal": ("Journal", "journal"),
    "functions": ("Symbols of the code", "functions"),
    "code_structure": ("Files", "code"),
    "code_summaries": ("Descriptions of files", "code"),
    "database_schema": ("Tables of databases", "database"),
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
    """Something that a person should look at, the most pressing first."""

    says: str
    todo: str
    href: str = ""
    is_bad: bool = False


@dataclass(frozen=True, slots=True)
class Happened:
    deed: Deed
    texts: tuple[tuple[str, str], ...]  # ids and words of the memories, as far as they are there


def show(asked: PageRequest) -> ShowPage:
    memory = asked.memory
    status = memory.status()
    kept = kept_count(status)
    values: dict[str, Any] = {
        "status": status,
        "kept": kept,
        "attention": attention(asked, status),
        "collections": _collections(status["collections"]),
        "growth": _growth(memory.admin.growth()) if kept else "",
        "happened": _happened(memory),
        "tidy": _tidy(memory, status),
        "checks": memory.admin.doctor() if asked.is_set("check") else None,
        "all_spaces": spaces_shown(asked),
        "shares": shares_shown(asked),
        "may_decide": asked.may_change and asked.is_person,
        "may_accept": asked.is_owner,
    }
    return ShowPage("overview.html", status["name"], values)


def attention(asked: PageRequest, status: Mapping[str, Any]) -> list[Attention]:
    found: list[Attention] = []
    missing = not status["models_installed"].get(status["model"], True)
    if missing:
        todo = "Until then only words are compared, not their meaning: waypost model install"
        found.append(Attention(f"The model {status['model']} is not installed.", todo, is_bad=True))
    if status["overdue"]:
        days = counted(status["overdue"]["days"], "day")
        found.append(Attention(f"Upkeep is {days} late.", "Have it run daily: waypost schedule install", is_bad=True))
    if stale := status["references"]["stale"]:
        says = f"{counted(stale, 'memory is', 'memories are')} stale: the code has changed."
        found.append(Attention(says, "Look at them", asked.link("stale")))
    if waiting := status["review"]["candidates"]:
        says = f"{counted(waiting, 'candidate waits', 'candidates wait')} for your word."
        found.append(Attention(says, "Review them", asked.link("review")))
    if expired := status["review"]["expired"]:
        says = f"The time of {counted(expired, 'memory', 'memories')} has run out."
        found.append(Attention(says, "Are they still true?", asked.link("review") + "#expired"))
    if owed := sum(status["pending"].values()):
        says = f"{counted(owed, 'text')} cannot be found by meaning yet."
        found.append(Attention(says, "They are read in the background; waypost doctor --fix does it now."))
    tree = status["tree"]
    if tree and (tree["waiting"] or not tree["complete"]):
        behind = (
            counted(tree["waiting"], "file") + " changed" if tree["waiting"] else "what follows from the last change"
        )
        says = f"The index is behind: {behind}."
        found.append(Attention(says, "It catches up in the background; waypost init does it now."))
    return found


def _collections(counts: Mapping[str, int]) -> list[tuple[str, int, str]]:
    """What there is, in words, with the scope in which it is searched."""
    return [
        (*_COLLECTION_WORDS[name][:1], counts[name], _COLLECTION_WORDS[name][1])
        for name in _COLLECTION_WORDS
        if name in counts
    ]


def _growth(points: Sequence[GrowthPoint]) -> Markup:
    young = points[-1].at - points[0].at < _YOUNG
    labels = [f"{point.at:%m-%d %H:%M}" if young else day(point.at) for point in points]
    series = [
        Series(words, [point.counts.get(name, 0) for point in points], tone)
        for tone, (name, (words, _)) in enumerate(_COLLECTION_WORDS.items(), 1)
        if name in KEPT_COLLECTIONS and any(name in point.counts for point in points)
    ]
    return bar_plot("Memories over time", labels, series)


def _happened(memory: Memory) -> list[Happened]:
    found = []
    for deed in deeds(memory.admin.audit(limit=_RECENT))[:_MOST_DEEDS]:
        texts = [(one, text) for one in deed.memory_ids[:3] if (text := _words(memory, one))]
        found.append(Happened(deed, tuple(texts)))
    return found


def _words(memory: Memory, memory_id: str) -> str:
    try:
        return memory.history(memory_id).versions[-1].text
    except NotFound:  # forgotten
        return ""


def _tidy(memory: Memory, status: Mapping[str, Any]) -> dict[str, Any]:
    """How the cleaning up stands."""
    try:
        journal = memory.journal.stats()
    except WaypostError:
        journal = None  # its files cannot be read: the checks say why
    over = memory.facts.review(include_archived=True).stale
    return {
        "maintained": status["maintained_at"],
        "last": journal["last_cleanup"] if journal else None,
        "next": journal["next_cleanup"] if journal else None,
        "stages": _stages(journal["stages"]) if journal else [],
        "entries": journal["entries"] if journal else 0,
        "archived": sum(one.state.archived_at is not None for one in over),
        "expired": status["review"]["expired"],
        "initialised": parse_time(status["initialised_at"]),
    }


def _stages(found: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The journal's files by stage, the youngest first; a stage that has no name here comes last, by its own."""
    named = [(words, found[name]) for name, words in _STAGE_WORDS.items() if name in found]
    return named + [(name.capitalize(), one) for name, one in found.items() if name not in _STAGE_WORDS]


PLACES = (PagePlace("", show, ""),)
