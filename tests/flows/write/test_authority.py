"""People outrank agents: what an agent would change of a person's memory waits for review, and nothing else changes."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import TestClock

from waypost import Memory
from waypost.errors import NotFound, PersonOnly, Refused
from waypost.facts import duplicates
from waypost.model.memory import Caller
from waypost.model.time import format_time

pytestmark = pytest.mark.both_stores

OURS, THEIRS = "The cache TTL is 60 minutes", "The cache TTL is 15 minutes"
ADA, OWNERS_WORD = Caller("person", "ada"), Caller("agent", "script", owners_word=True)


@pytest.fixture
def agent(memory: Memory, clock: TestClock) -> Memory:
    return Memory.open(memory.code.root, caller=Caller("agent", "claude"), clock=clock)


@pytest.fixture
def fact(person: Memory) -> str:
    return str(person.remember(OURS, domain="cache", level=1, ttl=86_400, tags={"team": "core"}).id)


def waiting(memory: Memory) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = memory.facts.review().to_json()["candidates"]
    return found


def everything(memory: Memory, memory_id: str) -> tuple[object, ...]:
    """All that is known of a memory, but for the log of what was done."""
    told, shown = memory.history(memory_id), memory.show(memory_id)
    return told.versions, told.edges, shown.state, memory.facts.related(memory_id)


def outcome(change: Callable[[Memory, str], Any], agent: Memory, fact: str) -> str:
    """The status of a receipt; a correction to a rejected value raises."""
    try:
        return str(change(agent, fact).status)
    except Refused:
        return "refused"


CHANGES: dict[str, Callable[[Memory, str], Any]] = {
    "replace": lambda agent, fact: agent.remember(THEIRS, replaces=fact),
    "replace by a batch": lambda agent, fact: agent.remember_many([{"text": THEIRS, "replaces": fact}])[0],
    "replace for a time": lambda agent, fact: agent.remember(THEIRS, replaces=fact, valid_until="2027-01-01"),
    "correct": lambda agent, fact: agent.correct(fact, THEIRS),
    "correct its time": lambda agent, fact: agent.correct(fact, OURS, valid_until="2027-01-01"),
    "retract": lambda agent, fact: agent.retract(fact),
    "retract from then on": lambda agent, fact: agent.retract(fact, valid_until="2027-01-01"),
    "decide": lambda agent, fact: agent.decide(THEIRS, because=["It was stale too often"], replaces=fact).decision,
}


@pytest.mark.parametrize("change", CHANGES)
def test_an_agents_change_of_a_persons_fact_is_a_review_item_and_nothing_else(
    person: Memory, agent: Memory, clock: TestClock, fact: str, change: str
) -> None:
    before, memories = everything(person, fact), person.list()
    clock.advance(hours=1)
    receipt = CHANGES[change](agent, fact)
    assert (receipt.status, receipt.review, receipt.replaces) == ("added", True, fact)
    assert "approval" in receipt.reason
    assert everything(person, fact) == before
    assert person.list() == memories
    assert [hit.text for hit in agent.recall("cache TTL minutes")] == [OURS]
    (item,) = waiting(person)
    assert (item["id"], item["replaces"], item["replaces_text"]) == (receipt.id, fact, OURS)
    assert item["proposed_by"] == {"source": "agent", "actor": "claude"}


@pytest.mark.parametrize("change", CHANGES)
def test_the_same_proposal_waits_once(person: Memory, agent: Memory, fact: str, change: str) -> None:
    first, again = CHANGES[change](agent, fact), CHANGES[change](agent, fact)
    assert (again.status, again.review, again.id) == ("duplicate", True, first.id)
    assert len(waiting(person)) == 1


@pytest.mark.parametrize("change", CHANGES)
def test_rejecting_a_proposal_changes_nothing_and_it_is_not_made_again(
    person: Memory, agent: Memory, clock: TestClock, fact: str, change: str
) -> None:
    before, memories = everything(person, fact), person.list()
    clock.advance(hours=1)
    person.facts.reject(CHANGES[change](agent, fact).id)
    assert everything(person, fact) == before
    assert person.list() == memories
    assert waiting(person) == []
    if change == "correct its time":
        return  # its words are the person's own: these are not rejected
    assert outcome(CHANGES[change], agent, fact) == "refused"
    assert waiting(person) == []
    assert person.remember("The cache has 3 nodes").status == "added"


def test_the_persons_own_words_are_not_rejected_with_a_proposal(person: Memory, agent: Memory, fact: str) -> None:
    other = person.remember("The cache TTL is 15 minutes in tests", domain="cache")
    proposed = agent.remember("The cache TTL is 15 minutes in tests", domain="cache", replaces=fact)
    assert proposed.review
    person.facts.reject(str(proposed.id))
    person.retract(str(other.id))
    assert person.remember("The cache TTL is 15 minutes in tests", domain="cache").status == "added"


def test_an_approved_replacement_is_the_agents_words_with_the_persons_approval(
    person: Memory, agent: Memory, clock: TestClock, fact: str
) -> None:
    proposed = agent.remember(THEIRS, replaces=fact, evidence=["ADR-7"], domain="cache")
    clock.advance(hours=1)
    [(candidate, receipt)] = person.facts.approve(str(proposed.id))
    assert (candidate, receipt.id, receipt.replaces) == (proposed.id, proposed.id, fact)
    version = person.show(str(receipt.id)).version
    assert (version.text, version.source, version.evidence) == (THEIRS, "person", ("ADR-7",))
    assert version.details["said_by"] == {"source": "agent", "actor": "claude"}
    assert [hit.text for hit in person.recall("cache TTL minutes")] == [THEIRS]
    assert [(deed.action, deed.source) for deed in person.admin.audit(str(receipt.id))] == [
        ("approve", "person"),
        ("remember", "person"),
    ]
    assert waiting(person) == []


def test_words_that_the_person_put_right_are_the_persons_own(person: Memory, agent: Memory, fact: str) -> None:
    proposed = str(agent.remember(THEIRS, replaces=fact, domain="cache").id)
    person.facts.edit(proposed, "The cache TTL is 20 minutes")
    [(_, receipt)] = person.facts.approve(proposed)
    version = person.show(str(receipt.id)).version
    assert (version.text, "said_by" in version.details) == ("The cache TTL is 20 minutes", False)


def test_an_approved_correction_and_an_approved_retraction_are_done(
    person: Memory, agent: Memory, clock: TestClock, fact: str
) -> None:
    correction = str(agent.correct(fact, THEIRS).id)
    clock.advance(hours=1)
    person.facts.approve(correction)
    version = person.show(fact).version
    assert (version.text, version.source, version.level, version.domain) == (THEIRS, "person", 1, "cache")
    assert version.details["said_by"]["actor"] == "claude"
    retraction = agent.retract(fact)
    assert retraction is not None
    person.facts.approve(str(retraction.id))
    with pytest.raises(NotFound):
        person.show(fact)


def test_an_approved_decision_has_its_reasons(person: Memory, agent: Memory) -> None:
    old = str(person.decide("Use MySQL", because=["We know it"]).id)
    proposed = agent.decide("Use PostgreSQL", because=["It has pgvector"], leads_to=["One more server"], replaces=old)
    assert (proposed.decision.review, proposed.reasons, proposed.edges) == (True, (), ())
    assert "pgvector" not in str(person.list())
    [(_, receipt)] = person.facts.approve(str(proposed.id))
    chain = person.why("Why do we use PostgreSQL?")
    assert chain.root is not None
    assert chain.root.id == receipt.id
    assert {"It has pgvector", "One more server"} <= {node.text for node in chain.nodes}
    with pytest.raises(NotFound):
        person.show(old)


def test_a_proposal_about_what_is_gone_is_added_or_says_what_to_do(person: Memory, agent: Memory, fact: str) -> None:
    replacement, correction = agent.remember(THEIRS, replaces=fact), agent.correct(fact, "The cache TTL is 5 minutes")
    person.retract(fact)
    with pytest.raises(NotFound, match="does not hold any more"):
        person.facts.approve(str(correction.id))
    [(_, receipt)] = person.facts.approve(str(replacement.id))
    assert (receipt.status, receipt.replaces) == ("added", None)


REFUSED: dict[str, Callable[[Memory, str], Any]] = {
    "promote": lambda agent, fact: agent.facts.promote(fact, 3),
    "ttl": lambda agent, fact: agent.facts.set_ttl(fact, 60),
    "no ttl": lambda agent, fact: agent.facts.set_ttl(fact),
    "verify": lambda agent, fact: agent.verify([fact]),
    "protect": lambda agent, fact: agent.protect(fact),
    "unprotect": lambda agent, fact: agent.protect(fact, on=False),
    "reject": lambda agent, fact: agent.reject(fact),
    "forget": lambda agent, fact: agent.forget(fact),
}


@pytest.mark.parametrize("change", REFUSED)
def test_what_only_a_person_may_do_to_a_persons_fact_is_refused(
    person: Memory, agent: Memory, fact: str, change: str
) -> None:
    before = everything(person, fact)
    with pytest.raises(PersonOnly, match="only a person can"):
        REFUSED[change](agent, fact)
    assert everything(person, fact) == before
    assert waiting(person) == []


def test_an_agent_cannot_reject_or_forget_a_persons_words_by_saying_them_too(
    person: Memory, agent: Memory, clock: TestClock
) -> None:
    early: dict[str, Any] = {"valid_from": "2025-01-01", "valid_until": "2025-02-01"}
    own = str(agent.remember(OURS, **early).id)
    theirs = str(person.remember(OURS).id)
    assert own != theirs
    for change in ("reject", "forget"):
        with pytest.raises(PersonOnly):
            REFUSED[change](agent, own)
    assert person.show(theirs).version.text == OURS


def test_an_agents_words_never_merge_into_a_persons(
    person: Memory, agent: Memory, monkeypatch: pytest.MonkeyPatch, fake_engine: Any
) -> None:
    fake_engine.label = "minilm"
    thresholds = {**duplicates.THRESHOLDS, fake_engine.name: (0.95, 0.6)}
    monkeypatch.setattr("waypost.flows.write.insert.THRESHOLDS", thresholds)
    fact = str(person.remember("The cache is filled by the nightly job", level=1, ttl=86_400).id)
    before = everything(person, fact)
    receipt = agent.remember("The cache is filled by the nightly job as well", level=3, ttl=60)
    assert receipt.id != fact
    assert everything(person, fact) == before


def test_saying_a_persons_fact_again_leaves_how_long_it_lives(
    person: Memory, agent: Memory, clock: TestClock, fact: str
) -> None:
    before = person.show(fact).state
    clock.advance(hours=5)
    for ttl in (None, 60, 10**7):
        assert agent.remember(OURS, domain="cache", ttl=ttl).status == "duplicate"
    (batch,) = agent.remember_many([{"text": OURS, "domain": "cache", "ttl": 10**7}])
    assert batch.status == "duplicate"
    assert person.show(fact).state == before


def test_agents_change_what_agents_said(agent: Memory, memory: Memory, clock: TestClock) -> None:
    fact = str(memory.remember(OURS).id)
    assert not agent.correct(fact, THEIRS).review
    receipt = agent.remember("The cache TTL is 5 minutes", replaces=fact)
    assert (receipt.status, receipt.review) == ("added", False)
    assert agent.retract(str(receipt.id)) is None
    assert waiting(memory) == []


def test_the_owners_word_counts_as_a_persons(person: Memory, clock: TestClock, fact: str) -> None:
    owner = Memory.open(person.code.root, caller=OWNERS_WORD, clock=clock)
    clock.advance(hours=1)
    assert not owner.remember(THEIRS, replaces=fact, domain="cache").review
    assert waiting(person) == []
    assert [hit.text for hit in person.recall("cache TTL minutes")] == [THEIRS]


def test_an_import_by_an_agent_changes_nothing_of_a_person(
    person: Memory, agent: Memory, fact: str, tmp_path: Any
) -> None:
    before = everything(person, fact)
    file = tmp_path / "other.jsonl"
    file.write_text(f'{{"id": "{fact}", "text": "{THEIRS}", "domain": "cache", "ttl": 60}}\n')
    assert [one.status for one in agent.admin.import_file(file)] == ["refused"]
    assert everything(person, fact) == before


def test_forgetting_a_fact_forgets_what_was_proposed_about_it(person: Memory, agent: Memory, fact: str) -> None:
    agent.correct(fact, "The cache TTL is 61 zorkmids")
    agent.retract(fact)
    person.forget(fact)
    assert waiting(person) == []


def test_a_persons_fact_is_as_it_was_for_every_past_question(
    person: Memory, agent: Memory, clock: TestClock, fact: str
) -> None:
    then = format_time(clock.now)
    clock.advance(days=1)
    proposed = agent.remember(THEIRS, replaces=fact, domain="cache")
    between = format_time(clock.advance(days=1))
    clock.advance(days=1)
    person.facts.approve(str(proposed.id))
    clock.advance(days=1)

    def told(**moment: str) -> list[str]:
        return [row["text"] for row in person.list(**moment)]  # type: ignore[arg-type]

    assert told() == [THEIRS]
    assert told(as_of=then) == [OURS]
    assert told(known_at=between, as_of=between) == [OURS]


def test_an_agents_words_do_not_change_what_a_person_said(memory: Memory, tmp_path: Path, clock: TestClock) -> None:
    person = Memory.open(tmp_path / "work" / "project", caller=Caller("person", "anna"), clock=clock)
    text = "The quarterly report of the whole finance team is exported as CSV"
    said = person.remember(text)
    added = memory.remember(text + " nightly")
    assert added.status == "added"
    assert added.conflicts_with is None  # it says more, and contradicts nothing
    assert person.show(str(said.id)).version.text == text
    assert person.remember(text + " weekly").status in {"merged", "added"}


def test_an_agent_cannot_have_deleted_what_a_person_said_after_it(memory: Memory, person: Memory) -> None:
    said = memory.remember("The billing day is the third.")
    person.remember("The billing day is the third.")
    with pytest.raises(Refused):
        memory.facts.set_ttl(str(said.id), 1, on_expire="delete")


def test_an_agent_who_says_it_for_longer_does_not_take_over_what_a_person_said(memory: Memory, person: Memory) -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    said = person.remember("The office is closed.", valid_from=start, valid_until=start + timedelta(days=60))
    memory.remember("The office is closed.", valid_from=start, valid_until=start + timedelta(days=6000))
    version = person.show(str(said.id)).version
    assert (version.source, version.valid_until) == ("person", start + timedelta(days=60))


def test_what_a_person_corrected_is_not_deleted_by_the_lifetime_that_an_agent_chose(
    memory: Memory, person: Memory, clock: TestClock
) -> None:
    said = memory.remember("The demo is at noon", ttl_class="session")
    person.correct(str(said.id), "The demo is at one")
    clock.advance(days=2)
    memory.admin.maintain()
    assert [row["text"] for row in memory.list(archived=True)] == ["The demo is at one"]
