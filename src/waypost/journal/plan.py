"""What becomes of the journal's files today: from their names and sizes to steps in the order in which they fell due.

Nothing here reads or writes a file. What a step does not find any more it has done already, so the same function says
what is left after a run that was stopped, or that was missed for weeks: each step carries the day on which it fell due,
and is done as it would have been done then. A run on each day and one late run give the same files.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta

from waypost.journal import layout
from waypost.journal.layout import Month, Week
from waypost.journal.plan_files import (
    Compress,
    File,
    Join,
    MakeMonth,
    MakeYear,
    Passed,
    Rescore,
    SizeLimits,
    Step,
    Trim,
    archive_of,
    end_of,
    in_stage,
    is_closed_at,
    joined_days,
    open_in,
)

TRIM_AFTER, JOIN_AFTER, MONTH_AFTER, COMPRESS_AFTER = (timedelta(days=days) for days in (1, 7, 30, 90))
EARLIEST_BY_SIZE = timedelta(days=2)  # today's and yesterday's file stay, however large
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


def due_by_size(files: Mapping[str, File], today: date, limits: SizeLimits) -> tuple[Step, ...]:
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


def _days(files: Mapping[str, File], today: date) -> dict[str, date]:
    """The live files of days that may be touched, but for those of the future."""
    return {path: day for path, day in open_in(files, "daily", layout.day_of).items() if day <= today}


def _is_stale(file: File, day: date, today: date) -> bool:
    """Trimming scores it as of the day after; from then on it is scored with every run."""
    return day + TRIM_AFTER < today and (file.scored is None or file.scored < today)


def _joins(files: Mapping[str, File], today: date) -> list[Join]:
    """The days of one week that are due join together, on the last one's day: its summary is made only once."""
    weeks: dict[Week, list[str]] = defaultdict(list)
    for path, day in _days(files, today).items():
        if day + JOIN_AFTER <= today and not is_closed_at(files, layout.week_path(Week.of(day))):
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
    held = {
        week for path, file in files.items() if file.is_closed and (week := in_stage(path, "weekly", layout.week_of))
    }
    weeks = set(open_in(files, "weekly", layout.week_of).values()) | {join.week for join in joins} - held
    months: dict[Month, list[Week]] = defaultdict(list)
    for week in sorted(weeks):
        if week.first <= today and not is_closed_at(files, layout.month_path(week.month)):
            months[week.month].append(week)
    return [MakeMonth(month_due(month), month, tuple(of)) for month, of in months.items() if month_due(month) <= today]


def _years(files: Mapping[str, File], joins: Sequence[Join], made: Sequence[MakeMonth], today: date) -> list[MakeYear]:
    """Years of which some day or week is still on its way to its month are left alone."""
    months = set(open_in(files, "monthly", layout.month_of).values()) | {step.month for step in made}
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
    day = in_stage(path, "daily", layout.day_of)
    return Week.of(day) if day else in_stage(path, "weekly", layout.week_of)


def _year_of_closed(path: str) -> int | None:
    month = in_stage(path, "monthly", layout.month_of)
    return month.year if month else in_stage(path, "yearly", layout.year_of)


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
        end = end_of(path)
        if end and end < today and path not in living and not is_closed_at(files, path):
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


def _early(files: Mapping[str, File], today: date, limits: SizeLimits) -> list[Join]:
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
        if passed and not is_closed_at(files, layout.week_path(Week.of(day))):
            weeks[Week.of(day)].append(path)
            reasons.setdefault(Week.of(day), passed)
            daily, total = daily - size, total - size
    return [_join(files, week, paths, today, reasons[week]) for week, paths in weeks.items()]


def _early_compressions(files: Mapping[str, File], today: date, limit: int) -> list[Compress]:
    """Days of the archive, oldest first, while those that are not compressed together pass the limit. Only days: what
    was compressed when, and so which files there are, must not depend on when the small summaries came in."""
    live = {day for path in files if (day := in_stage(path, "daily", layout.day_of))}
    plain = sorted(
        (day, path)
        for path, file in files.items()
        if not file.gzipped
        and not file.is_closed
        and (day := in_stage(path, "archive/daily", layout.day_of))
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
