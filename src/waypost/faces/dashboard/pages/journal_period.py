"""A day, week, month or year of the journal, a journal file, or a conversation."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from waypost.errors import NotFound
from waypost.faces.dashboard.plots import calendar_plot
from waypost.faces.dashboard.request_context import PageRequest, ShowPage
from waypost.flows.journal.see_also import Similar
from waypost.flows.journal.show import ShownFile
from waypost.flows.journal.timeline import TimelineEntry
from waypost.journal.layout import Month, Week, day_of, month_of, stage_of, week_of, year_of
from waypost.memory import Memory

_AT_ONCE = 100  # entries per page
_LONGEST_FILE = 200_000  # characters shown
_MOST_TURNS = 500
_IMPORTANCE = 10


def show_period(request: PageRequest) -> ShowPage:
    when, page = request.path["when"], request.whole("page", 1, 1, 10_000)
    if not PERIOD.fullmatch(when) or _named(when) is None:
        raise NotFound("The journal has no such period.", "Write 2026-01-30, 2026-W05, 2026-01 or 2026.")
    journal = request.memory.journal
    timeline = journal.timeline(when)
    first, last = timeline.first or date.min, timeline.last or date.min
    summary = _summary(request.memory, when)
    originals = sorted({entry.path for entry in timeline.entries})
    visible = timeline.entries[(page - 1) * _AT_ONCE : page * _AT_ONCE]
    values: dict[str, Any] = {
        "when": when,
        "first": first,
        "last": last,
        "entries": visible,
        "total": len(timeline.entries),
        "page": page,
        "pages": max(1, -(-len(timeline.entries) // _AT_ONCE)),
        "summary": summary,
        "summary_lines": lines_of(summary.text) if summary is not None else [],
        "summaries": [path for path in timeline.summaries if summary is None or path != summary.path],
        "originals": originals,
        "is_condensed": any(stage_of(entry.path) != "daily" or entry.entry.trimmed for entry in timeline.entries),
        "is_held": bool({*originals} & {*journal.stats()["held"]}) if originals else False,
        "around": _around(when, [counted.day for counted in journal.calendar()]),
        "calendar": _calendar(request, timeline.entries, first, last),
        "stage_of": stage_of,
        "name_of": name_of,
        "most": _IMPORTANCE,
    }
    return ShowPage("journal_period.html", when, values)


def show_file(request: PageRequest) -> ShowPage:
    file = request.memory.journal.show(request.text("path", limit=300))
    text = file.text[:_LONGEST_FILE]
    values = {"shown": file, "text": text, "left_out": len(file.text) - len(text), "when": name_of(file.path)}
    return ShowPage("journal_file.html", file.path, values)


def show_conversation(request: PageRequest) -> ShowPage:
    session = request.text("id", limit=300)
    memory = request.memory
    turns = memory.list(session=session, limit=_MOST_TURNS, archived=True) if session else ()
    similar: list[Similar] = list(memory.journal.similar(session, 8)) if turns else []
    if not turns:
        raise NotFound("There is no such conversation.", "The journal's pages link to existing ones.")
    return ShowPage(
        "journal_conversation.html", "A conversation", {"session": session, "turns": turns, "similar": similar}
    )


def name_of(path: str) -> str:
    """The period of a file, as in its page's address. Empty if it has none."""
    period = day_of(path) or week_of(path) or month_of(path)
    if period is not None:
        return period.isoformat() if isinstance(period, date) else str(period)
    year = year_of(path)
    return f"{year:04}" if year is not None else ""


def _named(when: str) -> "date | Week | Month | int | None":
    return day_of(when) or week_of(when) or month_of(when) or year_of(when)


def _summary(memory: Memory, when: str) -> ShownFile | None:
    """The summary of a week, month or year. A day has none."""
    if day_of(when) is not None:
        return None
    try:
        file = memory.journal.show(when)
    except NotFound:
        return None
    return file if len(file.text) <= _LONGEST_FILE else None


def _around(when: str, days: Sequence[date]) -> dict[str, str]:
    """The previous and next period with entries, and the periods that contain it."""
    period = _named(when)
    part_of = {"in": "", "month": ""}
    match period:
        case date():
            part_of = {"in": str(Week.of(period)), "month": f"{period:%Y-%m}"}
            names = [day.isoformat() for day in days]
        case Week():
            part_of = {"in": str(period.month), "month": ""}
            names = [str(Week.of(day)) for day in days]
        case Month():
            part_of = {"in": f"{period.year:04}", "month": ""}
            names = [f"{day:%Y-%m}" for day in days]
        case _:
            names = [f"{day:%Y}" for day in days]
    before, after = [name for name in names if name < when], [name for name in names if name > when]
    return {"before": max(before, default=""), "after": min(after, default=""), **part_of}


def _calendar(request: PageRequest, entries: tuple[TimelineEntry, ...], first: date, last: date) -> Any:
    if (last - first).days < 7:
        return ""
    counts: dict[date, int] = {}
    for entry in entries:
        day = day_of(entry.path) or entry.entry.at.date()
        counts[day] = counts.get(day, 0) + 1
    title = f"Entries of {first} to {last}"
    return calendar_plot(title, counts, first, last, href=lambda day: request.link("journal", day.isoformat()))


PERIOD = re.compile(r"\d{4}(-\d\d-\d\d|-W\d\d|-\d\d)?")
_COMMENT = re.compile(r"^<!--[^<>]{0,200}-->\n|<!--[^<>]{0,200}-->", re.MULTILINE)  # Waypost's own comments
_HEADING = re.compile(r"#{2,6} ")
_ITEM = re.compile(r"( {0,40})- ")
_MARKED = re.compile(r"\*\*([^*\n]{1,300})\*\*|\[(\d{4}[-W\d]{0,6})\]\([^()\n]{1,300}\)")
_DEEPEST = 3


@dataclass(frozen=True, slots=True)
class SummaryPiece:
    text: str
    kind: str = ""  # "", "strong", or "time" for a day, week, month or year


@dataclass(frozen=True, slots=True)
class SummaryLine:
    kind: str  # "heading", "item" or "words"
    depth: int  # of an item
    pieces: tuple[SummaryPiece, ...]


def lines_of(text: str) -> list[SummaryLine]:
    """The lines of a summary's Markdown, without its title."""
    lines = [line for line in _COMMENT.sub("", text).splitlines() if line.strip()]
    return [_line(line) for number, line in enumerate(lines) if number or not line.startswith("# ")]


def _line(line: str) -> SummaryLine:
    if match := _HEADING.match(line):
        return SummaryLine("heading", 0, tuple(_pieces(line[match.end() :])))
    if match := _ITEM.match(line):
        return SummaryLine("item", min(len(match[1]) // 2, _DEEPEST), tuple(_pieces(line[match.end() :])))
    return SummaryLine("words", 0, tuple(_pieces(line)))


def _pieces(text: str) -> Iterator[SummaryPiece]:
    end = 0
    for match in _MARKED.finditer(text):
        strong, time = match.groups()
        if time is not None and not PERIOD.fullmatch(time):
            continue
        if match.start() > end:
            yield SummaryPiece(text[end : match.start()])
        yield SummaryPiece(strong or time, "strong" if strong else "time")
        end = match.end()
    if end < len(text):
        yield SummaryPiece(text[end:])
