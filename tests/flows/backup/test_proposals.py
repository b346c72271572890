"""Snapshots lose the proposals about a memory together with it, and no restore brings one back."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from tests.conftest import TestClock
from tests.home_files import contents

from waypost import Memory
from waypost.errors import StoreBusy
from waypost.flows.backup import restore as backup_restore
from waypost.flows.backup.restore import BackupPlace, RestorePlan
from waypost.flows.backup.snapshots import MemoryBackup
from waypost.flows.write.erase_rows import ErasureTargets
from waypost.model.memory import Caller

NAME = "Zzyzxquixandra"
PROPOSED = f"Payroll of {NAME} runs on beta"


@pytest.fixture
def agent(memory: Memory, clock: TestClock) -> Memory:
    return Memory.open(memory.code.root, caller=Caller("agent", "claude"), clock=clock)


@pytest.fixture
def fact(person: Memory) -> str:
    return str(person.remember("Payroll runs on alpha").id)


def traces(memory: Memory) -> list[str]:
    home = memory.space.folder
    return sorted(str(path.relative_to(home)) for path, held in contents(home).items() if NAME.encode() in held)


def in_review(memory: Memory) -> list[str]:
    return [one["text"] for one in memory.facts.review().to_json()["candidates"]]


def restored_everywhere(person: Memory) -> None:
    """Go back to every snapshot, with something to do each time; nothing of the name comes back."""
    for one in person.admin.backups.list():
        person.remember(f"Written before the restore of {one.id}")
        assert not person.admin.backups.restore(one.id).plan.changes_nothing
        assert [text for text in in_review(person) if NAME in text] == []
        assert [row for row, _ in person.facts.rejected(limit=100) if NAME in str(row)] == []
        assert traces(person) == []


@pytest.mark.slow
@pytest.mark.parametrize("state", ["in review", "rejected", "rejected since", "edited since", "approved since"])
def test_forgetting_a_memory_takes_the_proposals_about_it_out_of_every_snapshot(
    person: Memory, agent: Memory, clock: TestClock, fact: str, state: str
) -> None:
    proposal = str(agent.correct(fact, PROPOSED).id)
    agent.retract(fact)
    if state == "rejected":
        person.facts.reject(proposal)
    person.admin.backups.make()
    clock.advance(hours=1)
    if state == "rejected since":
        person.facts.reject(proposal)
    elif state == "edited since":
        person.facts.edit(proposal, "Payroll runs on gamma")
    elif state == "approved since":
        person.facts.approve(proposal, text="Payroll runs on gamma")
    person.admin.backups.make()
    assert [path for path in traces(person) if path.startswith("backups/")]  # the control
    assert person.forget(fact).complete
    assert traces(person) == []
    assert all(one.is_sound for one in person.admin.backups.list())
    restored_everywhere(person)


def test_a_proposal_goes_from_snapshots_that_hold_other_proposals_too(person: Memory, agent: Memory, fact: str) -> None:
    other = str(person.remember("Invoices run on alpha").id)
    agent.correct(other, "Invoices run on delta")
    agent.correct(fact, PROPOSED)
    person.admin.backups.make()
    person.forget(fact)
    person.remember("Written before the restore")
    person.admin.backups.restore()
    assert in_review(person) == ["Invoices run on delta"]
    assert traces(person) == []


def test_a_rejected_candidate_that_is_forgotten_goes_from_snapshots(person: Memory, agent: Memory, fact: str) -> None:
    proposal = str(agent.correct(fact, PROPOSED).id)
    person.facts.reject(proposal)
    person.admin.backups.make()
    assert person.forget(proposal).complete
    assert traces(person) == []
    restored_everywhere(person)
    assert [row["id"] for row in person.list()] == [fact]


def test_the_end_of_a_memorys_time_takes_the_proposals_about_it_here_and_in_snapshots(
    person: Memory, agent: Memory, clock: TestClock, fact: str
) -> None:
    person.facts.set_ttl(fact, 3600, on_expire="delete")
    agent.correct(fact, PROPOSED)
    agent.retract(fact)
    person.admin.backups.make()
    clock.advance(hours=2)
    assert person.facts.expire().deleted == [fact]
    assert in_review(person) == []
    assert traces(person) == []
    restored_everywhere(person)


def kept_elsewhere(person: Memory, made: MemoryBackup, place: Path) -> Path:
    return Path(shutil.copytree(made.path, place / "kept"))


def put_back(kept: Path, made: MemoryBackup) -> None:
    shutil.rmtree(made.path)
    shutil.copytree(kept, made.path)


@pytest.mark.slow
@pytest.mark.parametrize("state", ["in review", "rejected"])
@pytest.mark.parametrize("forgotten", ["the memory", "the candidate", "the memory after its time"])
def test_a_snapshot_that_was_kept_elsewhere_brings_back_no_proposal_about_what_was_forgotten(
    person: Memory, agent: Memory, clock: TestClock, fact: str, tmp_path: Path, state: str, forgotten: str
) -> None:
    proposal = str(agent.correct(fact, PROPOSED).id)
    if state == "rejected":
        person.facts.reject(proposal)
    if forgotten == "the memory after its time":
        person.facts.set_ttl(fact, 3600, on_expire="delete")
    made = person.admin.backups.make()
    kept = kept_elsewhere(person, made, tmp_path)
    if forgotten == "the memory after its time":
        clock.advance(hours=2)
        person.facts.expire()
    else:
        person.forget(fact if forgotten == "the memory" else proposal)
    put_back(kept, made)
    assert traces(person)  # the control
    restored_everywhere(person)


def test_a_candidate_that_said_what_was_forgotten_later_stays_gone(
    person: Memory, agent: Memory, fact: str, tmp_path: Path
) -> None:
    agent.correct(fact, PROPOSED)
    made = person.admin.backups.make()
    kept = kept_elsewhere(person, made, tmp_path)
    said = str(person.remember(PROPOSED).id)
    person.forget(said)
    put_back(kept, made)
    restored_everywhere(person)
    assert [row["id"] for row in person.list()] == [fact]


@pytest.mark.slow
def test_what_is_forgotten_while_a_restore_is_prepared_does_not_come_back(
    person: Memory, fact: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = person.admin.backups.make()
    person.remember("Written before the restore")
    impatient = replace(person.space.settings, busy_timeout_seconds=0.1)
    other = Memory(person.identity, impatient, Caller("person", "ada"), person.space.clock)
    before = backup_restore._plan_with_targets

    def planned(place: BackupPlace, backup: MemoryBackup) -> tuple[RestorePlan, ErasureTargets]:
        done = before(place, backup)
        assert not other.forget(fact).complete  # the restore holds the snapshots
        return done

    with monkeypatch.context() as patch:
        patch.setattr(backup_restore, "_plan_with_targets", planned)
        with pytest.raises(StoreBusy, match="forgotten while the restore was prepared"):
            person.admin.backups.restore(made.id)
    assert [row["text"] for row in person.list()] == ["Written before the restore"]
    person.admin.backups.restore(made.id)
    assert person.list() == []


@pytest.mark.slow
def test_a_damaged_database_that_says_what_was_forgotten_gets_no_proposal_about_it_back(
    person: Memory, agent: Memory, fact: str, tmp_path: Path
) -> None:
    person.remember_many([{"text": f"Fact {n} is about item {n}", "kind": "note"} for n in range(200)])
    agent.correct(fact, PROPOSED)
    made = person.admin.backups.make()
    kept = kept_elsewhere(person, made, tmp_path)
    person.forget(fact)
    put_back(kept, made)
    path = person.space.folder / "memory.db"
    person.close()
    agent.close()
    content = bytearray(path.read_bytes())
    page = content.index(b"Fact 100 is about") // 4096 * 4096  # of the table of memories: the rest can be read
    content[page : page + 4096] = bytes(4096)
    path.write_bytes(content)
    done = person.admin.backups.restore(made.id)
    assert done.aside
    shutil.rmtree(done.aside.parent)
    assert len(person.list(limit=1000)) == 200
    assert in_review(person) == []
    assert traces(person) == []
