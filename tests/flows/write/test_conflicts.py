"""One current value: a newer fact replaces the older one, or both are kept as a conflict until a person decides."""

from typing import Any

import pytest
from tests.conftest import TestClock

from waypost import Memory
from waypost.facts import duplicates
from waypost.model.memory import Caller

pytestmark = pytest.mark.both_stores

OLD, NOW, NEW = (
    "The gateway listens on port 8080.",
    "The gateway now listens on port 9090.",
    "The gateway listens on port 9090.",
)
QUESTION = "which port does the gateway listen on"


@pytest.fixture(autouse=True)
def calibrated(monkeypatch: pytest.MonkeyPatch, fake_engine: Any) -> None:
    """The fake engine may judge."""
    fake_engine.label = "minilm"
    thresholds = {**duplicates.THRESHOLDS, fake_engine.name: (0.95, 0.85)}
    monkeypatch.setattr("waypost.flows.write.insert.THRESHOLDS", thresholds)


@pytest.fixture
def agent(memory: Memory, clock: TestClock) -> Memory:
    return Memory.open(memory.code.root, caller=Caller("agent", "claude"), clock=clock)


def texts(memory: Memory) -> list[str]:
    return [hit.text for hit in memory.recall(QUESTION).hits]


def reviewed(memory: Memory) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = memory.facts.review().to_json()["candidates"]
    return items


def test_a_change_replaces_the_older_fact_and_history_keeps_it(agent: Memory, clock: TestClock) -> None:
    old = agent.remember(OLD)
    then = clock.advance(days=1)
    clock.advance(days=1)
    new = agent.remember(NOW)
    assert (new.status, new.replaces, new.conflicts_with) == ("added", old.id, None)
    assert texts(agent) == [NOW]
    assert [hit.text for hit in agent.recall(QUESTION, as_of=then).hits] == [OLD]
    assert {edge.kind for edge in agent.history(str(new.id)).edges} == {"supersedes"}
    assert reviewed(agent) == []


def test_a_replacement_can_be_undone(agent: Memory, clock: TestClock) -> None:
    agent.remember(OLD)
    clock.advance(days=1)
    new = agent.remember(NOW)
    clock.advance(days=1)
    agent.retract(str(new.id))
    assert texts(agent) == [OLD]


def test_the_audit_log_says_what_was_replaced(agent: Memory, clock: TestClock) -> None:
    old = agent.remember(OLD)
    clock.advance(days=1)
    new = agent.remember(NOW)
    entry = next(entry for entry in agent.admin.audit(str(new.id)) if entry.action == "remember")
    assert entry.details["replaces"] == old.id


def test_an_undecided_pair_is_one_hit_with_the_newest_first(agent: Memory, clock: TestClock) -> None:
    old = agent.remember(OLD)
    clock.advance(days=1)
    new = agent.remember(NEW)
    assert (new.status, new.replaces, new.conflicts_with) == ("added", None, old.id)
    (hit,) = agent.recall(QUESTION).hits
    assert hit.text == NEW
    assert hit.conflict is not None
    assert (hit.conflict.id, hit.conflict.value, [other.id for other in hit.conflict.others]) == (
        new.id,
        "9090",
        [old.id],
    )
    assert hit.conflict.line == f"9090, since {clock.now:%Y-%m-%d}; earlier 8080, unconfirmed"
    assert hit.to_json()["conflict"]["earlier"][0]["text"] == OLD


@pytest.mark.parametrize(
    ("older", "newer", "question"),
    [
        ("Deploys are on Thursdays, never on Fridays.", "Deploys are on Tuesdays.", "When are deploys?"),
        ("Deployt wird donnerstags, nie freitags.", "Deployt wird dienstags.", "Wann wird deployt?"),
    ],
)
def test_two_values_with_a_word_between_are_quoted_as_they_were_stated(
    agent: Memory, clock: TestClock, older: str, newer: str, question: str
) -> None:
    agent.remember(older)
    clock.advance(days=1)
    agent.remember(newer)
    lines = [hit.conflict.line for hit in agent.recall(question).hits if hit.conflict is not None]
    texts = [hit.text for hit in agent.recall(question).hits]
    assert any(older in text for text in (*lines, *texts))


def test_a_third_value_speaks_for_both_before_it(agent: Memory, clock: TestClock) -> None:
    for port in (8080, 9090, 7070):
        agent.remember(f"The gateway listens on port {port}.")
        clock.advance(days=1)
    (hit,) = agent.recall(QUESTION).hits
    assert hit.conflict is not None
    assert (hit.conflict.value, [other.value for other in hit.conflict.others]) == ("7070", ["9090", "8080"])


def test_the_newest_is_shown_even_if_only_the_older_one_matches(agent: Memory, clock: TestClock) -> None:
    agent.remember(OLD)
    clock.advance(days=1)
    agent.remember(NEW)
    (hit,) = agent.recall("8080", k=1).hits
    assert hit.text == NEW


def test_a_change_ends_an_undecided_pair(agent: Memory, clock: TestClock) -> None:
    agent.remember(OLD)
    clock.advance(days=1)
    agent.remember(NEW)
    clock.advance(days=1)
    agent.remember("The gateway moved to port 7070.")
    (hit,) = agent.recall(QUESTION).hits
    assert hit.conflict is None
    assert hit.text == "The gateway moved to port 7070."
    assert reviewed(agent) == []


def test_a_person_can_confirm_the_newer_value(agent: Memory, person: Memory, clock: TestClock) -> None:
    old = agent.remember(OLD)
    clock.advance(days=1)
    new = agent.remember(NEW)
    (item,) = reviewed(person)
    assert (item["replaces"], item["replaces_text"], item["text"]) == (old.id, OLD, NEW)
    assert str(old.id) in item["reason"]
    clock.advance(days=1)
    person.facts.approve(item["id"])
    (hit,) = agent.recall(QUESTION).hits
    assert (hit.id, hit.conflict) == (new.id, None)
    assert reviewed(person) == []


def test_a_person_can_say_that_both_hold(agent: Memory, person: Memory, clock: TestClock) -> None:
    agent.remember(OLD)
    clock.advance(days=1)
    agent.remember(NEW)
    (item,) = reviewed(person)
    person.facts.reject(item["id"])
    assert sorted(texts(agent)) == [OLD, NEW]
    assert all(hit.conflict is None for hit in agent.recall(QUESTION).hits)
    person.facts.reconsider(item["id"])
    assert texts(agent) == [NEW]


@pytest.mark.parametrize("end", ["retract", "correct", "forget", "reject"])
def test_a_conflict_ends_with_one_of_its_memories(agent: Memory, person: Memory, clock: TestClock, end: str) -> None:
    agent.remember(OLD)
    clock.advance(days=1)
    new = str(agent.remember(NEW).id)
    clock.advance(days=1)
    if end == "correct":
        person.correct(new, "The gateway is written in Go.")
    else:
        getattr(person, end)(new)
    assert reviewed(person) == []
    assert OLD in texts(agent)
    assert all(hit.conflict is None for hit in agent.recall(QUESTION).hits)


def test_an_agent_only_proposes_to_replace_a_persons_value(agent: Memory, person: Memory, clock: TestClock) -> None:
    said = person.remember(OLD)
    clock.advance(days=1)
    receipt = agent.remember(NOW)
    assert (receipt.review, receipt.replaces) == (True, said.id)
    assert texts(agent) == [OLD]
    person.facts.approve(str(receipt.id))
    assert texts(agent) == [NOW]


def test_a_persons_value_counts_before_an_agents_later_one(agent: Memory, person: Memory, clock: TestClock) -> None:
    person.remember(OLD)
    clock.advance(days=1)
    agent.remember(NEW)
    (hit,) = agent.recall(QUESTION).hits
    assert hit.text == OLD
    assert hit.conflict is not None
    assert hit.conflict.line.endswith("agent said later 9090, unconfirmed")


def test_a_person_replaces_an_agents_value(agent: Memory, person: Memory, clock: TestClock) -> None:
    agent.remember(OLD)
    clock.advance(days=1)
    person.remember(NOW)
    assert texts(agent) == [NOW]


def test_a_batch_replaces_in_its_order(agent: Memory) -> None:
    agent.remember_many([{"text": OLD}, {"text": NOW}])
    assert texts(agent) == [NOW]


def test_an_older_statement_replaces_nothing(agent: Memory, clock: TestClock) -> None:
    agent.remember(OLD)
    agent.remember(NOW, time="2020-01-01")
    (hit,) = agent.recall(QUESTION).hits
    assert hit.text == OLD
    assert hit.conflict is not None


def test_two_that_may_be_meant_are_both_kept(agent: Memory, clock: TestClock) -> None:
    agent.remember("The customer gateway service listens on port 8080.")
    agent.remember("The partner gateway service listens on port 8081.")
    clock.advance(days=1)
    receipt = agent.remember("The gateway service now listens on port 9090.")
    assert (receipt.replaces, receipt.conflicts_with) == (None, None)


def test_a_subject_named_in_short_is_undecided(agent: Memory, clock: TestClock) -> None:
    old = agent.remember("The partner gateway service listens on port 8081.")
    clock.advance(days=1)
    receipt = agent.remember("The gateway service now listens on port 9090.")
    assert (receipt.replaces, receipt.conflicts_with) == (None, old.id)


def test_a_bounded_statement_is_no_contradiction(agent: Memory, clock: TestClock) -> None:
    agent.remember(OLD)
    clock.advance(days=1)
    receipt = agent.remember(NEW, valid_until="2030-01-01")
    assert (receipt.replaces, receipt.conflicts_with) == (None, None)
