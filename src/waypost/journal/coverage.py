"""Which journal files cover a time: the day's own file, its archived original, or the summary that replaced it."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta

from waypost.journal.layout import (
    ARCHIVE,
    Month,
    Week,
    day_of,
    month_of,
    month_path,
    stage_of,
    week_of,
    week_path,
    year_of,
    year_path,
)

_DAY = timedelta(days=1)
_LONGEST = 100  # years to look through


@dataclass(frozen=True, slots=True)
class CoverageIndex:
    """The existing files, by the time they cover."""

    paths: Collection[str]
    _days: dict[date, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for stage in ("daily", f"{ARCHIVE}/daily"):
            files: dict[date, list[str]] = {}
            for path in sorted(self.paths):
                if stage_of(path) == stage and (day := day_of(path)) is not None:
                    files.setdefault(day, []).append(path)
            for day, paths in files.items():
                self._days.setdefault(day, paths)

    def day(self, day: date) -> tuple[str, ...]:
        """The files of a day, or their originals in the archive."""
        return tuple(self._days.get(day, ()))

    def covering(self, day: date) -> tuple[str, ...]:
        """The files that cover a day: its own, else the summary of the shortest period."""
        summary = self.summary(day)
        return self.day(day) or ((summary,) if summary else ())

    def summary(self, day: date) -> str | None:
        """The summary of the shortest period around a day."""
        paths = (week_path(Week.of(day)), month_path(Month.of(day)), year_path(day.year))
        return next((path for path in paths if path in self.paths), None)

    def between(self, first: date, last: date) -> list[str]:
        """The files that cover these days: summaries of whole years, months and weeks, else days."""
        if first == last:
            return list(self.covering(first))
        return list(dict.fromkeys(self._years(first, last)))

    def _years(self, first: date, last: date) -> Iterator[str]:
        days = [day for day in self._days if first <= day <= last]
        starts = [first.year, *(day.year for day in days), *self._summary_years(first, last)]
        for year in sorted({year for year in starts if first.year <= year <= last.year})[:_LONGEST]:
            start, end = max(first, date(year, 1, 1)), min(last, date(year, 12, 31))
            if (start, end) == (date(year, 1, 1), date(year, 12, 31)) and year_path(year) in self.paths:
                yield year_path(year)
            else:
                yield from self._months(start, end)

    def _summary_years(self, first: date, last: date) -> Iterator[int]:
        for path in self.paths:
            if (week := week_of(path)) and first <= week.last and week.first <= last:
                yield from (week.first.year, week.last.year)
            elif (month := month_of(path)) is not None:
                yield month.year
            elif (year := year_of(path)) is not None:
                yield year

    def _months(self, first: date, last: date) -> Iterator[str]:
        day = first
        while day <= last:
            month = Month(day.year, day.month)
            end = min(last, month.last)
            if (day, end) == (month.first, month.last) and month_path(month) in self.paths:
                yield month_path(month)
            else:
                yield from self._weeks(day, end, first, last)
            day = month.last + _DAY

    def _weeks(self, start: date, end: date, first: date, last: date) -> Iterator[str]:
        """Summaries of weeks inside the range, or inside a whole month of it; else single days."""
        day = start
        while day <= end:
            week = Week.of(day)
            whole = (first <= week.first and week.last <= last) or (start.day == 1 and end.month != (end + _DAY).month)
            if whole and week_path(week) in self.paths:
                yield week_path(week)
                yield from self._unjoined_days(week)
                day = week.last + _DAY
                continue
            yield from self.covering(day)  # the summary of a partly covered week may be all there is
            day += _DAY

    def _unjoined_days(self, week: Week) -> Iterator[str]:
        """Days of the week that its summary does not contain yet."""
        for number in range(7):
            yield from (path for path in self.day(week.first + number * _DAY) if stage_of(path) == "daily")


def last_day_of(path: str) -> date | None:
    """The last day that a file covers, or None if it covers no time."""
    if (day := day_of(path)) is not None:
        return day
    if (period := week_of(path) or month_of(path)) is not None:
        return period.last
    return date(year, 12, 31) if (year := year_of(path)) is not None else None


def first_day_of(period: Week | Month | int) -> date:
    """The first day of a week, month or year."""
    return date(period, 1, 1) if isinstance(period, int) else period.first
