"""What was said at a time, in full, from any file; without a time, an overview."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from waypost.errors import InvalidInput
from waypost.flows.journal.see_also import RelatedEntry, related_to
from waypost.flows.journal_files.changes import sync_if_changed
from waypost.flows.journal_files.tally import named_entries, tallies
from waypost.flows.open_space import OpenSpace
from waypost.flows.versions.current import current_versions
from waypost.journal import layout
from waypost.journal.memory_page.tally import files_by_day
from waypost.journal.units import PAGES
from waypost.model.journal import Entry
from waypost.model.json_row import json_row
from waypost.model.recall import View
from waypost.model.time import Moment
from waypost.store.protocol import Reader
from waypost.text.durations import parse_offset
from waypost.text.language import language_of

_DAY_LENGTH = timedelta(days=1)
_DAY, _WEEK, _MONTH, _YEAR = (
    re.compile(form) for form in (r"\d{4}-?\d\d-?\d\d", r"\d{4}-W\d\d", r"\d{4}-\d\d", r"\d{4}")
)


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    entry: Entry
    path: str
    id: str | None  # also of entries written by hand, once they were read
    is_held: bool = True  # not retracted or removed from its file
    see_also: tuple[RelatedEntry, ...] = ()  # related entries of other days

    def to_json(self) -> dict[str, Any]:
        entry = self.entry
        return {
            "id": self.id,
            "time": entry.at.isoformat(),
            "speaker": entry.speaker,
            "kind": entry.kind,
            "session": entry.session,
            "importance": entry.importance,
            "protected": entry.protected,
            "text": entry.text,
            "held": self.is_held,
            "now": entry.held if entry.held != entry.text else None,
            "media": entry.more.get("media"),
            "see_also": [{"id": related.id, "day": related.day.isoformat()} for related in self.see_also],
            "path": self.path,
        }


@dataclass(frozen=True, slots=True)
class TimelinePeriod:
    name: str
    first: date
    last: date
    entries: int
    conversations: int
    path: str | None  # the day's file, or the summary

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"first": self.first.isoformat(), "last": self.last.isoformat()}


@dataclass(frozen=True, slots=True)
class Timeline:
    """Entries of a time in order, with its summaries; or an overview, newest first."""

    first: date | None
    last: date | None
    entries: tuple[TimelineEntry, ...] = ()
    summaries: tuple[str, ...] = ()
    overview: tuple[TimelinePeriod, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return json_row(self)


def timeline(space: OpenSpace, when: str = "") -> Timeline:
    """What was said on a date, in a week (2026-W05), month or year, or at a time in words.

    Returns full texts, also from the archive. Without a time: days that are not condensed, then weeks, months and
    years.
    """
    sync_if_changed(space)
    if not when.strip():
        return Timeline(None, None, overview=tuple(_overview(space)))
    first, last = parse_span(space, when)
    files = space.journal.scan()
    days = {day: paths for day, paths in files_by_day(files).items() if first <= day <= last}
    said = list(_entries_of_days(space, days)) if days else []
    in_other_files = list(_in_renamed_files(space, first, last, {item.id for item in said}))
    if in_other_files:
        said = sorted([*said, *in_other_files], key=lambda item: item.entry.at)
    return Timeline(first, last, tuple(said), tuple(path for path in files if _is_about(path, first, last)))


def parse_span(space: OpenSpace, when: str) -> tuple[date, date]:
    """The first and the last day of a time, both included."""
    from waypost.retrieve.times.question_times import days_named  # only for times in words

    text = when.strip()
    span = _written_span(text)
    if span is None:
        today, short = space.journal.today(space.clock()), text[:200]
        spans = days_named(short, language_of(short), today) or days_named(
            short, "", today
        )  # too short to detect its language
        span = (spans[0].first, spans[0].last) if spans else _day_ago(space, short)
    if span is None:
        raise InvalidInput(
            f"{text[:60]!r} is not a time.",
            "Write 2026-01-30, 2026-W05, 2026-01, 2026, 3d, or words such as yesterday.",
        )
    return span


def _day_ago(space: OpenSpace, text: str) -> tuple[date, date] | None:
    """The day that is as long ago as a duration such as `3d` says."""
    try:
        offset = parse_offset(text, ahead=False)
        day = space.journal.today(space.clock() + timedelta(seconds=offset)) if offset is not None else None
    except (InvalidInput, OverflowError):
        return None
    return (day, day) if day else None


def _written_span(text: str) -> tuple[date, date] | None:
    try:
        if _DAY.fullmatch(text):
            day = date.fromisoformat(text)
            return day, day
        if _WEEK.fullmatch(text):
            week = layout.Week(int(text[:4]), int(text[-2:]))
            return week.first, week.last
        if _MONTH.fullmatch(text):
            return _month_span(layout.Month(int(text[:4]), int(text[-2:])))
        if _YEAR.fullmatch(text):
            return date(int(text), 1, 1), date(int(text), 12, 31)
    except (ValueError, OverflowError) as error:
        raise InvalidInput(f"There is no {text}.", "Write it as 2026-01-30, 2026-W05 or 2026-01.") from error
    return None


def _month_span(month: layout.Month) -> tuple[date, date]:
    first = date(month.year, month.number, 1)
    return first, (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)


def _is_about(path: str, first: date, last: date) -> bool:
    stage = layout.stage_of(path)
    if stage == "weekly" and (week := layout.week_of(path)):
        return week.first <= last and week.last >= first
    if stage == "monthly" and (month := layout.month_of(path)):
        start, end = _month_span(month)
        return start <= last and end >= first
    return stage == "yearly" and (year := layout.year_of(path)) is not None and first.year <= year <= last.year


def _current_ids(space: OpenSpace, reader: Reader, first: date, last: date) -> set[str]:
    """Ids of current entries of these days, and of the days around them: other time zones shift a day."""
    view = View(Moment(space.clock()), ("journal",), space.identity.checkout_id, archived=True)
    first, last = max(first, date(1, 1, 2)), min(last, date(9999, 12, 29))
    start, end = (datetime.combine(day, time(), UTC) for day in (first, last))
    return {
        version.memory_id
        for version in reader.journal.entries_between(start - _DAY_LENGTH, end + 2 * _DAY_LENGTH, view)
    }


def _in_renamed_files(
    space: OpenSpace, first: date, last: date, known_ids: Collection[str | None]
) -> Iterator[TimelineEntry]:
    """Entries of these days in files that somebody has renamed."""
    with space.store.read() as reader:
        wanted = {memory_id for memory_id in _current_ids(space, reader, first, last) if memory_id not in known_ids}
        paths = {
            place.path
            for journal, place in reader.journal.places_of(wanted)
            if journal == space.journal_id and layout.stage_of(place.path) in PAGES
        }
        for entry, path, memory_id in named_entries(space, reader, sorted(paths)) if paths else ():
            if memory_id in wanted and first <= space.journal.today(entry.at) <= last:
                yield TimelineEntry(entry, path, memory_id, entry.held is not None)


def _entries_of_days(space: OpenSpace, days: Mapping[date, Sequence[str]]) -> Iterator[TimelineEntry]:
    with space.store.read() as reader:
        current_ids = _current_ids(space, reader, min(days), max(days))
        related = related_to(space, reader, current_ids)
        for paths in days.values():
            for entry, path, memory_id in named_entries(space, reader, paths):
                is_held = memory_id is None or memory_id in current_ids or bool(current_versions(reader, memory_id))
                others = related.get(memory_id or "", ())
                yield TimelineEntry(entry, path, memory_id, is_held and entry.held is not None, tuple(others))


def _overview(space: OpenSpace) -> Iterator[TimelinePeriod]:
    counts, files = tallies(space), space.journal.scan()
    spans: dict[str, tuple[date, date, str]] = {}
    days: dict[str, set[date]] = {}
    for day, paths in files_by_day(files).items():
        path, first, last, name = paths[-1], day, day, day.isoformat()
        if layout.stage_of(path) != "daily":
            week = layout.Week.of(day)
            path, first, last, name = _summary_of(day, files) or (path, week.first, week.last, str(week))
        spans.setdefault(name, (first, last, path))
        days.setdefault(name, set()).add(day)
    for name, (first, last, path) in sorted(spans.items(), key=lambda item: (item[1][1], item[0]), reverse=True):
        inside = [tally for day, tally in counts.items() if day in days[name]]
        yield TimelinePeriod(
            name,
            first,
            last,
            sum(t.entries for t in inside),
            len(frozenset().union(*(t.sessions for t in inside))),
            path,
        )


def _summary_of(day: date, files: "dict[str, Any]") -> tuple[str, date, date, str] | None:
    week, month = layout.Week.of(day), layout.Month.of(day)
    if layout.week_path(week) in files:
        return layout.week_path(week), week.first, week.last, str(week)
    if layout.month_path(month) in files:
        return layout.month_path(month), month.first, month.last, str(month)
    if layout.year_path(day.year) in files:
        return layout.year_path(day.year), date(day.year, 1, 1), date(day.year, 12, 31), str(day.year)
    return None
