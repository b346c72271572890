"""Replacement, reversal, retraction, partial change, bounded validity; each with what must still be found."""

from datetime import timedelta
from typing import Any

import pytest
from tests.conftest import OpenMemory, TestClock

from waypost import Memory
from waypost.errors import InvalidInput, NotFound
from waypost.model.time import format_time

pytestmark = pytest.mark.both_stores


def texts(memory: Memory, question: str, **moment: str) -> list[str]:
    return [hit.text for hit in memory.recall(question, k=10, **moment)]  # type: ignore[arg-type]


@pytest.fixture
def bystander(memory: Memory) -> str:
    """A memory about the same subject that no correction may touch."""
    text = "The cache server runs in Frankfurt"
    memory.remember(text)
    return text


def test_a_replacement_answers_and_the_replaced_stays_in_history(
    memory: Memory, clock: TestClock, bystander: str
) -> None:
    old = memory.remember("The cache TTL is 60 minutes").id
    before = format_time(clock.now)
    clock.advance(days=3)
    receipt = memory.remember("The cache TTL is 15 minutes", replaces=old)
    assert receipt.status == "added"
    assert receipt.replaces == old
    assert texts(memory, "cache TTL") == ["The cache TTL is 15 minutes", bystander]
    assert "The cache TTL is 60 minutes" in texts(memory, "cache TTL", as_of=before)
    assert "The cache TTL is 15 minutes" not in texts(memory, "cache TTL", as_of=before)
    for either in (old, receipt.id):
        assert either is not None
        told = memory.history(either)
        assert {v.text for v in told.versions + told.related} == {
            "The cache TTL is 60 minutes",
            "The cache TTL is 15 minutes",
        }


def test_a_reversal_brings_the_first_value_back(memory: Memory, clock: TestClock, bystander: str) -> None:
    first = memory.remember("Deploys happen from the cache branch")
    clock.advance(days=1)
    second = memory.remember("Deploys happen from main", replaces=first.id)
    clock.advance(days=1)
    third = memory.remember("Deploys happen from the cache branch", replaces=second.id)
    assert third.status == "added"
    assert texts(memory, "deploys cache") == ["Deploys happen from the cache branch", bystander]


def test_a_retraction_leaves_nothing_in_its_place(memory: Memory, clock: TestClock, bystander: str) -> None:
    wrong = memory.remember("The cache is encrypted at rest").id
    assert wrong is not None
    then = format_time(clock.now)
    clock.advance(hours=1)
    memory.retract(wrong)
    assert texts(memory, "cache encrypted") == [bystander]
    assert "The cache is encrypted at rest" in texts(memory, "cache encrypted", known_at=then)
    with pytest.raises(NotFound, match="retracted or replaced"):
        memory.show(wrong)
    assert [v.text for v in memory.history(wrong).versions] == ["The cache is encrypted at rest"]


def test_a_partial_change_keeps_the_rest_and_the_id(memory: Memory, clock: TestClock, bystander: str) -> None:
    fact = memory.remember("The cache has 3 nodes and evicts by LRU", domain="infra", evidence=["ADR-4"]).id
    assert fact is not None
    believed = format_time(clock.now)
    clock.advance(days=1)
    assert memory.correct(fact, "The cache has 5 nodes and evicts by LRU").id == fact
    record = memory.show(fact).version
    assert (record.text, record.domain, record.evidence) == (
        "The cache has 5 nodes and evicts by LRU",
        "infra",
        ("ADR-4",),
    )
    assert texts(memory, "cache nodes") == ["The cache has 5 nodes and evicts by LRU", bystander]
    # It never was 3: asked about the past with today's knowledge, the correction holds.
    assert texts(memory, "cache nodes", as_of=believed)[0] == "The cache has 5 nodes and evicts by LRU"
    assert texts(memory, "cache nodes", known_at=believed)[0] == "The cache has 3 nodes and evicts by LRU"


def test_bounded_validity_ends_by_itself_and_can_be_set_afterwards(
    memory: Memory, clock: TestClock, bystander: str
) -> None:
    memory.remember("The cache is frozen for the audit", valid_until=format_time(clock.now + timedelta(days=7)))
    open_ended = memory.remember("The cache is mirrored to Dublin").id
    assert open_ended is not None
    memory.retract(open_ended, valid_until=format_time(clock.now + timedelta(days=2)))
    assert len(texts(memory, "cache")) == 3
    during = format_time(clock.now + timedelta(days=1))
    clock.advance(days=8)
    assert texts(memory, "cache") == [bystander]
    assert len(texts(memory, "cache", as_of=during)) == 3


def test_what_was_corrected_does_not_come_back_by_a_batch(memory: Memory, clock: TestClock) -> None:
    then = format_time(clock.now)
    fact = memory.remember("The API limit is 100 calls").id
    assert fact is not None
    clock.advance(days=1)
    memory.correct(fact, "The API limit is 500 calls")
    clock.advance(days=1)
    (again,) = memory.remember_many([{"text": "The API limit is 100 calls"}])
    (older,) = memory.remember_many([{"text": "the API limit  is 100 calls.", "time": then}])
    assert (again.status, older.status) == ("refused", "refused")
    assert "corrected or retracted" in (again.reason or "")
    (newer,) = memory.remember_many([{"text": "The API limit is 100 calls", "time": format_time(clock.now)}])
    assert newer.status == "added"
    # And a different fact from the same batch is stored.
    (other,) = memory.remember_many([{"text": "The API returns pages of 50"}])
    assert other.status == "added"


def test_what_was_retracted_comes_back_when_somebody_says_it_now(memory: Memory, clock: TestClock) -> None:
    fact = memory.remember("Feature flags live in Redis").id
    assert fact is not None
    memory.retract(fact)
    clock.advance(days=1)
    (imported,) = memory.remember_many([{"text": "Feature flags live in Redis"}])
    assert imported.status == "refused"
    assert memory.remember("Feature flags live in Redis").status == "added"
    assert texts(memory, "feature flags") == ["Feature flags live in Redis"]


def test_correcting_to_the_same_words_changes_nothing(memory: Memory) -> None:
    fact = memory.remember("Logs are kept for 30 days").id
    assert fact is not None
    assert memory.correct(fact, "Logs are kept for 30 days").status == "duplicate"
    assert len(memory.history(fact).versions) == 1


def test_a_correction_cannot_end_before_it_begins(memory: Memory, clock: TestClock) -> None:
    fact = memory.remember("Logs are kept for 30 days").id
    assert fact is not None
    with pytest.raises(InvalidInput, match="valid_until"):
        memory.correct(fact, "Logs are kept", valid_until=format_time(clock.now - timedelta(days=1)))
    assert memory.show(fact).version.text == "Logs are kept for 30 days"


def test_replacing_what_is_not_there_is_an_error_and_stores_nothing(memory: Memory, open_memory: OpenMemory) -> None:
    elsewhere = open_memory("other").remember("Unrelated").id
    with pytest.raises(NotFound, match="to replace"):
        memory.remember("New value", replaces=elsewhere)
    assert memory.list() == []


def test_a_replacement_for_a_while_gives_way_again(memory: Memory, clock: TestClock) -> None:
    usual = memory.remember("Support answers in Lisbon", key="office").id
    clock.advance(days=10)
    week: dict[str, Any] = {
        "valid_from": format_time(clock.now),
        "valid_until": format_time(clock.now + timedelta(days=7)),
    }
    memory.remember("Support answers in Porto", replaces=usual, **week)
    for days, expected in ((-1, "Lisbon"), (1, "Porto"), (8, "Lisbon")):
        moment = format_time(clock.now + timedelta(days=days))
        assert texts(memory, "support answers", as_of=moment) == [f"Support answers in {expected}"]


def test_what_has_ended_by_itself_can_be_replaced(memory: Memory, clock: TestClock) -> None:
    old = memory.remember("The pilot runs in Berlin", valid_until=format_time(clock.now + timedelta(days=1))).id
    during = format_time(clock.now)
    clock.advance(days=5)
    assert memory.remember("The pilot runs in Vienna", replaces=old).status == "added"
    assert texts(memory, "pilot") == ["The pilot runs in Vienna"]
    assert texts(memory, "pilot", as_of=during) == ["The pilot runs in Berlin"]
