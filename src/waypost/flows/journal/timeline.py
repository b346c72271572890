"""What was said at a time, in full, from whatever file holds it; without a time, what there is."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from waypost.errors import InvalidInput
from waypost.flows.journal.files.changes import look
from waypost.flows.journal.files.units import PAGES
from waypost.flows.journal.see_also import RelatedEntry, related_to
from waypost.flows.journal.tally import named_entries, tallies
from waypost.flows.open_space import OpenSpace
from waypost.flows.recall.versions import held_versions
from waypost.journal.index_page.tally import days_of
from waypost.journal.layout import (
    Month,
    Week,
    month_of,
    month_path,
    stage_of,
    week_of,
    week_path,
    year_of,
    year_path,
)
from waypost.model.journal import Entry
from waypost.model.recall import View
from waypost.model.time import Moment
from waypost.store.protocol import Reader
from waypost.text.language import language_of

_DAY_LENGTH = timedelta(days=1)
_DAY, _WEEK, _MONTH, _YEAR = (
    re.compile(form) for form in (r"\d{4}-?\d\d-?\d\d", r"\d{4}-W\d\d", r"\d{4}-\d\d", r"\d{4}")
)


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """An entry with where it stands."""

    entry: Entry
    path: str
    id: str | None  # also of what was written by hand, once it was read
    is_held: bool = True  # nobody has retracted it or taken it out of its file
    see_also: tuple[RelatedEntry, ...] = ()  # entries of other days about the same

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
            "see_also": [{"id": one.id, "day": one.day.isoformat()} for one in self.see_also],
            "path": self.path,
        }


@dataclass(frozen=True, slots=True)
class TimelinePeriod:
    """A day, week, month or year of the overview."""

    name: str
    first: date
    last: date
    entries: int
    conversations: int
    path: str | None  # of its file: the day's, or the summary

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "first": self.first.isoformat(),
            "last": self.last.isoformat(),
            "entries": self.entries,
            "conversations": self.conversations,
            "path": self.path,
        }


@dataclass(frozen=True, slots=True)
class Timeline:
    """Entries of a time in order, with the summaries that are about it; or, without a time, an overview, newest first."""

    first: date | None
    last: date | None
    entries: tuple[TimelineEntry, ...] = ()
    summaries: tuple[str, ...] = ()
    overview: tuple[TimelinePeriod, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "first": self.first.isoformat() if self.first else None,
            "last": self.last.isoformat() if self.last else None,
            "entries": [said.to_json() for said in self.entries],
            "summaries": list(self.summaries),
            "overview": [stretch.to_json() for stretch in self.overview],
        }


def timeline(space: OpenSpace, when: str = "") -> Timeline:
    """What was said on a date, in a week (2026-W05), month (2026-01) or year (2026), or at a time in words; in full, also
    from the archive. Without one, what there is: days that are still whole, then weeks, months and years."""
    look(space)
    if not when.strip():
        return Timeline(None, None, overview=tuple(_overview(space)))
    first, last = named_span(space, when)
    files = space.journal.scan()
    days = {day: paths for day, paths in days_of(files).items() if first <= day <= last}
    said = list(_said(space, days)) if days else []
    elsewhere = list(_elsewhere(space, first, last, {one.id for one in said}))
    if elsewhere:
        said = sorted([*said, *elsewhere], key=lambda one: one.entry.at)
    return Timeline(first, last, tuple(said), tuple(path for path in files if _is_about(path, first, last)))


def named_span(space: OpenSpace, when: str) -> tuple[date, date]:
    """The first and the last day of a time, both included."""
    from waypost.retrieve.times.question_times import days_named  # only where a time is named in words

    text = when.strip()
    span = _written_span(text)
    if span is None:
        today, short = space.journal.today(space.clock()), text[:200]
        found = days_named(short, language_of(short), today) or days_named(short, "", today)  # too short to tell
        span = (found[0].first, found[0].last) if found else None
    if span is None:
        raise InvalidInput(
            f"{text[:60]!r} is no time.", "Write 2026-01-30, 2026-W05, 2026-01, 2026, or words such as yesterday."
        )
    return span


def _written_span(text: str) -> tuple[date, date] | None:
    try:
        if _DAY.fullmatch(text):
            day = date.fromisoformat(text)
            return day, day
        if _WEEK.fullmatch(text):
            week = Week(int(text[:4]), int(text[-2:]))
            return week.first, week.last
        if _MONTH.fullmatch(text):
            return _month_span(Month(int(text[:4]), int(text[-2:])))
        if _YEAR.fullmatch(text):
            return date(int(text), 1, 1), date(int(text), 12, 31)
    except (ValueError, OverflowError) as error:
        raise InvalidInput(f"There is no {text}.", "Write it as 2026-01-30, 2026-W05 or 2026-01.") from error
    return None


def _month_span(month: Month) -> tuple[date, date]:
    first = date(month.year, month.number, 1)
    return first, (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)


def _is_about(path: str, first: date, last: date) -> bool:
    """Whether a summary that is in use tells of these days."""
    stage = stage_of(path)
    if stage == "weekly" and (week := week_of(path)):
        return week.first <= last and week.last >= first
    if stage == "monthly" and (month := month_of(path)):
        start, end = _month_span(month)
        return start <= last and end >= first
    return stage == "yearly" and (year := year_of(path)) is not None and first.year <= year <= last.year


def _held_ids(space: OpenSpace, reader: Reader, first: date, last: date) -> set[str]:
    """What is held of these days, and perhaps of the days beside them: a day begins up to 14 hours earlier or 12 later
    elsewhere."""
    view = View(Moment(space.clock()), ("journal",), space.identity.checkout_id, archived=True)
    first, last = max(first, date(1, 1, 2)), min(last, date(9999, 12, 29))
    start, end = (datetime.combine(day, time(), UTC) for day in (first, last))
    return {one.memory_id for one in reader.journal.entries_between(start - _DAY_LENGTH, end + 2 * _DAY_LENGTH, view)}


def _elsewhere(space: OpenSpace, first: date, last: date, known: Collection[str | None]) -> Iterator[TimelineEntry]:
    """What was said on these days and stands in files that somebody has given another name."""
    with space.store.read() as reader:
        wanted = {memory_id for memory_id in _held_ids(space, reader, first, last) if memory_id not in known}
        paths = {
            place.path
            for journal, place in reader.journal.places_of(wanted)
            if journal == space.journal_id and stage_of(place.path) in PAGES
        }
        for entry, path, memory_id in named_entries(space, reader, sorted(paths)) if paths else ():
            if memory_id in wanted and first <= space.journal.today(entry.at) <= last:
                yield TimelineEntry(entry, path, memory_id, entry.held is not None)


def _said(space: OpenSpace, days: Mapping[date, Sequence[str]]) -> Iterator[TimelineEntry]:
    """The entries of these days. What is not held any more says so."""
    with space.store.read() as reader:
        held = _held_ids(space, reader, min(days), max(days))
        related = related_to(space, reader, held)
        for paths in days.values():
            for entry, path, memory_id in named_entries(space, reader, paths):
                is_held = memory_id is None or memory_id in held or bool(held_versions(reader, memory_id))
                others = related.get(memory_id or "", ())
                yield TimelineEntry(entry, path, memory_id, is_held and entry.held is not None, tuple(others))


def _overview(space: OpenSpace) -> Iterator[TimelinePeriod]:
    counts, files = tallies(space), space.journal.scan()
    spans: dict[str, tuple[date, date, str]] = {}
    whole = {
        day for day, paths in days_of(files).items() if stage_of(paths[-1]) == "daily"
    }  # they stand for themselves
    for day, paths in days_of(files).items():
        path, first, last, name = paths[-1], day, day, day.isoformat()
        if stage_of(path) != "daily":
            week = Week.of(day)
            path, first, last, name = _summary_of(week, files) or (path, week.first, week.last, str(week))
        spans.setdefault(name, (first, last, path))
    for name, (first, last, path) in sorted(spans.items(), key=lambda item: (item[1][1], item[0]), reverse=True):
        inside = [
            tally
            for day, tally in counts.items()
            if first <= day <= last and (day in whole) == bool(_DAY.fullmatch(name))
        ]
        yield TimelinePeriod(
            name,
            first,
            last,
            sum(t.entries for t in inside),
            len(frozenset().union(*(t.sessions for t in inside))),
            path,
        )


def _summary_of(week: Week, files: "dict[str, Any]") -> tuple[str, date, date, str] | None:
    """The summary in which a week is told now."""
    if week_path(week) in files:
        return week_path(week), week.first, week.last, str(week)
    if month_path(week.month) in files:
        return (month_path(week.month), week.month.weeks[0].first, week.month.weeks[-1].last, str(week.month))
    if year_path(week.month.year) in files:
        year = week.month.year
        return year_path(year), Month(year, 1).weeks[0].first, Month(year, 12).weeks[-1].last, str(year)
    return None
