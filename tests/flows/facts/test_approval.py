"""Candidates that wait for a person: edited, approved, rejected, learned again."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.conftest import TestClock

from waypost import Memory
from waypost.errors import InvalidInput, NotFound, Refused
from waypost.flows.facts.candidates import take
from waypost.model.candidate import Candidate

pytestmark = pytest.mark.slow  # not for the inner loop

THEN = datetime(2026, 1, 10, tzinfo=UTC)
DOUBTFUL = Candidate("Uploads are retried three times.", 0.6, "git_diff", domain="storage", topic="upload", time=THEN)


def learned(memory: Memory, *candidates: Candidate) -> list[str]:
    return [one.status for one in take(memory.space, candidates)]


def waiting(memory: Memory) -> list[str]:
    return [candidate.text for _, candidate in memory.facts.review().candidates]


def the_one_waiting(memory: Memory) -> str:
    ((row, _),) = memory.facts.review().candidates
    return row.candidate_id


@pytest.mark.parametrize("time", [THEN, None])
def test_learning_again_does_not_undo_the_words_that_somebody_put_right(
    memory: Memory, person: Memory, time: datetime | None
) -> None:
    learned(memory, replace(DOUBTFUL, time=time))
    person.facts.edit(the_one_waiting(memory), "Failed uploads are retried three times.")
    learned(memory, replace(DOUBTFUL, time=time))
    assert waiting(memory) == ["Failed uploads are retried three times."]


@pytest.mark.parametrize("time", [THEN, None])
def test_what_was_approved_in_other_words_is_not_proposed_again_in_the_first(
    memory: Memory, person: Memory, time: datetime | None
) -> None:
    learned(memory, replace(DOUBTFUL, time=time))
    person.facts.approve(the_one_waiting(memory), text="Failed uploads are retried three times.")
    learned(memory, replace(DOUBTFUL, time=time))
    assert waiting(memory) == []


def test_a_candidate_that_was_edited_and_rejected_is_not_proposed_again_in_its_first_words(
    memory: Memory, person: Memory
) -> None:
    learned(memory, DOUBTFUL)
    person.facts.edit(the_one_waiting(memory), "Failed uploads are retried three times.")
    person.facts.reject(the_one_waiting(memory))
    learned(memory, DOUBTFUL)
    assert waiting(memory) == []


def test_an_agent_does_not_change_the_words_that_a_person_is_asked_to_approve(memory: Memory) -> None:
    learned(memory, DOUBTFUL)
    with pytest.raises(Refused):
        memory.facts.edit(the_one_waiting(memory), "The user said that anybody may deploy.")


def test_approving_several_approves_none_where_one_is_unknown(memory: Memory, person: Memory) -> None:
    learned(memory, DOUBTFUL)
    with pytest.raises(NotFound):
        person.facts.approve([the_one_waiting(memory), "01jzzzzzzzzzzzzzzzzzzzzzzz"])
    assert waiting(memory) == [DOUBTFUL.text]
    assert person.list() == []


def test_more_than_a_thousand_candidates_can_be_reviewed(memory: Memory) -> None:
    many = [replace(DOUBTFUL, text=f"Rule number {n} holds.", topic=f"t{n}") for n in range(1003)]
    learned(memory, *many)
    assert memory.facts.review().to_json()["pending_approval"] == 1003


def test_an_approved_candidate_is_a_persons_word_though_an_agent_has_said_it(memory: Memory, person: Memory) -> None:
    learned(memory, DOUBTFUL)
    memory.remember(DOUBTFUL.text, domain="storage")
    ((_, receipt),) = person.facts.approve(the_one_waiting(memory))
    assert memory.show(str(receipt.id)).version.source == "person"


@pytest.mark.parametrize(
    "wrong",
    [
        {"domain": "ev\nil"},
        {"topic": "a\nb"},
        {"evidence": ("x" * 5000,)},
        {"text": "a\udcffb"},
        {"module": "\x1b[31m"},
    ],
)
def test_a_candidate_that_no_memory_can_hold_keeps_the_others_from_nothing(
    memory: Memory, wrong: dict[str, Any]
) -> None:
    assert learned(memory, replace(DOUBTFUL, **wrong), replace(DOUBTFUL, topic="other")) == ["refused", "held"]


def test_a_rejected_fact_does_not_come_back_to_the_domain_from_which_it_was_moved(
    memory: Memory, person: Memory, clock: TestClock
) -> None:
    sure = replace(DOUBTFUL, confidence=0.9)
    learned(memory, sure)
    (fact,) = memory.list()
    person.facts.promote(fact["id"], domain="")
    person.reject(fact["id"])
    clock.advance(days=3)
    assert learned(memory, replace(sure, time=clock.now - timedelta(hours=1))) == ["refused"]


def test_a_fact_is_not_moved_to_where_exactly_this_is_known(memory: Memory) -> None:
    one = memory.remember("Cats are nice", domain="x")
    memory.remember("Cats are nice", domain="y")
    with pytest.raises(InvalidInput, match="exactly this"):
        memory.facts.promote(str(one.id), domain="y")


def test_a_history_that_is_learned_piece_by_piece_ends_with_its_last_word(memory: Memory) -> None:
    words = ["Needs httpx 0.27.", "Needs httpx 0.28.", "Needs httpx 0.27.", "Needs httpx 0.29.", "Needs httpx 0.28."]
    for day, text in enumerate(words):
        fact = replace(DOUBTFUL, confidence=0.9, text=text, topic="httpx", time=THEN + timedelta(days=day))
        assert learned(memory, fact)[0] in ("stored", "replaced")
    assert [row["text"] for row in memory.list()] == ["Needs httpx 0.28."]
    told = [memory.list(as_of=THEN + timedelta(days=day, hours=1))[0]["text"] for day in range(len(words))]
    assert told == words


def test_a_tree_that_goes_back_to_what_it_was_is_told_as_it_is(memory: Memory, clock: TestClock) -> None:
    words = ["Tests run with pytest.", "Tests run with tox.", "Tests run with pytest."]
    for text in words:
        clock.advance(days=1)
        assert learned(memory, replace(DOUBTFUL, confidence=0.9, text=text, topic="project:test", time=None)) != [
            "refused"
        ]
    assert [row["text"] for row in memory.list()] == words[-1:]


def test_what_a_person_gave_up_does_not_come_back_because_the_extractor_had_another_word(
    memory: Memory, person: Memory, clock: TestClock
) -> None:
    fact = replace(DOUBTFUL, confidence=0.9, time=None)
    for text in ("Tests run with pytest.", "Tests run with tox."):
        clock.advance(days=1)
        learned(memory, replace(fact, text=text))
    clock.advance(days=1)
    (now,) = memory.list()
    person.retract(now["id"])
    assert learned(memory, replace(fact, text="Tests run with tox.")) == ["refused"]


def test_older_news_that_are_certain_leave_later_ones_waiting(memory: Memory) -> None:
    learned(memory, replace(DOUBTFUL, time=THEN + timedelta(days=5)))
    assert learned(memory, replace(DOUBTFUL, confidence=0.9, text="Uploads are tried once.")) == ["stored"]
    assert waiting(memory) == [DOUBTFUL.text]


def test_a_candidate_is_rejected_though_a_killed_process_had_begun_to_approve_it(
    memory: Memory, person: Memory
) -> None:
    learned(memory, DOUBTFUL)
    ((row, _),) = memory.facts.review().candidates
    person.facts.approve(row.candidate_id)
    with memory.space.store.write() as writer:
        writer.facts.put_candidate(row)
    person.facts.reject(row.candidate_id)
    assert memory.list() == []
    assert learned(memory, DOUBTFUL) == ["refused"]


def test_words_are_put_right_for_one_candidate_at_a_time(memory: Memory, person: Memory) -> None:
    learned(memory, DOUBTFUL, replace(DOUBTFUL, text="Downloads are cached.", topic="download"))
    with pytest.raises(InvalidInput, match="same words"):
        person.facts.approve([row.candidate_id for row, _ in memory.facts.review().candidates], text="All is well.")
    assert len(waiting(memory)) == 2


def test_an_agent_does_not_keep_the_extractor_from_a_topic(memory: Memory, clock: TestClock) -> None:
    memory.remember("Uploads are never retried.", key="learned:upload", valid_from=clock.now)
    assert learned(memory, replace(DOUBTFUL, confidence=0.9)) != ["older"]
