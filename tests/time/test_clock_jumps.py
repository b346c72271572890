"""The clock of the machine jumps by years, to and fro: nothing that was acknowledged is lost or hidden."""

from datetime import UTC, datetime, timedelta

import pytest
from tests.conftest import OpenMemory, TestClock

from waypost import Memory
from waypost.flows.admin.maintenance_schedule import overdue_maintenance
from waypost.flows.erase.expiry import is_any_due
from waypost.flows.journal_files.log import last_cleanup

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


@pytest.mark.slow
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
        memory.admin.maintain(force=True)
        memory.journal.condense()
        assert {row["id"]: row["text"] for row in memory.list(limit=100)} == kept
    assert len(memory.history(corrected).versions) == len(YEARS) + 1
    assert [finding for finding in memory.admin.doctor() if not finding.ok] == []


def test_maintenance_that_a_wrong_clock_noted_for_the_future_is_done_again(memory: Memory, clock: TestClock) -> None:
    clock.now = at(2026)
    memory.remember("The bridge is painted green")
    clock.now = at(2040)
    memory.admin.maintain()
    clock.now = at(2026)
    assert [done.step for done in memory.admin.maintain() if done.skipped] == []


def test_a_time_in_the_future_does_not_hide_that_maintenance_is_overdue(memory: Memory, clock: TestClock) -> None:
    memory.remember("The bridge is painted green")
    clock.now = at(2040)
    memory.admin.maintain()
    clock.now = at(2027)
    overdue = overdue_maintenance(memory.space)
    assert overdue is not None and overdue.last is None
    memory.admin.maintain()
    assert overdue_maintenance(memory.space) is None


def test_a_memory_created_by_a_clock_that_was_ahead_is_maintained_when_it_is_right_again(
    open_memory: OpenMemory, clock: TestClock
) -> None:
    clock.now = at(2030)
    memory = open_memory()
    clock.now = at(2026)
    overdue = overdue_maintenance(memory.space)
    assert overdue is not None and overdue.last is None
    memory.admin.maintain()
    assert overdue_maintenance(memory.space) is None


def test_condensing_is_noted_again_after_a_run_by_a_wrong_clock(memory: Memory, clock: TestClock) -> None:
    clock.now = at(2026)
    memory.remember("We spoke of the lighthouse", kind="conversation", session="s", speaker="user")
    clock.now = at(2030)
    memory.journal.condense()
    clock.now = at(2026) + timedelta(days=30)
    memory.journal.condense()
    last = last_cleanup(memory.space)
    assert last is not None and last.at == clock.now


@pytest.mark.slow
@pytest.mark.both_stores
def test_a_jump_ahead_hides_what_expires_by_it_and_deletes_nothing(memory: Memory, clock: TestClock) -> None:
    clock.now = at(2026)
    doomed = str(memory.remember("The token rotates on Friday", ttl=30 * 86_400, on_expire="delete").id)
    memory.admin.maintain()
    clock.now = at(2036)
    memory.remember("Written while the clock was wrong")
    assert memory.facts.expire().postponed == [doomed]
    memory.admin.maintain(force=True)
    assert doomed not in {row["id"] for row in memory.list()}
    assert any("The clock shows 2036-06-01, more than a year after" in notice for notice in memory.status()["notices"])
    notes = [one for one in memory.admin.doctor() if one.check == "clock"]
    assert [(one.ok, one.is_note) for one in notes] == [(True, True)]
    clock.now = at(2026)
    assert {row["text"] for row in memory.list()} >= {"The token rotates on Friday"}
    memory.admin.maintain(force=True)
    assert memory.show(doomed).version.text == "The token rotates on Friday"
    assert not any("clock" in notice for notice in memory.status()["notices"])


def test_a_new_time_that_holds_for_a_day_is_believed(memory: Memory, clock: TestClock) -> None:
    clock.now = at(2026)
    doomed = str(memory.remember("The token rotates on Friday", ttl=30 * 86_400, on_expire="delete").id)
    memory.admin.maintain()
    clock.now = at(2036)
    assert memory.facts.expire().deleted == []
    clock.now += timedelta(hours=20)
    assert memory.facts.expire().deleted == []
    clock.now += timedelta(hours=5)
    assert memory.facts.expire(dry_run=True).deleted == [doomed]
    assert memory.facts.expire().deleted == [doomed]
    assert memory.status()["notices"] == []


def test_a_second_jump_starts_the_day_anew(memory: Memory, clock: TestClock) -> None:
    clock.now = at(2026)
    memory.remember("The token rotates on Friday", ttl=30 * 86_400, on_expire="delete")
    memory.admin.maintain()
    for year in (2036, 2099, 2050):
        clock.now = at(year)
        assert memory.facts.expire().deleted == []


def test_a_memory_that_was_never_maintained_is_not_emptied_by_a_jump(memory: Memory, clock: TestClock) -> None:
    clock.now = at(2026)
    doomed = str(memory.remember("The token rotates on Friday", ttl=86_400, on_expire="delete").id)
    clock.now = at(2036)
    memory.remember("Written while the clock was wrong")
    assert memory.facts.expire().postponed == [doomed]


def test_a_lifetime_that_ends_while_nobody_jumps_is_deleted_at_once(memory: Memory, clock: TestClock) -> None:
    clock.now = at(2026)
    doomed = str(memory.remember("The token rotates on Friday", ttl=86_400, on_expire="delete").id)
    for _ in range(3):
        clock.now += timedelta(days=100)
        assert memory.facts.expire().deleted == ([doomed] if doomed else [])
        doomed = ""


def test_no_worker_is_started_again_and_again_for_what_waits_for_the_clock(memory: Memory, clock: TestClock) -> None:
    clock.now = at(2026)
    memory.remember("The token rotates on Friday", ttl=86_400, on_expire="delete")
    memory.admin.maintain()
    clock.now = at(2036)
    assert is_any_due(memory.space)  # the jump has to be noted
    memory.facts.expire()
    assert not is_any_due(memory.space)
    clock.now += timedelta(hours=25)
    assert is_any_due(memory.space)
