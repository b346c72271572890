"""How much was said on each day, for a calendar."""

from datetime import UTC, date, datetime

from tests.conftest import TestClock

from waypost import Memory


def test_every_day_with_entries_is_counted_in_order(memory: Memory) -> None:
    for day, times in ((5, 2), (3, 1)):
        for hour in range(times):
            memory.journal.add(f"Said at {hour}.", time=datetime(2026, 1, day, 10 + hour, tzinfo=UTC))
    assert [(one.day, one.entries, one.stage) for one in memory.journal.calendar()] == [
        (date(2026, 1, 3), 1, "daily"), (date(2026, 1, 5), 2, "daily"),
    ]  # fmt: skip


def test_a_day_that_went_to_the_archive_says_so(memory: Memory, clock: TestClock) -> None:
    memory.journal.add("The old words.", time=clock.now)
    clock.advance(days=30)
    memory.journal.condense(force=True)
    [day] = memory.journal.calendar()
    assert (day.entries, day.stage) == (1, "archive/daily")
    assert day.to_json()["stage"] == "archive/daily"


def test_protected_entries_are_counted(memory: Memory) -> None:
    receipt = memory.journal.add("Keep this.")
    memory.journal.protect(receipt.id or "")
    assert [one.protected for one in memory.journal.calendar()] == [1]


def test_an_empty_journal_has_no_days(memory: Memory) -> None:
    assert memory.journal.calendar() == ()
