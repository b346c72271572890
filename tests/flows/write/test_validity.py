"""Which versions hold after replacing, bounding, retracting and rejecting."""

import itertools
from typing import Any

import pytest
from tests.conftest import OpenMemory, TestClock

from waypost.errors import InvalidInput
from waypost.memory import Memory

pytestmark = pytest.mark.slow  # not for the inner loop


def held(memory: Memory, memory_id: str) -> list[Any]:
    return [version for version in memory.history(memory_id).versions if version.superseded_at is None]


def texts(memory: Memory, **options: Any) -> list[str]:
    return [row["text"] for row in memory.list(**options)]


def replaced_for_a_while(memory: Memory, kind: str = "fact") -> str:
    """A memory that holds before and after a period in which another one did."""
    old = memory.remember("The office is in Berlin", kind=kind, valid_from="2020-01-01").id
    assert old is not None
    memory.remember(
        "The office is in Hamburg", kind=kind, replaces=old, valid_from="2024-01-01", valid_until="2024-06-01"
    )
    assert len(held(memory, old)) == 2
    return old


def test_retracting_takes_back_all_that_is_still_held(memory: Memory, clock: TestClock) -> None:
    old = replaced_for_a_while(memory)
    clock.advance(seconds=1)
    memory.retract(old)
    assert held(memory, old) == []
    assert texts(memory, as_of="2023-01-01") == []


def test_rejecting_takes_back_all_that_is_still_held(memory: Memory, clock: TestClock) -> None:
    old = replaced_for_a_while(memory)
    clock.advance(seconds=1)
    memory.reject(old)
    assert held(memory, old) == []
    assert texts(memory, as_of="2023-01-01") == []
    assert texts(memory, as_of="2024-02-01") == ["The office is in Hamburg"]


def test_rejecting_takes_back_other_memories_of_the_same_value(memory: Memory, clock: TestClock) -> None:
    one = memory.remember("The office is in Berlin", valid_from="2020-01-01", valid_until="2021-01-01").id
    two = memory.remember("The office is in Berlin", valid_from="2023-01-01").id
    assert one and two and one != two
    clock.advance(seconds=1)
    memory.reject(two)
    assert held(memory, one) == []


def test_a_bound_never_makes_a_memory_true_for_longer(memory: Memory) -> None:
    old = memory.remember("The sale runs", valid_from="2020-01-01", valid_until="2020-02-01").id
    assert old is not None
    with pytest.raises(Exception, match="valid_until"):
        memory.retract(old, valid_until="2021-01-01")
    assert texts(memory, as_of="2020-06-01") == []


@pytest.mark.parametrize("change", ["correct", "retract"])
def test_at_most_one_version_is_current_for_an_instant(memory: Memory, clock: TestClock, change: str) -> None:
    old = replaced_for_a_while(memory)
    clock.advance(seconds=1)
    if change == "correct":
        memory.correct(old, "The office is in Munich", valid_from="2019-01-01")
    else:
        memory.retract(old, valid_until="2030-01-01")
    for one, other in itertools.combinations(held(memory, old), 2):
        assert (one.valid_until is not None and one.valid_until <= other.valid_from) or (
            other.valid_until is not None and other.valid_until <= one.valid_from
        ), "two versions of one memory hold at the same instant"


@pytest.mark.parametrize("kind", ["preference", "note", "fact"])
def test_what_was_replaced_is_not_recalled(memory: Memory, clock: TestClock, kind: str) -> None:
    old = memory.remember("The owner likes tea", kind=kind).id
    clock.advance(days=1)
    memory.remember("The owner likes coffee", kind=kind, replaces=old)
    clock.advance(days=1)
    assert texts(memory) == ["The owner likes coffee"]
    assert [hit.text for hit in memory.recall("what does the owner like?")] == ["The owner likes coffee"]
    assert texts(memory, as_of="2026-01-30T13:00:00Z") == ["The owner likes tea"]


@pytest.mark.parametrize("kind", ["preference", "fact"])
def test_what_was_true_until_yesterday_is_not_recalled(memory: Memory, clock: TestClock, kind: str) -> None:
    old = memory.remember("The owner likes tea", kind=kind).id
    assert old is not None
    clock.advance(days=2)
    memory.retract(old, valid_until="2026-01-31T12:00:00Z")
    assert texts(memory) == []


def test_each_memory_is_listed_once(memory: Memory) -> None:
    replaced_for_a_while(memory, kind="note")
    rows = [row["id"] for row in memory.list()]
    assert len(rows) == len(set(rows))


@pytest.mark.parametrize("how", ["replace", "bound"])
def test_a_batch_does_not_bring_back_what_ended(memory: Memory, clock: TestClock, how: str) -> None:
    old = memory.remember("Deploys happen on Fridays").id
    assert old is not None
    clock.advance(days=1)
    if how == "replace":
        memory.remember("Deploys happen on Mondays", replaces=old)
    else:
        memory.retract(old, valid_until=clock())
    clock.advance(days=1)
    (again,) = memory.remember_many([{"text": "Deploys happen on Fridays"}])
    assert again.status in ("refused", "duplicate")
    assert "Deploys happen on Fridays" not in texts(memory)


def test_a_batch_brings_back_what_is_said_later_than_its_end(memory: Memory, clock: TestClock) -> None:
    old = memory.remember("Deploys happen on Fridays").id
    clock.advance(days=1)
    memory.remember("Deploys happen on Mondays", replaces=old)
    (again,) = memory.remember_many([{"text": "Deploys happen on Fridays", "time": "2026-03-01"}])
    assert again.status == "added"


def test_replacing_by_what_is_known_already_still_ends_the_old(memory: Memory, clock: TestClock) -> None:
    old = memory.remember("Sessions live in Redis", domain="auth").id
    new = memory.remember("All tokens are kept by the database", domain="auth").id
    clock.advance(days=1)
    receipt = memory.remember("All tokens are kept by the database", domain="auth", replaces=old)
    assert (receipt.status, receipt.id, receipt.replaces) == ("duplicate", new, old)
    assert texts(memory) == ["All tokens are kept by the database"]
    assert [edge.to_id for edge in memory.history(new or "").edges] == [old]


def test_saying_it_again_without_an_end_takes_the_end_away(memory: Memory, clock: TestClock) -> None:
    first = memory.remember("The office is closed", valid_until="2026-02-10").id
    clock.advance(days=1)
    again = memory.remember("The office is closed")
    assert again.status != "refused"
    assert texts(memory, as_of="2026-03-01") == ["The office is closed"]
    assert texts(memory, as_of="2026-02-01") == ["The office is closed"]
    assert held(memory, first or "")


def test_saying_since_when_it_was_true_is_kept(memory: Memory, clock: TestClock) -> None:
    memory.remember("The office is in Berlin")
    clock.advance(days=1)
    memory.remember("The office is in Berlin", valid_from="2020-01-01")
    assert texts(memory, as_of="2021-01-01") == ["The office is in Berlin"]
    assert texts(memory) == ["The office is in Berlin"]


def test_a_time_to_live_that_has_passed_makes_a_memory_stale(memory: Memory, clock: TestClock) -> None:
    memory.remember("The build is broken", ttl=60)
    assert not memory.recall("is the build broken?")[0].is_stale
    clock.advance(seconds=61)
    hit = memory.recall("is the build broken?")[0]
    assert hit.is_stale and hit.stale_reason
    assert len(memory.recall("is the build broken?", fresh=True)) == 0


def test_the_latest_preferences_are_in_the_briefing(memory: Memory) -> None:
    memory.remember_many([{"text": f"Old habit {n}", "kind": "preference"} for n in range(201)])
    memory.remember("Answer in German", kind="preference")
    assert "Answer in German" in memory.brief("anything at all", tokens=2000).text


@pytest.mark.parametrize("given", [{}, {"time": "2025-06-01"}], ids=["said now", "said then"])
def test_what_would_end_before_it_begins_is_refused(memory: Memory, given: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="valid_until"):
        memory.remember("The office was in Berlin", valid_until="2025-01-01", **given)
    with pytest.raises(InvalidInput, match="2: valid_until"):
        memory.remember_many([{"text": "Fine"}, {"text": "Not fine", "valid_until": "2025-01-01", **given}])
    assert memory.list() == []


def test_a_version_is_superseded_no_earlier_than_it_was_recorded(open_memory: OpenMemory) -> None:
    memory = open_memory()
    old = memory.remember("The limit is 10").id
    memory.remember("The limit is 20", replaces=old)
    for version in memory.history(old or "").versions:
        assert version.superseded_at is None or version.superseded_at >= version.recorded_at
