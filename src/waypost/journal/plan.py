"""The condensing steps that are due, from the names and sizes of the journal's files.

Nothing here reads or writes a file. A step whose work is done finds nothing to do. So the same function works after an
interrupted run, or after weeks without one: each step has its due day and is done as it would have been then. Daily
runs and one late run give the same files.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import date, timedelta

from waypost.journal import layout
from waypost.journal.layout import Month, Week
from waypost.journal.plan_steps import (
    Compress,
    ExceededLimit,
    File,
    Files,
    Join,
    MakeMonth,
    MakeYear,
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
EARLIEST_BY_SIZE = timedelta(days=2)  # today's and yesterday's files stay at any size
_ORDER: dict[type, int] = {Trim: 0, Join: 1, MakeMonth: 2, MakeYear: 3, Compress: 4, Rescore: 5}


def due_by_time(files: Files, today: date) -> tuple[Step, ...]:
    """All steps due until today, in due order."""
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


def due_by_change(files: Files, days: Iterable[date]) -> tuple[Step, ...]:
    """The pages to make again because archived entries of these days have changed. Their sources stay in the archive."""
    steps: dict[str, Step] = {}
    for day in days:
        week, month = Week.of(day), Month.of(day)
        if joined := joined_days(files, week):
            steps[layout.week_path(week)] = Join(max(joined) + JOIN_AFTER, week, ())
        steps[layout.month_path(month)] = MakeMonth(month_due(month), month, ())
        steps[layout.year_path(day.year)] = MakeYear(year_due(day.year), day.year, ())
    return tuple(step for path, step in sorted(steps.items()) if path in files and not files[path].is_closed)


def due_by_size(files: Files, today: date, limits: SizeLimits) -> tuple[Step, ...]:
    """Steps that sizes require once all steps by time are done: early weeks, and days compressed early."""
    return (*_early_joins(files, today, limits), *_early_compressions(files, today, limits.plain_archive))


def month_due(month: Month) -> date:
    """The first 1st of a month on which its weeks are 30 days old, counted from their Sundays."""
    old_enough = month.weeks[-1].last + MONTH_AFTER
    if old_enough.day == 1:
        return old_enough
    return date(old_enough.year + old_enough.month // 12, old_enough.month % 12 + 1, 1)


def year_due(year: int) -> date:
    """The first 1 January on which all its months are due. December is due in February or March."""
    december = month_due(Month(year, 12))
    return date(december.year + ((december.month, december.day) != (1, 1)), 1, 1)


def _days(files: Files, today: date) -> dict[str, date]:
    return {path: day for path, day in open_in(files, "daily", layout.day_of).items() if day <= today}


def _is_stale(file: File, day: date, today: date) -> bool:
    """Whether the file needs new scores. Trimming scores it for the day after; from then on every run does.

    A score of a later day comes from a wrong clock.
    """
    return day + TRIM_AFTER < today and file.scored != today


def _joins(files: Files, today: date) -> list[Join]:
    """Due days of one week join together, on the due day of the last: its summary is made only once."""
    weeks: dict[Week, list[str]] = defaultdict(list)
    for path, day in _days(files, today).items():
        if day + JOIN_AFTER <= today and not is_closed_at(files, layout.week_path(Week.of(day))):
            weeks[Week.of(day)].append(path)
    return [_join(files, week, paths, today) for week, paths in weeks.items()]


def _join(files: Files, week: Week, paths: Sequence[str], today: date, exceeded: ExceededLimit | None = None) -> Join:
    """The step is due when the week's last summarised day was, even if an omitted day joins later."""
    days = [day for path in paths if (day := layout.day_of(path))]
    last = max([*days, *joined_days(files, week)])
    return Join(min(last + JOIN_AFTER, today), week, tuple(sorted(paths)), exceeded)


def _months(files: Files, joins: Sequence[Join], today: date) -> list[MakeMonth]:
    closed_paths = [path for path, file in files.items() if file.is_closed]
    closed = {week for path in closed_paths if (week := in_stage(path, "weekly", layout.week_of))}
    weeks = set(open_in(files, "weekly", layout.week_of).values()) | {join.week for join in joins} - closed
    months: dict[Month, list[Week]] = defaultdict(list)
    for week in sorted(weeks):
        if week.first <= today and not is_closed_at(files, layout.month_path(week.month)):
            months[week.month].append(week)
    steps = [MakeMonth(month_due(month), month, tuple(weeks_of_month)) for month, weeks_of_month in months.items()]
    steps += [MakeMonth(month_due(month), month, (), days) for month, days in _months_without_weeks(files, joins)]
    return [step for step in steps if step.due <= today]


def _months_without_weeks(files: Files, joins: Sequence[Join]) -> list[tuple[Month, tuple[str, ...]]]:
    """Months without a page whose only days are in weeks of the month before or after."""
    days: dict[Month, set[str]] = defaultdict(set)
    joining = [archive_of(path) for join in joins for path in join.paths]
    for path in (*open_in(files, "archive/daily", layout.day_of), *joining):
        day = layout.day_of(path)
        if day is not None and Week.of(day).month != Month.of(day):
            days[Month.of(day)].add(path)
    with_weeks = {join.week.month for join in joins}
    with_weeks |= {week.month for path in files if days and (week := layout.week_of(path))}
    made = {month for path in files if days and (month := layout.month_of(path))}
    missing = sorted(month for month in days if month not in with_weeks and month not in made)
    return [(month, tuple(sorted(days[month]))) for month in missing]


def _years(files: Files, joins: Sequence[Join], new_months: Sequence[MakeMonth], today: date) -> list[MakeYear]:
    """Years are skipped while a day or week has not reached its month yet."""
    months = set(open_in(files, "monthly", layout.month_of).values()) | {step.month for step in new_months}
    leaving_paths = {path for join in joins for path in join.paths}
    leaving_paths |= {layout.week_path(week) for step in new_months for week in step.weeks}
    weeks = [week for path in files if path not in leaving_paths and (week := _week_of_live(path))]
    unfinished = {day.year for week in weeks if week.first <= today for day in (week.first, week.last)}
    unfinished |= {year for path, file in files.items() if file.is_closed and (year := _year_of_closed(path))}
    years: dict[int, list[Month]] = defaultdict(list)
    for month in sorted(months):
        if month.year < today.year - 1 and month.year not in unfinished and year_due(month.year) <= today:
            years[month.year].append(month)
    return [MakeYear(year_due(year), year, tuple(months_of_year)) for year, months_of_year in years.items()]


def _week_of_live(path: str) -> Week | None:
    day = in_stage(path, "daily", layout.day_of)
    return Week.of(day) if day else in_stage(path, "weekly", layout.week_of)


def _year_of_closed(path: str) -> int | None:
    month = in_stage(path, "monthly", layout.month_of)
    return month.year if month else in_stage(path, "yearly", layout.year_of)


def _compressions(
    files: Files,
    joins: Sequence[Join],
    months: Sequence[MakeMonth],
    years: Sequence[MakeYear],
    today: date,
) -> list[Compress]:
    """Compress archived days after 90 days, and summaries when they are archived; also those that this plan archives."""
    archived = [path for path in files if path.startswith(f"{layout.ARCHIVE}/")]
    arrivals = {path: date.min for path in archived if not files[path].gzipped}
    leaving_paths: set[str] = set()
    for live, due in _archived_files(joins, months, years):
        leaving_paths.add(live)
        archive_path = archive_of(live)
        if not (archive_path in files and files[archive_path].gzipped):
            arrivals[archive_path] = max(due, arrivals.get(archive_path, due))
    staying = [path for path in files if path not in leaving_paths and layout.stage_of(path) in layout.STAGES]
    live_archives = {archive_of(path) for path in staying}
    steps: list[tuple[date, str]] = []
    for path, since in arrivals.items():
        end = end_of(path)
        if end and end < today and path not in live_archives and not is_closed_at(files, path):
            due = max(since, _archived_since(path) or end + COMPRESS_AFTER)
            steps += [(due, path)] if due <= today else []
    return _by_bundle(steps)


def _archived_since(path: str) -> date | None:
    """When a summary is archived: its entries are in the summary of the longer time by then."""
    if week := in_stage(path, "archive/weekly", layout.week_of):
        return month_due(week.month)
    month = in_stage(path, "archive/monthly", layout.month_of)
    return year_due(month.year) if month else None


def _by_bundle(compressions: Iterable[tuple[date, str]]) -> list[Compress]:
    """One step for each bundle, since a bundle is written whole."""
    bundles: dict[str | None, list[tuple[date, str]]] = defaultdict(list)
    for due, path in sorted(compressions):
        bundles[layout.bundle_of(path)].append((due, path))
    return [Compress(rows[-1][0], tuple(path for _, path in rows)) for rows in bundles.values()]


def _archived_files(
    joins: Sequence[Join], months: Sequence[MakeMonth], years: Sequence[MakeYear]
) -> Iterable[tuple[str, date]]:
    yield from ((path, join.due) for join in joins for path in join.paths)
    yield from ((layout.week_path(week), step.due) for step in months for week in step.weeks)
    yield from ((layout.month_path(month), step.due) for step in years for month in step.months)


def _early_joins(files: Files, today: date, limits: SizeLimits) -> list[Join]:
    days = [(day, path) for path, day in _days(files, today).items() if day + EARLIEST_BY_SIZE <= today]
    daily = sum(file.size for path, file in files.items() if layout.stage_of(path) == "daily")
    total = sum(file.size for file in files.values())
    weeks: dict[Week, list[str]] = defaultdict(list)
    reasons: dict[Week, ExceededLimit] = {}
    for day, path in sorted(days):
        size = files[path].size
        checked = (("daily", daily, limits.daily), ("all", total, limits.total), (path, size, limits.file))
        exceeded = next((ExceededLimit(*row) for row in checked if row[1] > row[2]), None)
        if exceeded and not is_closed_at(files, layout.week_path(Week.of(day))):
            weeks[Week.of(day)].append(path)
            reasons.setdefault(Week.of(day), exceeded)
            daily, total = daily - size, total - size
    return [_join(files, week, paths, today, reasons[week]) for week, paths in weeks.items()]


def _early_compressions(files: Files, today: date, limit: int) -> list[Compress]:
    """Compress the oldest archived days while the uncompressed ones exceed the limit: also copies of days still there.

    Summaries are left out: which files exist must not depend on when the small summaries were archived.
    """
    days = open_in(files, "archive/daily", layout.day_of)
    plain = sorted((day, path) for path, day in days.items() if day <= today)
    plain = [(day, path) for day, path in plain if not files[path].gzipped]
    total = sum(files[path].size for _, path in plain)
    steps: list[tuple[date, str]] = []
    for _, path in plain:
        if total <= limit:
            break
        steps.append((today, path))
        total -= files[path].size
    return _by_bundle(steps)
