"""The journal: calendar, stages, and a search through all of it."""

from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import Any

from waypost.errors import InvalidInput
from waypost.faces.dashboard.pages.journal_period import PERIOD, show_conversation, show_file, show_period
from waypost.faces.dashboard.plots import Series, bar_plot, calendar_plot, line_plot
from waypost.faces.dashboard.request_context import PageRequest, PageRoute, Redirect, ShowPage, post_routes
from waypost.flows.journal.calendar import DayCounted
from waypost.flows.journal.timeline import TimelinePeriod
from waypost.journal.layout import day_of, stage_of

STAGES = {
    "daily": ("Days, in full", "daily"),
    "weekly": ("Weeks, summarised", "weekly"),
    "monthly": ("Months, summarised", "monthly"),
    "yearly": ("Years, summarised", "yearly"),
}
_YEARS_SHOWN = 2
_MOST_FOUND = 50  # lines of a search
_MOST_MONTHS = 36
_MOST_STRETCHES = 60  # per stage


def show(request: PageRequest) -> ShowPage:
    query, year = request.text("q", limit=500), request.whole("year", 0, 0, 9999)
    journal = request.memory.journal
    days, stats = journal.calendar(), journal.stats()
    counts = {counted.day: counted.entries for counted in days}
    years = sorted({day.year for day in counts}, reverse=True)
    visible = [year] if year in years else years[:_YEARS_SHOWN]
    today = request.spaces.now().date()
    values: dict[str, Any] = {
        "q": query,
        "found": journal.search(query, _MOST_FOUND) if query else (),
        "stage_of": stage_of,
        "day_of": day_of,
        "stats": stats,
        "days": days,
        "years": years,
        "year": year,
        "calendars": [(shown_year, _year(request, counts, shown_year, today)) for shown_year in visible],
        "months": _months(days),
        "stages": _stages(journal.timeline().overview),
        "importance": _importance(stats["importance"]),
        "is_team": request.spaces.here_is_callers,
    }
    return ShowPage("journal.html", "Journal", values)


def _year(request: PageRequest, counts: dict[date, int], year: int, today: date) -> Any:
    first, last = date(year, 1, 1), date(year, 12, 31)
    month_start = min(counts, default=first).replace(day=1)
    first = month_start if month_start.year == year else first  # start with the first month that has entries
    last = min(last, max(today, first)) if year >= today.year else last
    title = f"Entries of {year}"
    return calendar_plot(title, counts, first, last, href=lambda day: request.link("journal", day.isoformat()))


def _months(days: Sequence[DayCounted]) -> Any:
    """Entries per month, in daily files and in the archive."""
    if not days:
        return ""
    live, archived = Counter[str](), Counter[str]()
    for counted in days:
        (live if counted.stage == "daily" else archived)[f"{counted.day:%Y-%m}"] += counted.entries
    labels = _every_month(days[0].day, days[-1].day)[-_MOST_MONTHS:]
    if len(labels) < 2:
        return ""
    series = [
        Series("in day files", [live[month] for month in labels], 1),
        Series("in the archive", [archived[month] for month in labels], 3),
    ]
    return bar_plot("Entries by month", labels, series)


def _every_month(first: date, last: date) -> list[str]:
    start, end = first.year * 12 + first.month - 1, last.year * 12 + last.month - 1
    return [f"{number // 12:04}-{number % 12 + 1:02}" for number in range(start, end + 1)]


def _importance(scores: dict[str, int]) -> Any:
    if not any(scores.values()):
        return ""
    labels = [str(score) for score in range(11)]
    return bar_plot("Entries by importance", labels, [Series("entries", [scores.get(label, 0) for label in labels], 2)])


def _stages(overview: Sequence[TimelinePeriod]) -> list[tuple[str, str, list[TimelinePeriod]]]:
    """Periods by stage, newest first, with titles."""
    by_stage: dict[str, list[TimelinePeriod]] = {}
    for period in overview:
        stage = stage_of(period.path or "")
        by_stage.setdefault(stage if stage in STAGES else "archive", []).append(period)
    order = [*STAGES, "archive"]
    titles = {name: title for name, (title, _) in STAGES.items()} | {"archive": "Days that are only in the archive"}
    return [(name, titles[name], by_stage[name][:_MOST_STRETCHES]) for name in order if name in by_stage]


def note(request: PageRequest) -> Redirect:
    text = request.sent("text")
    if not text:
        raise InvalidInput("The note is empty.", "Write something.")
    journal = request.memory.journal
    receipt = journal.add(text, speaker=request.identity.name, time=request.sent("time", 100) or None)
    if receipt.status == "refused":
        raise InvalidInput(f"Not saved: {receipt.reason}.", "Allow the value again first.")
    return request.go("journal", told="noted")


def protect(request: PageRequest) -> Redirect:
    on = request.sent("on") == "1"
    request.memory.journal.protect(_id(request), on=on)
    return _back(request, "protected" if on else "released")


def restore(request: PageRequest) -> Redirect:
    """Restore the originals. They stay until they are released."""
    request.memory.journal.restore(_what(request))
    return _back(request, "restored")


def release(request: PageRequest) -> Redirect:
    request.memory.journal.release(_what(request))
    return _back(request, "let_go")


def _id(request: PageRequest) -> str:
    memory_id = request.sent("id", 200)
    if not memory_id:
        raise InvalidInput("No entry selected.", "Choose one.")
    return memory_id


def _what(request: PageRequest) -> str:
    """A period, or the id of an entry."""
    what = request.sent("what", 200)
    if not what:
        raise InvalidInput("Nothing selected.", "Choose a day, week, month or year.")
    return what


def _back(request: PageRequest, message: str) -> Redirect:
    back = request.sent("back", 40)
    return request.go("journal", *([back] if PERIOD.fullmatch(back) else []), told=message)


_DRAWN = 6  # topics that have a line
_KEPT = 8  # topics of a period
_MOST_PERIODS = 60


def show_topics(request: PageRequest) -> ShowPage:
    by = request.one_of("by", ("week", "month", "year"), "month")
    periods = dict(list(request.memory.journal.topics(by, _KEPT).items())[-_MOST_PERIODS:])
    totals = Counter[str]()
    for members in periods.values():
        totals.update(dict(members))
    drawn = [topic for topic, _ in totals.most_common(_DRAWN)]
    counts = {period: dict(members) for period, members in periods.items()}
    series = [
        Series(topic, [counts[period].get(topic, 0) for period in periods], index + 1)
        for index, topic in enumerate(drawn)
    ]
    plot = line_plot("Topics over time", list(periods), series, area=False) if len(periods) > 1 else ""
    values = {"by": by, "plot": plot, "periods": list(reversed(periods.items())), "totals": totals.most_common(30)}
    return ShowPage("journal_topics.html", "Topics over time", values)


PAGES = (
    PageRoute("/journal", show, "journal"),
    PageRoute("/journal/topics", show_topics, "journal"),
    PageRoute("/journal/file", show_file, "journal"),
    PageRoute("/journal/conversation", show_conversation, "journal"),
    *post_routes("/journal", "journal", note, protect, restore, release),
    PageRoute("/journal/{when}", show_period, "journal"),
)
