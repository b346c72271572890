"""Decisions with their reasons: what is written, what is linked, and what a refusal leaves."""

from pathlib import Path
from typing import Any

import pytest
from tests.conftest import OpenMemory, TestClock

from waypost import Memory
from waypost.errors import InvalidInput, NotFound
from waypost.flows.facts.decide import Decided, _write_links


def links(done: Decided) -> list[tuple[str, str | None, str | None, float]]:
    return [(edge.kind, edge.from_id, edge.to_id, edge.strength) for edge in done.edges]


def texts(memory: Memory) -> dict[str, str]:
    return {row["text"]: row["kind"] for row in memory.list()}


def test_a_decision_is_stored_with_its_parts_and_linked_from_cause_to_effect(memory: Memory) -> None:
    done = memory.decide(
        "We use FastAPI",
        because=["It is asynchronous", "It documents itself"],
        leads_to=["Handlers must not block"],
        given=["Python only"],
        domain="api",
    )
    assert texts(memory) == {
        "We use FastAPI": "decision",
        "It is asynchronous": "reason",
        "It documents itself": "reason",
        "Handlers must not block": "consequence",
        "Python only": "constraint",
    }
    assert {row["domain"] for row in memory.list()} == {"api"}
    first, second = (one.id for one in done.reasons)
    assert links(done) == [
        ("justifies", first, done.id, 1.0),
        ("justifies", second, done.id, 1.0),
        ("leads_to", done.id, done.consequences[0].id, 1.0),
        ("blocks", done.constraints[0].id, done.id, 1.0),
    ]
    assert [one.status for one in done.receipts] == ["added"] * 5


def test_references_and_evidence_are_said_of_the_decision_alone(memory: Memory) -> None:
    done = memory.decide("We use FastAPI", because=["It is asynchronous"], evidence=["ADR-7"], level=0)
    rows = {row["id"]: row for row in memory.list()}
    assert rows[done.id]["evidence"] == ["ADR-7"]
    assert rows[done.reasons[0].id]["evidence"] == []
    assert {row["level"] for row in rows.values()} == {0}


def test_a_reason_that_is_known_is_shared(memory: Memory) -> None:
    one = memory.decide("We use FastAPI", because=["It is asynchronous"])
    other = memory.decide("We use Starlette for the gateway", because=["It is asynchronous"])
    assert other.reasons[0].status == "duplicate"
    assert other.reasons[0].id == one.reasons[0].id
    assert links(other) == [("justifies", one.reasons[0].id, other.id, 1.0)]


def test_a_decision_recorded_again_gets_more_reasons(memory: Memory) -> None:
    one = memory.decide("We use FastAPI", because=["It is asynchronous"])
    again = memory.decide("We use FastAPI", because=["It documents itself"])
    assert (again.id, again.decision.status) == (one.id, "duplicate")
    assert {node.text for node in memory.why("why FastAPI?").reasons} == {"It is asynchronous", "It documents itself"}


def test_parts_and_the_decision_can_be_given_by_id(memory: Memory) -> None:
    fact = memory.remember("Threads cost us 3 GB of memory")
    decision = memory.remember("We use FastAPI", kind="decision")
    done = memory.decide(str(decision.id).upper(), because=[str(fact.id)])
    assert links(done) == [("justifies", fact.id, decision.id, 1.0)]
    assert len(memory.list()) == 2


@pytest.mark.parametrize("place", ["because", "leads_to", "given", "replaces"])
def test_a_wrong_id_leaves_nothing_behind(memory: Memory, place: str) -> None:
    wrong = "01k9zx6y9d4t3n0v1m2b3c4d5e"
    parts: dict[str, Any] = {"because": ["A reason"], place: wrong if place == "replaces" else [wrong]}
    with pytest.raises(NotFound, match=wrong):
        memory.decide("We use FastAPI", **parts)
    assert memory.list() == []


def test_a_wrong_part_or_option_leaves_nothing_behind(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="empty"):
        memory.decide("We use FastAPI", because=["fine", "  "])
    with pytest.raises(InvalidInput, match="level"):
        memory.decide("We use FastAPI", level=7)
    with pytest.raises(InvalidInput, match="0 to 1"):
        memory.decide("We use FastAPI", because=["fine"], strength=1.5)
    with pytest.raises(InvalidInput, match="at most 100"):
        memory.decide("We use FastAPI", because=[f"reason {n}" for n in range(101)])
    assert memory.list() == []


def test_only_a_decision_is_added_to_by_its_id(memory: Memory) -> None:
    fact = str(memory.remember("Threads cost us 3 GB of memory").id)
    with pytest.raises(InvalidInput, match="no decision"):
        memory.decide(fact, because=["A reason"])
    decision = str(memory.decide("We use FastAPI").id)
    with pytest.raises(InvalidInput, match="its own reason"):
        memory.decide(decision, because=[decision])
    with pytest.raises(InvalidInput, match="replaces nothing"):
        memory.decide(decision, replaces=fact)


def test_a_refused_decision_stores_none_of_its_parts(memory: Memory) -> None:
    rejected = memory.decide("We use FastAPI")
    memory.reject(str(rejected.id))
    done = memory.decide("We use FastAPI", because=["It is asynchronous"], leads_to=["Handlers must not block"])
    assert (done.decision.status, done.id, done.receipts[1:], done.edges) == ("refused", None, (), ())
    assert memory.list() == []


def test_a_refused_reason_is_told_and_not_linked(memory: Memory) -> None:
    memory.reject(str(memory.remember("It is asynchronous", kind="reason").id))
    done = memory.decide("We use FastAPI", because=["It is asynchronous", "It documents itself"])
    assert [one.status for one in done.reasons] == ["refused", "added"]
    assert links(done) == [("justifies", done.reasons[1].id, done.id, 1.0)]


def test_what_a_kill_left_unlinked_is_linked_when_the_decision_is_recorded_again(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("waypost.flows.facts.decide._write_links", killed)
        with pytest.raises(KeyboardInterrupt):
            memory.decide("We use FastAPI", because=["It is asynchronous"])
    assert memory.why("why FastAPI?").reasons == ()
    again = memory.decide("We use FastAPI", because=["It is asynchronous"])
    assert [one.status for one in again.receipts] == ["duplicate", "duplicate"]
    assert [node.text for node in memory.why("why FastAPI?").reasons] == ["It is asynchronous"]


def test_links_have_a_strength_that_stays_until_another_is_said(memory: Memory) -> None:
    done = memory.decide("We use FastAPI", because=["It is asynchronous"], strength=0.4)
    assert [edge.strength for edge in done.edges] == [0.4]
    assert [edge.strength for edge in memory.decide("We use FastAPI", because=["It is asynchronous"]).edges] == [0.4]
    surer = memory.decide("We use FastAPI", because=[("It is asynchronous", 0.9)])
    assert [edge.strength for edge in surer.edges] == [0.9]


def test_a_reason_that_says_what_came_of_an_earlier_decision_is_caused_by_that(memory: Memory) -> None:
    one = memory.decide("We use FastAPI", leads_to=["Handlers must not block"])
    other = memory.decide("Every handler has a time limit", because=["Handlers must not block"])
    assert links(other)[1:] == [("causes", one.consequences[0].id, other.reasons[0].id, 1.0)]


def test_a_consequence_that_others_gave_as_a_reason_before_is_their_cause(memory: Memory) -> None:
    one = memory.decide("Every handler has a time limit", because=["Handlers must not block"])
    other = memory.decide("We use FastAPI", leads_to=["Handlers must not block"])
    assert links(other)[1:] == [("causes", other.consequences[0].id, one.reasons[0].id, 1.0)]


def test_what_is_said_twice_in_one_chain_is_not_its_own_cause(memory: Memory) -> None:
    done = memory.decide("We cache", because=["It is fast"], leads_to=["It is fast"])
    assert [edge.kind for edge in done.edges] == ["justifies", "leads_to"]


def test_a_secret_in_a_reason_is_masked(memory: Memory) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    done = memory.decide("We rotate keys", because=[f"{secret} was leaked"])
    assert done.reasons[0].masked
    assert secret not in str(memory.list())


def test_recording_is_audited_without_the_words(memory: Memory) -> None:
    done = memory.decide("We use FastAPI", because=["It is asynchronous"])
    (entry,) = [one for one in memory.admin.audit(limit=10) if one.action == "link"]
    assert (entry.memory_id, entry.details["links"]) == (done.id, 1)


@pytest.mark.slow
def test_chains_meet_across_decisions_in_other_words(tmp_path: Path) -> None:
    """With the real engine: the same in other words, and in another part of the project."""
    with Memory.open(tmp_path) as memory:
        one = memory.decide("We use FastAPI", leads_to=["Deploys are not allowed on Fridays."], domain="api")
        other = memory.decide("The release train leaves on Thursday", because=["Deploys on Fridays are not allowed."])
        third = memory.decide("We test on Friday", because=["Deploys on Fridays are allowed."])
        edge = other.edges[-1]
        assert (edge.kind, edge.from_id, edge.to_id) == ("causes", one.consequences[0].id, other.reasons[0].id)
        assert 0.85 < edge.strength <= 1
        assert [edge.kind for edge in third.edges] == ["justifies"]


def test_an_answer_can_be_written_as_json(memory: Memory, clock: TestClock) -> None:
    old = memory.decide("We use Flask")
    clock.advance(days=1)
    row = memory.decide("We use FastAPI", because=["It is asynchronous"], replaces=str(old.id)).to_json()
    assert (row["status"], row["decision"]["replaces"]) == ("added", old.id)
    assert row["edges"][0] == {"type": "justifies", "from": row["reasons"][0]["id"], "to": row["id"], "strength": 1.0}


def test_nothing_is_linked_with_what_was_forgotten_meanwhile(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    def link_after_forgetting(*told: Any) -> Any:
        for row in memory.list():
            if row["kind"] == "reason":
                memory.forget(row["id"])
        return _write_links(*told)

    monkeypatch.setattr("waypost.flows.facts.decide._write_links", link_after_forgetting)
    done = memory.decide("We use FastAPI", because=["It is asynchronous"], given=["Python only"])
    assert [edge.kind for edge in done.edges] == ["blocks"]


def test_an_export_carries_links_and_an_import_brings_them(memory: Memory, open_memory: OpenMemory) -> None:
    memory.decide("We use FastAPI", because=["Threads cost too much"], leads_to=["Handlers must not block"])
    file = memory.admin.export().path
    other = open_memory("other")
    other.remember("Threads cost too much", kind="reason")  # known there under another id
    assert [receipt.status for receipt in other.admin.import_file(file)] == ["added", "duplicate", "added"]
    chain = other.why("why FastAPI?")
    assert [node.text for node in chain.reasons] == ["Threads cost too much"]
    assert [node.text for node in chain.consequences] == ["Handlers must not block"]


@pytest.mark.parametrize(
    "links", ['"x"', '[{"kind": "causes"}]', '[{"kind": "causes", "to": "../x", "strength": 1}]', "[7]"]
)
def test_an_export_with_broken_links_is_refused_as_a_whole(
    memory: Memory, open_memory: OpenMemory, tmp_path: Path, links: str
) -> None:
    file = tmp_path / "export.jsonl"
    file.write_text(f'{{"id": "{"0" * 26}", "text": "A", "links": {links}}}\n')
    with pytest.raises(InvalidInput):
        list(open_memory("other").admin.import_file(file))
    assert open_memory("other").list() == []
