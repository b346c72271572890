"""Certain candidates are stored, the others need review, and none comes twice."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from tests.conftest import TestClock
from tests.home_files import files_with

from waypost import Memory, config
from waypost.errors import InvalidInput, NotFound, Refused
from waypost.flows.facts.candidates import EXTRACTOR, take
from waypost.model.candidate import Candidate
from waypost.model.review_item import DecidedCandidate

THEN = datetime(2026, 1, 10, tzinfo=UTC)
SURE = Candidate(
    "Needs Python 3.11 or later (pyproject.toml).",
    0.95,
    "git_diff",
    level=0,
    topic="language:python",
    evidence=("commit 1a2b3c4d: Drop Python 3.10",),
    time=THEN,
)
DOUBTFUL = Candidate("Uploads are retried three times.", 0.6, "git_diff", domain="storage", topic="upload", time=THEN)


def taken(memory: Memory, *candidates: Candidate, dry_run: bool = False) -> list[DecidedCandidate]:
    return list(take(memory.space, candidates, dry_run=dry_run))


def statuses(memory: Memory, *candidates: Candidate) -> list[str]:
    return [one.status for one in taken(memory, *candidates)]


def waiting(memory: Memory) -> list[str]:
    return [candidate.text for _, candidate in memory.facts.review().candidates]


def test_what_is_certain_is_stored_as_the_extractors_since_its_own_time(memory: Memory) -> None:
    (one,) = taken(memory, SURE)
    assert one.status == "stored"
    version = memory.show(str(one.id)).version
    assert (version.source, version.actor, version.level) == ("extractor", "learn", 0)
    assert version.valid_from == THEN
    assert version.evidence == SURE.evidence
    assert waiting(memory) == []


def test_what_is_doubtful_waits_and_is_not_recalled(memory: Memory) -> None:
    (one,) = taken(memory, DOUBTFUL)
    assert one.status == "held"
    assert waiting(memory) == ["Uploads are retried three times."]
    assert memory.recall("uploads retried").hits == ()
    assert memory.list() == []


def test_taking_the_same_twice_changes_nothing(memory: Memory) -> None:
    assert statuses(memory, SURE, DOUBTFUL) == ["stored", "held"]
    assert statuses(memory, SURE, DOUBTFUL) == ["known", "waiting"]
    assert len(memory.list()) == 1
    assert len(waiting(memory)) == 1


def test_the_setting_holds_everything(memory: Memory, clock: TestClock) -> None:
    home = config.load().home
    (home / "config.toml").write_text('[learn]\nhold = "all"\n')
    held = Memory.open(memory.code.root, clock=clock)
    assert statuses(held, SURE) == ["held"]
    assert memory.list() == []


def test_a_dry_run_stores_and_holds_nothing(memory: Memory) -> None:
    assert [one.status for one in taken(memory, SURE, DOUBTFUL, dry_run=True)] == ["stored", "held"]
    assert memory.list() == []
    assert waiting(memory) == []
    assert memory.admin.audit() == []


def test_a_later_word_on_a_topic_replaces_the_earlier_from_then_on(memory: Memory) -> None:
    (old,) = taken(memory, SURE)
    later = replace(SURE, text="Needs Python 3.12 or later (pyproject.toml).", time=THEN + timedelta(days=5))
    (new,) = taken(memory, later)
    assert new.status == "replaced"
    assert [row["text"] for row in memory.list()] == [later.text]
    assert [row["text"] for row in memory.list(as_of="2026-01-12")] == [SURE.text]
    assert memory.history(str(old.id)).edges
    assert statuses(memory, SURE) == ["older"]
    assert [row["text"] for row in memory.list()] == [later.text]


def test_a_later_candidate_on_a_topic_waits_in_the_place_of_the_earlier(memory: Memory) -> None:
    taken(memory, DOUBTFUL)
    later = replace(DOUBTFUL, text="Uploads are retried five times.", time=THEN + timedelta(days=1))
    assert statuses(memory, later) == ["held"]
    assert waiting(memory) == [later.text]
    assert statuses(memory, DOUBTFUL) == ["older"]
    sure = replace(later, confidence=0.9, text="Uploads are retried six times.", time=THEN + timedelta(days=2))
    assert statuses(memory, sure) == ["stored"]
    assert waiting(memory) == []


def test_what_a_person_said_is_replaced_only_with_approval(memory: Memory, person: Memory) -> None:
    taken(memory, replace(SURE, confidence=0.5))
    ((_, receipt),) = person.facts.approve(waiting_id(memory))
    later = replace(SURE, text="Needs Python 3.12 or later (pyproject.toml).", time=THEN + timedelta(days=5))
    (one,) = taken(memory, later)
    assert (one.status, one.reason) == ("held", "a person said what it replaces")
    assert [row["text"] for row in memory.list()] == [SURE.text]
    ((_, again),) = person.facts.approve(str(one.id))
    assert (again.status, again.replaces) == ("added", receipt.id)
    assert [row["text"] for row in memory.list()] == [later.text]


def waiting_id(memory: Memory) -> str:
    (row, _), *_ = memory.facts.review().candidates
    return str(row.candidate_id)


def test_an_approved_candidate_is_a_persons_word_with_its_evidence(memory: Memory, person: Memory) -> None:
    taken(memory, replace(DOUBTFUL, evidence=("commit 99: Retry uploads",)))
    candidate = waiting_id(memory)
    ((told, receipt),) = person.facts.approve(candidate)
    assert (told, receipt.id, receipt.status) == (candidate, candidate, "added")
    version = memory.show(candidate).version
    assert (version.source, version.domain, version.evidence) == ("person", "storage", ("commit 99: Retry uploads",))
    assert waiting(memory) == []
    assert [hit.id for hit in memory.recall("uploads retried")] == [candidate]
    assert person.facts.approve(candidate)[0][1].status == "duplicate"
    assert memory.admin.audit(candidate)[0].action == "approve"
    assert statuses(memory, DOUBTFUL) == ["known"]


def test_a_rejected_candidate_is_never_proposed_again(memory: Memory, person: Memory) -> None:
    taken(memory, DOUBTFUL)
    person.facts.reject(waiting_id(memory))
    assert waiting(memory) == []
    assert statuses(memory, DOUBTFUL) == ["refused"]
    assert statuses(memory, replace(DOUBTFUL, text="uploads  are RETRIED three times", confidence=0.99)) == ["refused"]
    assert waiting(memory) == []
    assert memory.list() == []
    assert memory.admin.audit()[-1].action in ("reject", "refuse")


def test_a_rejected_topic_is_not_proposed_in_other_words(memory: Memory, person: Memory) -> None:
    taken(memory, DOUBTFUL)
    person.facts.reject(waiting_id(memory))
    reworded = replace(DOUBTFUL, text="An upload that fails is tried 3 times.", time=THEN + timedelta(days=1))
    (refused,) = taken(memory, reworded)
    assert refused.status == "refused"
    assert "topic upload was rejected" in (refused.reason or "")
    assert "reject --lift upload" in (refused.reason or "")
    assert all("upload" not in json.dumps(entry.details) for entry in memory.admin.audit())
    assert statuses(memory, replace(reworded, confidence=0.99, kind="decision", domain="other")) == ["refused"]
    assert statuses(memory, replace(reworded, topic="upload retries")) == ["held"]


def test_a_person_lifts_a_rejected_topic_by_its_name_or_by_the_words_that_were_rejected(
    memory: Memory, person: Memory
) -> None:
    reworded = replace(DOUBTFUL, text="An upload that fails is tried 3 times.")
    for lifted in ("upload", f"Note: {DOUBTFUL.text}"):
        taken(memory, DOUBTFUL)
        person.facts.reject(waiting_id(memory))
        assert statuses(memory, reworded) == ["refused"]
        assert person.facts.lift_rejection(lifted)
        assert statuses(memory, DOUBTFUL) == ["held"]


def test_a_learned_fact_that_a_person_rejects_is_not_learned_again_in_other_words(
    memory: Memory, person: Memory
) -> None:
    (stored,) = taken(memory, SURE)
    assert stored.status == "stored" and stored.id
    person.reject(stored.id)
    later = replace(SURE, text="Python 3.12 is needed.", time=THEN + timedelta(days=5))
    assert statuses(memory, later) == ["refused"]
    assert memory.list() == []


def test_a_rejection_is_undone_as_if_it_had_not_been(memory: Memory, person: Memory) -> None:
    taken(memory, DOUBTFUL)
    candidate = waiting_id(memory)
    person.facts.edit(candidate, "Uploads are retried four times.")
    rows = [row for row, _ in person.facts.review().candidates]
    person.facts.reject(candidate)
    with pytest.raises(Refused, match="Only a person"):
        memory.facts.reconsider(candidate)
    assert waiting(memory) == []
    assert person.facts.reconsider(candidate) == (candidate,)
    assert person.facts.reconsider(candidate) == (), "it waits already"
    assert [row for row, _ in person.facts.review().candidates] == rows
    assert statuses(memory, DOUBTFUL) == ["waiting"], "its first words are not refused any more, and wait once"
    assert memory.admin.audit()[0].action == "lift"
    person.facts.approve(candidate)
    assert person.facts.reconsider(candidate) == (), "what was approved since is left alone"


def test_editing_puts_the_words_right(memory: Memory, person: Memory) -> None:
    taken(memory, DOUBTFUL)
    candidate = waiting_id(memory)
    person.facts.edit(candidate, "Uploads are retried four times.")
    assert waiting(memory) == ["Uploads are retried four times."]
    person.facts.approve(candidate, text="Uploads are retried exactly four times.")
    assert [row["text"] for row in memory.list()] == ["Uploads are retried exactly four times."]


def test_only_a_person_decides(memory: Memory) -> None:
    taken(memory, DOUBTFUL)
    candidate = waiting_id(memory)
    for refused in (lambda: memory.facts.approve(candidate), lambda: memory.facts.reject(candidate)):
        with pytest.raises(Refused, match="Only a person"):
            refused()
    assert waiting(memory) == [DOUBTFUL.text]


def test_what_does_not_wait_is_named(person: Memory) -> None:
    with pytest.raises(NotFound, match="No candidate"):
        person.facts.approve("0" * 26)
    with pytest.raises(NotFound, match="No candidate"):
        person.facts.reject("0" * 26)
    with pytest.raises(InvalidInput, match="not the id"):
        person.facts.approve("../etc")


def test_what_was_retracted_is_not_learned_again_unless_it_is_newer(memory: Memory, clock: TestClock) -> None:
    (one,) = taken(memory, SURE)
    memory.retract(str(one.id))
    assert statuses(memory, SURE) == ["refused"]
    clock.advance(days=2)
    assert statuses(memory, replace(SURE, time=clock.now - timedelta(days=1))) == ["stored"]


def test_a_commit_from_the_future_is_true_now(memory: Memory, clock: TestClock) -> None:
    (one,) = taken(memory, replace(SURE, time=clock.now + timedelta(days=300)))
    assert memory.show(str(one.id)).version.valid_from == clock.now


def test_secrets_do_not_wait_for_review_either(memory: Memory) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    taken(memory, replace(DOUBTFUL, text=f"The deploy token is {secret}.", evidence=(f"commit 1: add {secret}",)))
    assert waiting(memory)
    assert secret not in json.dumps(memory.facts.review().to_json())
    with memory.space.store.read() as reader:
        assert secret not in json.dumps([row.draft for row in reader.facts.candidates()])


@pytest.mark.slow
def test_forgetting_takes_a_candidate_and_its_copies_along(memory: Memory, person: Memory) -> None:
    unique = replace(DOUBTFUL, text="The zanzibarium service retries thrice.", topic="")
    taken(memory, unique)
    person.forget(waiting_id(memory))
    assert waiting(memory) == []
    assert statuses(memory, unique) == ["refused"]
    assert files_with(memory.space.folder, "zanzibarium") == []


def test_forgetting_a_fact_forgets_the_candidate_that_says_the_same(memory: Memory, person: Memory) -> None:
    taken(memory, replace(DOUBTFUL, topic=""))
    fact = memory.remember(DOUBTFUL.text, domain="storage")
    person.forget(str(fact.id))
    assert waiting(memory) == []


def test_references_to_files_that_are_gone_are_left_out(memory: Memory) -> None:
    (memory.code.root / "here.py").write_text("x = 1\n")
    (memory.code.root.parent / "outside.py").write_text("x = 1\n")
    (one,) = taken(memory, replace(SURE, refs=("here.py", "gone.py", "../outside.py")))
    assert [ref.file_path for ref in memory.show(str(one.id)).version.refs] == ["here.py"]


def test_the_extractor_is_who_takes(memory: Memory) -> None:
    assert EXTRACTOR.source == "extractor"
    assert not EXTRACTOR.decides
