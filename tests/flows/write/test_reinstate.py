"""Rejecting, retracting or forgetting a replacement restores what it replaced; undo restores the very same memory."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import Git, TestClock

from waypost import Memory
from waypost.errors import InvalidInput, NotFound, PersonOnly
from waypost.model.time import format_time

pytestmark = pytest.mark.both_stores

A, B, C = (f"Deploys run from the {name} branch" for name in ("main", "release", "stable"))


def now(memory: Memory) -> list[str]:
    return sorted(row["text"] for row in memory.list())


def at(memory: Memory, **moment: str) -> list[str]:
    return sorted(row["text"] for row in memory.list(**moment))  # type: ignore[arg-type]


def chain(memory: Memory, clock: TestClock, *texts: str) -> list[str]:
    """Each replaces the one before, a day later."""
    ids: list[str] = []
    for text in texts:
        options: dict[str, Any] = {"replaces": ids[-1]} if ids else {}
        ids.append(str(memory.remember(text, **options).id))
        clock.advance(days=1)
    return ids


ENDINGS: dict[str, Callable[[Memory, str], object]] = {
    "reject": lambda memory, one: memory.reject(one),
    "retract": lambda memory, one: memory.retract(one),
    "forget": lambda memory, one: memory.forget(one),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_a_replacement_replaced_holds_again_when_that_ends(person: Memory, clock: TestClock, ending: str) -> None:
    began = clock.now
    first, second = chain(person, clock, A, B)
    during = format_time(clock.now)
    clock.advance(days=1)
    ENDINGS[ending](person, second)
    assert now(person) == [A]
    version = person.show(first).version
    assert (version.valid_from, version.valid_until, version.source, version.actor) == (began, None, "person", "ada")
    assert [hit.id for hit in person.recall("deploys branch")] == [first]
    assert [one.text for one in person.history(first).versions] == [A, A, A]
    assert "reinstate" in [deed.action for deed in person.admin.audit(first)]
    if ending != "forget":
        assert at(person, known_at=during, as_of=during) == [B]
    assert at(person, as_of=during) == [A]


@pytest.mark.parametrize("ending", ["reject", "retract"])
def test_a_chain_goes_back_one_step_at_a_time(person: Memory, clock: TestClock, ending: str) -> None:
    _, second, third = chain(person, clock, A, B, C)
    ENDINGS[ending](person, third)
    assert now(person) == [B]
    clock.advance(days=1)
    ENDINGS[ending](person, second)
    assert now(person) == [A]


@pytest.mark.parametrize("ending", ["reject", "retract"])
def test_one_that_goes_in_the_middle_gives_its_time_back_and_nothing_else(
    person: Memory, clock: TestClock, ending: str
) -> None:
    began = clock.now
    first, second, third = chain(person, clock, A, B, C)
    in_between = format_time(began.replace(hour=23) + (clock.now - began) / 3)
    assert at(person, as_of=in_between) == [B]
    ENDINGS[ending](person, second)
    assert now(person) == [C]
    assert at(person, as_of=in_between) == [A]
    clock.advance(days=1)
    ENDINGS[ending](person, third)
    assert now(person) == [A]  # not what was ended before
    assert person.show(first).version.period == (began, None)


def test_what_was_retracted_in_the_meantime_stays_away(person: Memory, clock: TestClock) -> None:
    first, second = chain(person, clock, A, B)
    person.retract(first)
    clock.advance(days=1)
    person.reject(second)
    assert now(person) == []


def test_what_somebody_else_replaced_in_the_meantime_stays_replaced(person: Memory, clock: TestClock) -> None:
    first, second = chain(person, clock, A, B)
    third = str(person.remember(C, replaces=first).id)
    clock.advance(days=1)
    person.reject(second)
    assert now(person) == [C]
    person.retract(third)
    assert now(person) == [A]


def test_what_was_put_right_in_the_meantime_comes_back_put_right(person: Memory, clock: TestClock) -> None:
    first, second = chain(person, clock, A, B)
    person.correct(first, C)
    clock.advance(days=1)
    person.reject(second)
    assert now(person) == [C]
    assert person.show(first).version.valid_until is None


def test_what_was_forgotten_or_rejected_in_the_meantime_stays_away(person: Memory, clock: TestClock) -> None:
    first, second = chain(person, clock, A, B)
    person.forget(first)
    person.retract(second)
    assert now(person) == []
    first, second = chain(person, clock, "Builds run at night", "Builds run at noon")
    person.reject(first)
    person.retract(second)
    assert now(person) == []


def test_what_said_until_when_it_was_true_gives_nothing_back(person: Memory, clock: TestClock) -> None:
    _, second = chain(person, clock, A, B)
    person.retract(second, valid_until=format_time(clock.now))
    clock.advance(days=1)
    assert now(person) == []


def test_a_replacement_for_a_while_leaves_no_gap(person: Memory, clock: TestClock) -> None:
    first = str(person.remember(A, key="branch").id)
    began = clock.now
    week: dict[str, Any] = {
        "valid_from": format_time(clock.advance(days=2)),
        "valid_until": format_time(clock.advance(days=5)),
    }
    second = str(person.remember(B, replaces=first, key="branch", **week).id)
    clock.advance(days=1)
    person.retract(second)
    version = person.show(first).version
    assert (version.period, version.key) == ((began, None), "branch")
    assert [v.period for v in person.history(first).versions if v.superseded_at is None] == [(began, None)]


def test_an_approved_proposal_that_is_rejected_later_restores_the_persons_fact(
    person: Memory, memory: Memory, clock: TestClock
) -> None:
    fact = str(person.remember(A).id)
    clock.advance(days=1)
    proposed = str(memory.remember(B, replaces=fact).id)
    person.facts.approve(proposed)
    clock.advance(days=1)
    person.reject(proposed)
    assert now(person) == [A]
    assert person.show(fact).version.source == "person"
    assert memory.remember(B).status == "refused"


# -- undo


@pytest.fixture
def code(memory: Memory, git: Git) -> Path:
    folder = memory.code.root
    assert folder is not None
    (folder / "deploy.py").write_text("def release():\n    return 'main'\n\n\ndef rollback():\n    return None\n")
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "Deploy")
    return folder / "deploy.py"


def known_of(memory: Memory, memory_id: str) -> tuple[object, ...]:
    """What a memory is, but for when it was recorded."""
    shown = memory.show(memory_id)
    version = shown.version
    edges = {(one.kind, one.outgoing, one.version.memory_id, one.strength) for one in memory.facts.related(memory_id)}
    return (
        version.memory_id, version.kind, version.text, version.source, version.actor, version.period, version.level,
        version.domain, version.module, version.key, version.evidence, version.refs, dict(version.tags),
        dict(version.details), version.parent, shown.state, edges,
    )  # fmt: skip


def told(memory: Memory) -> object:
    chain = memory.why("Deploy from main")
    return {(node.id, node.text, node.actor) for node in chain.nodes}, set(chain.edges)


@pytest.mark.parametrize("ending", ["retract", "reject"])
def test_restore_brings_back_the_very_same_memory(
    person: Memory, memory: Memory, clock: TestClock, code: Path, ending: str
) -> None:
    above = str(person.remember("Releases are cut on Mondays", level=1).id)
    agents = memory.decide(
        "Deploy from main",
        because=["Branches go stale"],
        leads_to=["Main stays green"],
        refs=["deploy.py#release"],
        evidence=["ADR-1"],
        tags={"team": "core"},
        domain="ops",
        level=2,
        key="deploys",
        ttl=10**7,
    )
    memory_id = str(agents.id)
    person.facts.promote(memory_id, parent=above)
    person.protect(memory_id)
    before, reasons = known_of(person, memory_id), told(person)
    clock.advance(days=1)
    ENDINGS[ending](person, memory_id)
    versions, as_it_was = person.history(memory_id).versions, code.read_text()
    code.write_text("def other():\n    return 1\n\n\n" + as_it_was.replace("'main'", "'release'"))
    clock.advance(days=1)
    assert person.restore(memory_id).id == memory_id
    assert person.show(memory_id).state.is_stale  # it points at the code of which it was said, not at what is there now
    code.write_text(as_it_was)
    clock.advance(minutes=2)
    assert known_of(person, memory_id) == before
    assert told(person) == reasons
    assert person.history(memory_id).versions[: len(versions)] == versions
    assert [deed.action for deed in person.admin.audit(memory_id)][:2] == ["restore", ending]
    with pytest.raises(InvalidInput, match="still holds"):
        person.restore(memory_id)


def test_restore_works_in_another_process_and_lifts_the_rejection(person: Memory, clock: TestClock) -> None:
    fact = str(person.remember(A, domain="ops").id)
    person.reject(fact)
    person.close()
    assert person.remember(A, domain="ops").status == "refused"
    person.restore(fact)
    assert person.remember(A, domain="ops").id == fact


def test_undoing_the_end_of_a_replacement_puts_it_in_its_place_again(person: Memory, clock: TestClock) -> None:
    first, second = chain(person, clock, A, B)
    for _ in range(2):
        person.reject(second)
        assert now(person) == [A]
        clock.advance(days=1)
        person.restore(second)
        assert now(person) == [B]
        clock.advance(days=1)
    assert at(person, as_of=format_time(person.show(second).version.valid_from)) == [B]
    person.retract(second)
    clock.advance(days=1)
    person.retract(first)
    clock.advance(days=1)
    person.restore(second)
    clock.advance(days=1)
    person.retract(second)
    assert now(person) == []  # the first one was ended by itself


def test_what_was_replaced_is_not_restored_but_named(person: Memory, clock: TestClock) -> None:
    first = str(person.remember(A, valid_from="2026-01-01").id)
    second = str(person.remember(B, replaces=first, valid_from="2026-01-01").id)
    with pytest.raises(InvalidInput, match=second):
        person.restore(first)


def test_what_was_forgotten_cannot_come_back(person: Memory) -> None:
    fact = str(person.remember(A).id)
    person.forget(fact)
    with pytest.raises(NotFound, match="forgotten"):
        person.restore(fact)


def test_only_a_person_restores_what_a_person_ended(person: Memory, memory: Memory, clock: TestClock) -> None:
    theirs, agents = str(person.remember(A).id), str(memory.remember("Tests run on every push").id)
    person.retract(theirs)
    person.retract(agents)
    for one in (theirs, agents):
        with pytest.raises(PersonOnly):
            memory.restore(one)
    own = str(memory.remember("Docs are built at night").id)
    memory.retract(own)
    assert memory.restore(own).id == own


def test_an_earlier_version_is_restored_with_its_author_and_its_place(
    person: Memory, memory: Memory, clock: TestClock, code: Path
) -> None:
    fact = str(memory.remember(A, refs=["deploy.py#release"], level=2).id)
    old = memory.show(fact).version
    clock.advance(days=1)
    code.write_text("# moved\n" + code.read_text().replace("'main'", "'release'"))
    person.correct(fact, B)
    person.facts.promote(fact, 1)
    clock.advance(days=1)
    person.restore(fact, version=old.number)
    version = person.show(fact).version
    assert (version.text, version.actor, version.level, version.refs) == (A, old.actor, 2, old.refs)
    assert [one.text for one in person.history(fact).versions] == [A, B, B, A]
    with pytest.raises(NotFound, match="version"):
        person.restore(fact, version=10**6)


def test_restoring_says_when_another_memory_has_the_same_words_by_now(person: Memory, clock: TestClock) -> None:
    fact = str(person.remember(A).id)
    person.retract(fact)
    clock.advance(days=1)
    again = str(person.remember(A).id)
    with pytest.raises(InvalidInput, match=again):
        person.restore(fact)
    assert now(person) == [A]


# -- verified


def test_only_what_somebody_verified_is_verified(person: Memory, memory: Memory, clock: TestClock, code: Path) -> None:
    fact = str(person.remember(A, refs=["deploy.py#release"]).id)
    proposed = str(memory.remember(B, replaces=fact, refs=["deploy.py#rollback"]).id)
    agents = str(memory.remember("Rollbacks return nothing", refs=["deploy.py#rollback"]).id)
    assert person.show(fact).state.verified_at is None
    person.facts.approve(proposed)
    clock.advance(hours=1)
    for one in (proposed, agents):
        found = person.show(one)
        assert found.state.verified_at is None
        assert found.links[0].to_json()["last_verified_at"] is None
        assert found.seen_at == clock.now  # it fits its code all the same, and is as sure as before
    at = clock.advance(hours=1)
    assert [one.state.verified_at for one in person.verify(proposed).memories] == [at]
    clock.advance(hours=1)
    assert person.show(proposed).state.verified_at == at
    assert person.show(proposed).links[0].to_json()["last_verified_at"] == format_time(at)
    person.correct(proposed, C)
    assert person.show(proposed).state.verified_at is None  # nobody has verified these words
