"""Which files tell of a time, from the day itself to what is left of it."""

from datetime import date

import pytest

from waypost.journal.coverage import Shelf, last_day_of


def between(paths: str, first: str, last: str) -> list[str]:
    return Shelf(frozenset(f"{path}.md" for path in paths.split())).between(
        date.fromisoformat(first), date.fromisoformat(last)
    )


def test_a_day_is_told_by_its_own_file_before_its_original_and_its_summaries() -> None:
    stages = [
        "daily/2026-01-15",
        "archive/daily/2026-01-15",
        "weekly/2026-W03",
        "monthly/2026-01",
        "yearly/2026",
    ]
    for place in range(len(stages)):
        assert between(" ".join(stages[place:]), "2026-01-15", "2026-01-15") == [f"{stages[place]}.md"]


def test_a_day_of_which_nothing_is_left_has_no_file() -> None:
    assert between("daily/2026-01-14 weekly/2026-W05", "2026-01-15", "2026-01-15") == []


def test_the_older_spelling_of_a_day_is_found() -> None:
    assert between("daily/20260115", "2026-01-15", "2026-01-15") == ["daily/20260115.md"]


def test_a_week_is_its_summary_else_its_days() -> None:
    assert between("weekly/2026-W03 archive/daily/2026-01-15", "2026-01-12", "2026-01-18") == ["weekly/2026-W03.md"]
    assert between("daily/2026-01-13 daily/2026-01-15 daily/2026-01-19", "2026-01-12", "2026-01-18") == [
        "daily/2026-01-13.md",
        "daily/2026-01-15.md",
    ]


def test_a_month_is_its_summary_else_its_weeks_and_days() -> None:
    assert between("monthly/2026-01 weekly/2026-W03", "2026-01-01", "2026-01-31") == ["monthly/2026-01.md"]
    assert between("weekly/2026-W01 weekly/2026-W03 daily/2026-01-28", "2026-01-01", "2026-01-31") == [
        "weekly/2026-W01.md",
        "weekly/2026-W03.md",
        "daily/2026-01-28.md",
    ]


def test_a_year_is_its_summary_else_its_months() -> None:
    assert between("yearly/2025 monthly/2025-05", "2025-01-01", "2025-12-31") == ["yearly/2025.md"]
    assert between("monthly/2025-05 weekly/2025-W30", "2025-01-01", "2025-12-31") == [
        "monthly/2025-05.md",
        "weekly/2025-W30.md",
    ]


def test_a_quarter_is_its_months() -> None:
    assert between("monthly/2025-10 monthly/2025-11 yearly/2025", "2025-10-01", "2025-12-31") == [
        "monthly/2025-10.md",
        "monthly/2025-11.md",
        "yearly/2025.md",
    ]


def test_many_years_are_looked_through_in_no_time() -> None:
    paths = " ".join(f"yearly/{year}" for year in (1999, 2010))
    assert between(paths, "0001-01-01", "9998-12-31") == ["yearly/1999.md", "yearly/2010.md"]


@pytest.mark.parametrize(
    ("path", "day"),
    [
        ("daily/2026-01-15.md", "2026-01-15"),
        ("archive/weekly/2026-W03.md", "2026-01-18"),
        ("monthly/2026-02.md", "2026-02-28"),
        ("yearly/2026.md", "2026-12-31"),
    ],
)
def test_a_file_is_as_new_as_its_last_day(path: str, day: str) -> None:
    assert last_day_of(path) == date.fromisoformat(day)
    assert last_day_of("MEMORY.md") is None
