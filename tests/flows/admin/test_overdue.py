"""Upkeep that was missed is noticed and caught up with, once."""

from tests.conftest import OpenMemory, TestClock

from waypost.flows.admin.maintenance import STEPS, applies
from waypost.flows.admin.maintenance_schedule import catch_up_if_due, last_maintained, overdue_maintenance
from waypost.flows.open_space import OpenSpace
from waypost.memory import Memory
from waypost.system.platform import try_lock


def space_of(memory: Memory) -> OpenSpace:
    return memory.space


def test_a_new_space_is_not_overdue_until_a_day_and_a_half_have_passed(memory: Memory, clock: TestClock) -> None:
    space = space_of(memory)
    assert overdue_maintenance(space) is None
    clock.advance(hours=36)
    assert overdue_maintenance(space) is None
    clock.advance(minutes=1)
    found = overdue_maintenance(space)
    assert found is not None
    assert (found.last, found.days) == (None, 1)
    assert found.message == "Maintenance is overdue by 1 day: it has never run."


def test_daily_upkeep_is_never_overdue_and_a_missed_week_is_told(memory: Memory, clock: TestClock) -> None:
    for _ in range(3):
        memory.admin.maintain()
        clock.advance(hours=25)
        assert overdue_maintenance(space_of(memory)) is None
    clock.advance(days=6)
    found = overdue_maintenance(space_of(memory))
    assert found is not None
    assert found.days == 7
    assert found.to_json()["last"] == "2026-02-01T14:00:00Z"


def test_a_run_that_was_cut_off_does_not_count(memory: Memory, clock: TestClock) -> None:
    memory.admin.maintain()
    done = last_maintained(space_of(memory))
    clock.advance(days=3)
    first = next(step for step in STEPS if not step.needs_tree and not step.every)
    with space_of(memory).store.write() as writer:
        writer.meta.set(f"maintained:{first.name}:", clock().isoformat())
    assert last_maintained(space_of(memory)) == done
    assert overdue_maintenance(space_of(memory)) is not None


def test_what_was_missed_is_done_once(open_memory: OpenMemory, clock: TestClock) -> None:
    space = space_of(open_memory())
    assert catch_up_if_due(space) == ()
    clock.advance(days=5)
    assert [step.step for step in catch_up_if_due(space)] == [step.name for step in STEPS if applies(space, step)]
    assert overdue_maintenance(space) is None
    assert catch_up_if_due(space) == ()


def test_while_somebody_is_at_it_nobody_else_begins(memory: Memory, clock: TestClock) -> None:
    space = space_of(memory)
    clock.advance(days=5)
    with try_lock(space.folder / "maintain.lock") as free:
        assert free
        assert catch_up_if_due(space) == ()
    assert catch_up_if_due(space)


def test_one_that_failed_is_tried_again_after_hours_not_at_once(memory: Memory, clock: TestClock) -> None:
    space = space_of(memory)
    clock.advance(days=5)
    with space.store.write() as writer:
        writer.meta.set("catch_up_tried", clock().isoformat())
    clock.advance(hours=5)
    assert catch_up_if_due(space) == ()
    clock.advance(hours=2)
    assert catch_up_if_due(space)
