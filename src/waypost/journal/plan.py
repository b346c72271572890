"""What becomes of the journal's files today: from their names and sizes to steps in the order in which they fell due.

Nothing here reads or writes a file. What a step does not find any more it has done already, so the same function says
what is left after a run that was stopped, or that was missed for weeks: each step carries the day on which it fell due,
and is done as it would have been done then. A run on each day and one late run give the same files.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TypeVar

from waypost.journal import layout
from waypost.journal.layout import Month, Week

TRIM_AFTER, JOIN_AFTER, MONTH_AFTER, COMPRESS_AFTER = (timedelta(days=days) for days in (1, 7, 30, 90))
EARLIEST_BY_SIZE = timedelta(days=2)  # today's and yesterday's file stay, however large
# The archive's days may take this much uncompressed. Ninety days of ten conversations are 1.8 MB; a year of them must
# stay under 2.7 MB altogether, of which what is compressed needs about 1.5.
PLAIN_ARCHIVE = 512 * 1024
MEGABYTE = 1024 * 1024
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class File:
    """What the plan needs to know of a file of the journal."""

    size: int
    gzipped: bool = False
    is_closed: bool = False  # held by a person, in conflict, or unreadable: nothing may be done with it
    scored: date | None = None  # of a day: trimmed, and its importance as of this day, and nobody has changed it since


@dataclass(frozen=True, slots=True)
class Limits:
    """In bytes. Passing one brings the weekly summary early."""

    file: int = 5 * MEGABYTE
    daily: int = 20 * MEGABYTE
    total: int = 100 * MEGABYTE
    plain_archive: int = PLAIN_ARCHIVE


@dataclass(frozen=True, slots=True)
class Passed:
    """A limit that is passed: by a file, by the folder of the days, or by all."""

    folder: str
    size: int
    limit: int


@dataclass(frozen=True, slots=True)
class Trim:
    """Shorten the answers of a day that are worth little, and write the worth of each entry into its heading."""

    due: date
    day: date
    path: str


@dataclass(frozen=True, slots=True)
class Rescore:
    """What comes up again rises: the worth of the entries of the days that are still whole, as of today."""

    due: date
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Join:
    """Make the summary of a week from the days that joined it before and these, which leave for the archive."""

    due: date
    week: Week
    paths: tuple[str, ...]
    passed: Passed | None = None  # the limit for which it comes early


@dataclass(frozen=True, slots=True)
class MakeMonth:
    due: date
    month: Month
    weeks: tuple[Week, ...]  # whose files leave for the archive


@dataclass(frozen=True, slots=True)
class MakeYear:
    due: date
    year: int
    months: tuple[Month, ...]  # whose files leave for the archive


@dataclass(frozen=True, slots=True)
class Compress:
    due: date
    path: str


Step = Trim | Join | MakeMonth | MakeYear | Compress | Rescore
_ORDER: dict[type, int] = {Trim: 0, Join: 1, MakeMonth: 2, MakeYear: 3, Compress: 4, Rescore: 5}


def due_by_time(files: Mapping[str, File], today: date) -> tuple[Step, ...]:
    """All that fell due until today, in the order in which it did."""
    days, joins = _days(files, today), _joins(files, today)
    months = _months(files, joins, today)
    years = _years(files, joins, months, today)
    steps: list[Step] = [
        Trim(day + TRIM_AFTER, day, path)
        for path, day in days.items()
        if day + TRIM_AFTER <= today and files[path].scored is None
    ]
    steps += [*joins, *months, *years, *_compressions(files, joins, months, years, today)]
    joined = {path for join in joins for path in join.paths}
    stale = tuple(sorted(path for path in days if path not in joined and _is_stale(files[path], days[path], today)))
    steps += [Rescore(today, stale)] if stale else []
    return tuple(sorted(steps, key=lambda step: (step.due, _ORDER[type(step)], str(step))))


def due_by_size(files: Mapping[str, File], today: date, limits: Limits) -> tuple[Step, ...]:
    """What sizes ask for, when all that fell due by time is done: weeks that come early, days compressed early."""
    early = _early(files, today, limits)
    return (*early, *_early_compressions(files, today, limits.plain_archive))


def month_due(month: Month) -> date:
    """The first 1st on which its weeks are 30 days old, counted from their Sundays."""
    old_enough = month.weeks[-1].last + MONTH_AFTER
    if old_enough.day == 1:
        return old_enough
    return date(old_enough.year + old_enough.month // 12, old_enough.month % 12 + 1, 1)


def year_due(year: int) -> date:
    """The first 1 January on which all its months are due: December is in February or March of the next year."""
    december = month_due(Month(year, 12))
    return date(december.year + ((december.month, december.day) != (1, 1)), 1, 1)


def archive_of(live: str) -> str:
    """Where the original of a live file is kept: one place for a day, however its file is spelled."""
    day = _in(live, "daily", layout.day_of)
    return layout.archived_path(layout.day_path(day) if day else live)


def joined_days(files: Iterable[str], week: Week) -> dict[date, str]:
    """The days of a week whose only file is the one in the archive."""
    paths = set(files)
    live = {day for path in paths if layout.stage_of(path) == "daily" and (day := layout.day_of(path))}
    days = [week.first + timedelta(days=number) for number in range(7)]
    archived = {day: layout.archived_path(layout.day_path(day)) for day in days}
    return {day: path for day, path in archived.items() if path in paths and day not in live}


def _days(files: Mapping[str, File], today: date) -> dict[str, date]:
    """The live files of days that may be touched, but for those of the future."""
    return {path: day for path, day in _open(files, "daily", layout.day_of).items() if day <= today}


def _is_stale(file: File, day: date, today: date) -> bool:
    """Trimming scores it as of the day after; from then on it is scored with every run."""
    return day + TRIM_AFTER < today and (file.scored is None or file.scored < today)


def _joins(files: Mapping[str, File], today: date) -> list[Join]:
    """The days of one week that are due join together, on the last one's day: its summary is made only once."""
    weeks: dict[Week, list[str]] = defaultdict(list)
    for path, day in _days(files, today).items():
        if day + JOIN_AFTER <= today and not _is_closed(files, layout.week_path(Week.of(day))):
            weeks[Week.of(day)].append(path)
    return [_join(files, week, paths, today) for week, paths in weeks.items()]


def _join(
    files: Mapping[str, File], week: Week, paths: Sequence[str], today: date, passed: Passed | None = None
) -> Join:
    """Due when the last day of the week that is in the summary fell due, also if one that was left out joins later."""
    days = [day for path in paths if (day := layout.day_of(path))]
    last = max([*days, *joined_days(files, week)])
    return Join(min(last + JOIN_AFTER, today), week, tuple(sorted(paths)), passed)


def _months(files: Mapping[str, File], joins: Sequence[Join], today: date) -> list[MakeMonth]:
    held = {week for path, file in files.items() if file.is_closed and (week := _in(path, "weekly", layout.week_of))}
    weeks = set(_open(files, "weekly", layout.week_of).values()) | {join.week for join in joins} - held
    months: dict[Month, list[Week]] = defaultdict(list)
    for week in sorted(weeks):
        if week.first <= today and not _is_closed(files, layout.month_path(week.month)):
            months[week.month].append(week)
    return [MakeMonth(month_due(month), month, tuple(of)) for month, of in months.items() if month_due(month) <= today]


def _years(files: Mapping[str, File], joins: Sequence[Join], made: Sequence[MakeMonth], today: date) -> list[MakeYear]:
    """Years of which some day or week is still on its way to its month are left alone."""
    months = set(_open(files, "monthly", layout.month_of).values()) | {step.month for step in made}
    leaving = {path for join in joins for path in join.paths}
    leaving |= {layout.week_path(week) for step in made for week in step.weeks}
    waiting = {
        week.month.year
        for path in files
        if path not in leaving and (week := _week_of_live(path)) and week.first <= today
    }
    waiting |= {year for path, file in files.items() if file.is_closed and (year := _year_of_closed(path))}
    years: dict[int, list[Month]] = defaultdict(list)
    for month in sorted(months):
        if month.year < today.year - 1 and month.year not in waiting and year_due(month.year) <= today:
            years[month.year].append(month)
    return [MakeYear(year_due(year), year, tuple(of)) for year, of in years.items()]


def _week_of_live(path: str) -> Week | None:
    day = _in(path, "daily", layout.day_of)
    return Week.of(day) if day else _in(path, "weekly", layout.week_of)


def _year_of_closed(path: str) -> int | None:
    month = _in(path, "monthly", layout.month_of)
    return month.year if month else _in(path, "yearly", layout.year_of)


def _compressions(
    files: Mapping[str, File],
    joins: Sequence[Join],
    months: Sequence[MakeMonth],
    years: Sequence[MakeYear],
    today: date,
) -> list[Compress]:
    """Archived files older than 90 days by the time that they are about, also those that this plan archives."""
    arrive: dict[str, date] = {
        path: date.min for path, file in files.items() if path.startswith(f"{layout.ARCHIVE}/") and not file.gzipped
    }
    leaving: set[str] = set()
    for live, due in _leaving(joins, months, years):
        leaving.add(live)
        archived = archive_of(live)
        if not (archived in files and files[archived].gzipped):
            arrive[archived] = max(due, arrive.get(archived, due))
    living = {archive_of(path) for path in files if path not in leaving and layout.stage_of(path) in layout.STAGES}
    found = []
    for path, since in arrive.items():
        end = _end_of(path)
        if end and end < today and path not in living and not _is_closed(files, path):
            due = max(since, end + COMPRESS_AFTER)
            found += [Compress(due, path)] if due <= today else []
    return found


def _leaving(
    joins: Sequence[Join], months: Sequence[MakeMonth], years: Sequence[MakeYear]
) -> Iterable[tuple[str, date]]:
    """The live files that these steps archive, and when."""
    yield from ((path, join.due) for join in joins for path in join.paths)
    yield from ((layout.week_path(week), step.due) for step in months for week in step.weeks)
    yield from ((layout.month_path(month), step.due) for step in years for month in step.months)


def _early(files: Mapping[str, File], today: date, limits: Limits) -> list[Join]:
    """Oldest days first, until no limit is passed."""
    days = [(day, path) for path, day in _days(files, today).items() if day + EARLIEST_BY_SIZE <= today]
    daily = sum(file.size for path, file in files.items() if layout.stage_of(path) == "daily")
    total = sum(file.size for file in files.values())
    weeks: dict[Week, list[str]] = defaultdict(list)
    reasons: dict[Week, Passed] = {}
    for day, path in sorted(days):
        size = files[path].size
        passed = (
            Passed("daily", daily, limits.daily)
            if daily > limits.daily
            else Passed("all", total, limits.total)
            if total > limits.total
            else Passed(path, size, limits.file)
            if size > limits.file
            else None
        )
        if passed and not _is_closed(files, layout.week_path(Week.of(day))):
            weeks[Week.of(day)].append(path)
            reasons.setdefault(Week.of(day), passed)
            daily, total = daily - size, total - size
    return [_join(files, week, paths, today, reasons[week]) for week, paths in weeks.items()]


def _early_compressions(files: Mapping[str, File], today: date, limit: int) -> list[Compress]:
    """Days of the archive, oldest first, while those that are not compressed together pass the limit. Only days: what
    was compressed when, and so which files there are, must not depend on when the small summaries came in."""
    live = {day for path in files if (day := _in(path, "daily", layout.day_of))}
    plain = sorted(
        (day, path)
        for path, file in files.items()
        if not file.gzipped
        and not file.is_closed
        and (day := _in(path, "archive/daily", layout.day_of))
        and day not in live
        and day <= today
    )
    together = sum(files[path].size for _, path in plain)
    found = []
    for _, path in plain:
        if together <= limit:
            break
        found.append(Compress(today, path))
        together -= files[path].size
    return found


def _end_of(path: str) -> date | None:
    """The last day that an archived file is about."""
    if day := _in(path, "archive/daily", layout.day_of):
        return day
    if week := _in(path, "archive/weekly", layout.week_of):
        return week.first + timedelta(days=6) if week.year < date.max.year else None
    if month := _in(path, "archive/monthly", layout.month_of):
        after = date(month.year + month.number // 12, month.number % 12 + 1, 1) if month.year < date.max.year else None
        return after - timedelta(days=1) if after else None
    return None


def _is_closed(files: Mapping[str, File], path: str) -> bool:
    return path in files and files[path].is_closed


def _in(path: str, stage: str, read: Callable[[str], T | None]) -> T | None:
    """What a file is about, if it stands in this folder."""
    return read(path) if layout.stage_of(path) == stage else None


def _open(files: Mapping[str, File], stage: str, read: Callable[[str], T | None]) -> dict[str, T]:
    """The files of a folder that may be touched, and what each is about."""
    return {
        path: about
        for path, file in files.items()
        if not file.is_closed and (about := _in(path, stage, read)) is not None
    }
