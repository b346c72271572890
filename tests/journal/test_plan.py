"""Condensing steps by time and by size. Daily runs and one late run give the same files."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from waypost.journal.layout import Month, Week, day_path, month_path, stage_of, week_path, year_path
from waypost.journal.plan import due_by_size, due_by_time, month_due, year_due
from waypost.journal.plan_steps import (
    Compress,
    File,
    Join,
    MakeMonth,
    MakeYear,
    Rescore,
    SizeLimits,
    Step,
    Trim,
    archive_of,
)

DAY = timedelta(days=1)
LIMITS = SizeLimits()


def days(*names: str, size: int = 1000) -> dict[str, File]:
    return {f"daily/{name}.md": File(size) for name in names}


def step_of(kind: type, steps: Iterable[Step]) -> list[Step]:
    return [step for step in steps if isinstance(step, kind)]


def applied(files: dict[str, File], step: Step) -> dict[str, File]:
    """The files after a step, as a plan sees them."""
    after = dict(files)
    if isinstance(step, Trim):
        after[step.path] = replace(after[step.path], scored=step.due)
        after.setdefault(archive_of(step.path), File(after[step.path].size))
    elif isinstance(step, Rescore):
        after |= {path: replace(after[path], scored=step.due) for path in step.paths}
    elif isinstance(step, Compress):
        after |= {path: replace(after[path], gzipped=True) for path in step.paths}
    else:
        made, leave = _made(step)
        for path in leave:
            after.setdefault(archive_of(path), File(after[path].size))
            del after[path]
        after[made] = File(100)
    return after


def _made(step: Join | MakeMonth | MakeYear) -> tuple[str, list[str]]:
    if isinstance(step, Join):
        return week_path(step.week), list(step.paths)
    if isinstance(step, MakeMonth):
        return month_path(step.month), [week_path(week) for week in step.weeks]
    return year_path(step.year), [month_path(month) for month in step.months]


def run(files: dict[str, File], today: date, limits: SizeLimits = LIMITS) -> tuple[dict[str, File], list[Step]]:
    done: list[Step] = []
    while steps := due_by_time(files, today) or due_by_size(files, today, limits):
        for step in steps:
            files = applied(files, step)
            done.append(step)
        assert len(done) < 20_000
    return files, done


# -- by time


def test_a_day_is_trimmed_on_the_next_one_and_joins_its_week_when_it_is_seven_days_old() -> None:
    files = days("2026-01-30")
    assert due_by_time(files, date(2026, 1, 30)) == ()
    assert due_by_time(files, date(2026, 1, 31)) == (Trim(date(2026, 1, 31), date(2026, 1, 30), "daily/2026-01-30.md"),)
    files = {"daily/2026-01-30.md": File(1000, scored=date(2026, 2, 5))}
    assert due_by_time(files, date(2026, 2, 5)) == ()
    assert due_by_time(files, date(2026, 2, 6)) == (Join(date(2026, 2, 6), Week(2026, 5), ("daily/2026-01-30.md",)),)


def test_what_comes_up_again_is_scored_with_every_run() -> None:
    files = {"daily/2026-01-30.md": File(1000, scored=date(2026, 1, 31))}
    assert due_by_time(files, date(2026, 2, 1)) == (Rescore(date(2026, 2, 1), ("daily/2026-01-30.md",)),)


def test_the_summary_of_a_week_is_made_again_as_days_join_it_and_is_due_with_the_last_of_them() -> None:
    files = {**days("2026-01-28"), "archive/daily/2026-01-26.md": File(1), "archive/daily/2026-01-30.md": File(1)}
    (join,) = step_of(Join, due_by_time(files, date(2026, 2, 10)))
    assert join == Join(date(2026, 2, 6), Week(2026, 5), ("daily/2026-01-28.md",))


def test_a_month_is_made_on_the_first_1st_on_which_its_weeks_are_thirty_days_old() -> None:
    assert month_due(Month(2026, 1)) == date(2026, 4, 1)  # the week of 29 January ends on 1 February
    assert month_due(Month(2026, 2)) == date(2026, 4, 1)  # ends on 1 March, and is 30 days old on 31 March
    assert month_due(Month(2026, 12)) == date(2027, 3, 1)
    files = {"weekly/2026-W05.md": File(1), "weekly/2026-W06.md": File(1)}
    assert due_by_time(files, date(2026, 3, 31)) == ()
    assert [step.month for step in due_by_time(files, date(2026, 4, 1)) if isinstance(step, MakeMonth)] == [
        Month(2026, 1),
        Month(2026, 2),
    ]


def test_a_week_belongs_to_the_month_of_its_thursday() -> None:
    step, packed = due_by_time({"weekly/2026-W01.md": File(1)}, date(2026, 4, 1))  # 29 December to 4 January
    assert packed == Compress(date(2026, 4, 1), ("archive/weekly/2026-W01.md",))
    assert step == MakeMonth(date(2026, 4, 1), Month(2026, 1), (Week(2026, 1),))


def test_a_year_is_made_on_the_first_january_with_all_its_months_made() -> None:
    assert {year_due(year) - date(year, 1, 1) for year in range(1990, 2060)} <= {
        timedelta(days=730),
        timedelta(days=731),
    }
    files = {f"monthly/2024-{number:02}.md": File(1) for number in range(3, 13)}
    assert due_by_time(files, date(2025, 12, 31)) == ()
    (made, *compressed) = due_by_time(files, date(2026, 1, 1))
    assert made == MakeYear(date(2026, 1, 1), 2024, tuple(Month(2024, number) for number in range(3, 13)))
    assert all(isinstance(step, Compress) and step.paths[0].startswith("archive/monthly/2024-") for step in compressed)


def test_a_year_of_which_a_week_is_still_on_its_way_is_left_alone() -> None:
    files = {"monthly/2024-03.md": File(1), "weekly/2024-W20.md": File(1, is_closed=True)}
    assert due_by_time(files, date(2026, 5, 1)) == ()


def test_archived_files_are_compressed_after_ninety_days_of_what_they_are_about() -> None:
    files = {"archive/daily/2026-01-01.md": File(1), "archive/weekly/2026-W01.md": File(1)}
    assert due_by_time(files, date(2026, 3, 31)) == ()
    whole = ("archive/daily/2026-01-01.md", "archive/weekly/2026-W01.md")
    assert due_by_time(files, date(2026, 4, 1)) == (Compress(date(2026, 4, 1), whole),)


def test_an_archived_summary_is_compressed_once_the_longer_one_is_due() -> None:
    files = {"archive/weekly/2026-W01.md": File(1), "archive/monthly/2025-12.md": File(1)}
    month = Compress(date(2027, 1, 1), ("archive/monthly/2025-12.md",))
    assert due_by_time(files, date(2026, 12, 31)) == (Compress(date(2026, 4, 1), ("archive/weekly/2026-W01.md",)),)
    assert month in due_by_time(files, date(2027, 1, 1))


def test_the_copy_of_a_day_that_is_still_there_is_not_compressed() -> None:
    files = {"archive/daily/2026-01-01.md": File(1), "daily/20260101.md": File(1, is_closed=True)}
    assert due_by_time(files, date(2026, 6, 1)) == ()


def test_names_that_are_no_date_files_of_the_future_and_what_is_closed_are_left_alone() -> None:
    files = {
        "daily/notes.md": File(1),
        "daily/2026-02-30.md": File(1),
        "daily/2027-01-01.md": File(1),
        "daily/9999-12-31.md": File(1),
        "weekly/9999-W52.md": File(1),
        "monthly/9999-12.md": File(1),
        "archive/monthly/9999-12.md": File(1),
        "archive/weekly/9999-W52.md": File(1),
        "yearly/0000.md": File(1),
        "daily/2026-01-01.md": File(1, is_closed=True),
        "MEMORY.md": File(10**9),
        "archive/media/picture.md": File(1),
    }
    assert due_by_time(files, date(2026, 6, 1)) == ()


def test_a_day_whose_week_is_held_waits() -> None:
    files = {"daily/2026-01-30.md": File(1, scored=date(2026, 6, 1)), "weekly/2026-W05.md": File(1, is_closed=True)}
    assert due_by_time(files, date(2026, 6, 1)) == ()


@pytest.mark.slow
def test_after_missed_days_everything_comes_in_the_order_in_which_it_fell_due() -> None:
    start = date(2024, 1, 1)
    files = {day_path(start + DAY * number): File(1000) for number in range(800)}
    _, done = run(files, date(2026, 3, 20))
    dues = [step.due for step in done]
    assert dues == sorted(dues)
    assert Counter(type(step).__name__ for step in done)["MakeYear"] == 1


# -- by size


def test_a_file_that_is_too_large_joins_its_week_early_but_never_todays_or_yesterdays() -> None:
    today = date(2026, 1, 30)
    for name, early in (("2026-01-30", 0), ("2026-01-29", 0), ("2026-01-28", 1)):
        files = {f"daily/{name}.md": File(6 * 1024 * 1024, scored=today)}
        steps = due_by_size(files, today, LIMITS)
        assert len(steps) == early
        for step in steps:
            assert isinstance(step, Join)
            assert step.due == today
            assert step.passed
            assert step.passed.folder == f"daily/{name}.md"


def test_days_join_early_oldest_first_until_the_folder_is_small_enough() -> None:
    today = date(2026, 1, 31)
    files = {day_path(today - DAY * back): File(4 * 1024 * 1024, scored=today) for back in range(7)}
    joins = due_by_size(files, today, LIMITS)
    assert [step.paths for step in joins if isinstance(step, Join)] == [
        ("daily/2026-01-25.md",),
        ("daily/2026-01-26.md",),
    ]
    joins = due_by_size(files, today, replace(LIMITS, daily=9 * 1024 * 1024))
    assert [path for join in joins if isinstance(join, Join) for path in join.paths] == [
        f"daily/2026-01-{number}.md" for number in range(25, 30)
    ]


def test_all_together_is_too_large() -> None:
    today = date(2026, 1, 31)
    files = {day_path(today - DAY * 3): File(1000, scored=today), "archive/daily/2026-01-01.md": File(10**9, True)}
    (join,) = due_by_size(files, today, LIMITS)
    assert isinstance(join, Join)
    assert join.passed
    assert join.passed.folder == "all"


def test_days_of_the_archive_are_compressed_early_while_they_pass_their_limit() -> None:
    files = {f"archive/daily/2026-01-{number:02}.md": File(12_800) for number in range(1, 9)}
    files["daily/2026-01-01.md"] = File(1)
    steps = due_by_size(files, date(2026, 1, 31), LIMITS)
    assert [path for step in steps if isinstance(step, Compress) for path in step.paths] == [
        "archive/daily/2026-01-01.md",  # its day is still there
        "archive/daily/2026-01-02.md",
        "archive/daily/2026-01-03.md",
    ]


# -- daily or late

START = date(2024, 11, 1)
written = st.dictionaries(st.integers(0, 500), st.integers(1, 60_000), min_size=1, max_size=60)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(written, st.integers(0, 500), st.sets(st.integers(0, 700), max_size=40))
def test_running_every_day_and_running_late_give_the_same_files(
    sizes: dict[int, int], last: int, runs: set[int]
) -> None:
    end = START + DAY * (max(sizes) + last)

    def simulate(days_of_runs: set[date]) -> dict[str, File]:
        files: dict[str, File] = {}
        today = START
        while today <= end:
            number = (today - START).days
            if today in days_of_runs or today == end:
                files, done = run(files, today)
                assert len(set(done)) == len(done)
            if number in sizes:
                files[day_path(today)] = File(sizes[number])
            today += DAY
        return files

    every = simulate({START + DAY * number for number in range((end - START).days + 1)})
    assert every == simulate({START + DAY * number for number in runs})
    assert every == simulate(set())


@settings(max_examples=40, deadline=None)
@given(written, st.integers(0, 40))
def test_nothing_of_the_last_seven_days_leaves_its_file_and_every_step_is_due_once(
    sizes: dict[int, int], more: int
) -> None:
    today = START + DAY * (max(sizes) + more)
    files = {day_path(START + DAY * number): File(size) for number, size in sizes.items()}
    after, done = run(files, today)
    recent = {path for path in files if date.fromisoformat(path[6:16]) > today - DAY * 7}
    assert recent <= set(after)
    assert all(path in recent for path in after if stage_of(path) == "daily")
    assert len(set(done)) == len(done)
    assert run(after, today)[1] == []
    assert all(archive_of(path) in after for path in files if path not in recent)


def test_scores_of_a_later_day_come_from_a_wrong_clock_and_are_made_again() -> None:
    files = {"daily/2026-01-30.md": File(1000, scored=date(2030, 6, 1))}
    assert due_by_time(files, date(2026, 2, 2)) == (Rescore(date(2026, 2, 2), ("daily/2026-01-30.md",)),)
