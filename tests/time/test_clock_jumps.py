"""The clock of the machine jumps by years, to and fro: nothing that was acknowledged is lost or hidden."""

from datetime import UTC, datetime

import pytest
from tests.conftest import OpenMemory, TestClock

from waypost import Memory
from waypost.flows.overdue import missed

YEARS = (2036, 2007, 2026, 1971, 2099, 2026)


def at(year: int) -> datetime:
    return datetime(year, 6, 1, 12, tzinfo=UTC)


@pytest.mark.both_stores
def test_what_was_written_while_the_clock_was_ahead_is_there_when_it_is_right_again(
    memory: Memory, clock: TestClock
) -> None:
    clock.now = at(2036)
    fact = memory.remember("The bridge is painted green").id
    talk = memory.remember("We spoke of the lighthouse", kind="conversation", session="s", speaker="user").id
    clock.now = at(2026)
    assert {row["id"] for row in memory.list()} == {fact, talk}
    assert [hit.id for hit in memory.recall("Which colour has the bridge?", k=1)] == [fact]
    assert memory.show(str(fact)).version.text == "The bridge is painted green"


def test_what_begins_later_on_purpose_still_begins_later(memory: Memory, clock: TestClock) -> None:
    clock.now = at(2026)
    memory.remember("The toll is two euros", valid_from="2030-01-01")
    assert memory.list() == []
    clock.now = at(2031)
    assert [row["text"] for row in memory.list()] == ["The toll is two euros"]


def test_nothing_is_lost_over_jumps_to_and_fro(open_memory: OpenMemory, clock: TestClock) -> None:
    memory = open_memory()
    kept: dict[str, str] = {}
    for number, year in enumerate(YEARS):
        clock.now = at(year)
        for text in (f"Gate {number} is at dock {number * 7}", f"Crane {number} lifts {number + 3} tons"):
            kept[str(memory.remember(text).id)] = text
        corrected = next(iter(kept))
        kept[corrected] = f"Gate 0 is at dock {number + 100}"
        memory.correct(corrected, kept[corrected])
        memory.maintain(force=True)
        memory.journal.condense()
        assert {row["id"]: row["text"] for row in memory.list(limit=100)} == kept
    assert len(memory.history(corrected).versions) == len(YEARS) + 1
    assert [finding for finding in memory.doctor() if not finding.ok] == []


def test_maintenance_that_a_wrong_clock_noted_for_the_future_is_done_again(memory: Memory, clock: TestClock) -> None:
    clock.now = at(2026)
    memory.remember("The bridge is painted green")
    clock.now = at(2040)
    memory.maintain()
    clock.now = at(2026)
    assert [done.step for done in memory.maintain() if done.skipped] == []


def test_a_time_in_the_future_does_not_hide_that_maintenance_is_overdue(memory: Memory, clock: TestClock) -> None:
    memory.remember("The bridge is painted green")
    clock.now = at(2040)
    memory.maintain()
    clock.now = at(2027)
    overdue = missed(memory._space)
    assert overdue is not None and overdue.last is None
    memory.maintain()
    assert missed(memory._space) is None
