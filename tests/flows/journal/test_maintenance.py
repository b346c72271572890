"""Upkeep that touches the journal: what was read, what was neglected, where the files live."""

import gzip
import re
from pathlib import Path

import pytest
from tests.conftest import OpenMemory, TestClock, agree_to_journal_in_repository

from waypost.errors import InvalidInput
from waypost.flows.recall.access import take_accesses
from waypost.memory import Memory
from waypost.model.memory import Caller


def test_an_entry_that_answered_is_noted_as_read_on_that_day(memory: Memory, clock: TestClock) -> None:
    receipt = memory.remember("The cat is called Minka.", kind="note")
    memory.remember("Trains are late.", kind="fact")
    clock.advance(days=3)
    memory.recall("what is the cat called")
    memory.recall("what is the cat called")
    assert len((memory.space.folder / "accessed.log").read_text().splitlines()) == 1
    assert take_accesses(memory.space) == 1
    accessed = memory.show(receipt.id or "").state.accessed_at
    assert accessed is not None and accessed.date() == clock().date()
    assert take_accesses(memory.space) == 0


def test_what_a_hand_wrote_into_the_note_of_reads_does_no_harm(memory: Memory) -> None:
    receipt = memory.remember("The cat is called Minka.", kind="note")
    (memory.space.folder / "accessed.log").write_text(f"nonsense\n2026-01-30 x\n2026-13-77 {receipt.id}\n\n")
    take_accesses(memory.space)
    assert memory.show(receipt.id or "").state.accessed_at is None


def test_upkeep_condenses_the_journal_and_rests_when_nothing_is_due(memory: Memory, clock: TestClock) -> None:
    memory.remember("Remember this: I decided to learn Finnish, that is important.", kind="note")
    clock.advance(days=9)
    done = {one.step: one for one in memory.admin.maintain()}
    assert done["journal"].done > 0
    assert {one.step: one for one in memory.admin.maintain()}["journal"].done == 0


def test_a_neglected_journal_calls_a_worker_when_it_is_opened(
    open_memory: OpenMemory, clock: TestClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[str] = []
    monkeypatch.setenv("WAYPOST_BACKGROUND", "1")
    monkeypatch.setattr("waypost.flows.admin.worker.start_worker", lambda space: called.append(space.identity.space_id))
    memory = open_memory()
    memory.remember("A note", kind="note")
    memory.admin.maintain()
    memory.close()
    called.clear()
    clock.advance(hours=20)
    open_memory().close()
    assert called == []
    clock.advance(hours=20)
    for _ in range(3):  # the worker itself opens it too
        open_memory().close()
    assert called == [memory.identity.space_id]
    clock.advance(hours=7)
    open_memory()
    assert called == [memory.identity.space_id] * 2


def test_status_and_doctor_say_that_upkeep_was_missed(memory: Memory, clock: TestClock) -> None:
    memory.remember("A note", kind="note")
    assert memory.status()["overdue"] is None
    clock.advance(days=5)
    assert memory.status()["overdue"]["days"] == 5
    [upkeep] = [one for one in memory.admin.doctor() if one.check == "upkeep"]
    assert not upkeep.ok and "schedule install" in upkeep.remedy


def test_doctor_tells_what_stands_in_files_and_is_not_in_the_index(memory: Memory, clock: TestClock) -> None:
    first = memory.remember("The cat is called Minka.", kind="note")
    memory.remember("The dog is called Rex.", kind="note")
    file = memory.space.folder / "journal" / "daily" / "2026-01-30.md"
    old = file.read_text()
    memory.forget(first.id or "")
    file.write_text(old + "### 13:00 · anna\nThe token is ghp_a8Kd93jfLs02mZ7qPx1vTb6cRn4wEy5uHg2i.\n")
    told = [one.message for one in memory.admin.doctor() if one.check == "journal" and not one.ok]
    assert any("secret" in message for message in told)
    assert any("an entry that was forgotten" in message for message in told)


def test_a_journal_moves_into_the_tree_with_all_its_files(open_memory: OpenMemory, clock: TestClock) -> None:
    open_memory()
    memory = Memory.open(open_memory().code.root, caller=Caller("person", "anna"), clock=clock)
    receipt = memory.remember("The cat is called Minka.", kind="note")
    clock.advance(days=9)
    memory.admin.maintain()
    own = memory.space.folder / "journal"
    before = {place.relative_to(own): place.read_bytes() for place in own.rglob("*") if place.is_file()}
    target = memory.journal.keep_in_tree()
    assert target == memory.code.root / ".waypost"
    moved = {place.relative_to(target): place.read_bytes() for place in target.rglob("*") if place.is_file()}
    named = {Path(re.sub(r"(daily/\d{4}-\d\d-\d\d)\.[0-9a-f]{8}", r"\1", str(name))): moved[name] for name in moved}
    assert {name: named[name] for name in before} == before
    assert not [place for place in own.rglob("*") if place.is_file()]
    assert memory.show(receipt.id or "").version.text == "The cat is called Minka."
    assert len(memory.history(receipt.id or "").versions) == 1
    memory.journal.keep_in_tree()
    memory.remember("The dog is called Rex.", kind="note")
    assert "Rex" in "".join(place.read_text() for place in (target / "daily").iterdir())


def test_bundles_are_taken_apart_when_a_journal_moves_into_the_tree(open_memory: OpenMemory, clock: TestClock) -> None:
    open_memory()
    memory = Memory.open(open_memory().code.root, caller=Caller("person", "anna"), clock=clock)
    receipt = memory.remember("The cat is called Minka.", kind="note")
    clock.advance(days=200)
    memory.admin.maintain()
    assert [place.name for place in (memory.space.folder / "journal" / "archive").glob("*.bz2")] == ["2026-01.tar.bz2"]
    target = memory.journal.keep_in_tree()
    assert [place.name for place in target.rglob("*.bz2") if place.parent.name == "archive"] == []
    (day,) = (target / "archive" / "daily").iterdir()
    assert day.suffix == ".gz" and b"Minka" in gzip.decompress(day.read_bytes())
    memory.admin.maintain(force=True)
    assert day.exists()
    assert memory.show(receipt.id or "").version.text == "The cat is called Minka."
    assert len(memory.history(receipt.id or "").versions) == 1


def test_a_journal_does_not_move_behind_a_link(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "elsewhere" / "daily").mkdir(parents=True)
    (memory.code.root / ".waypost").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InvalidInput):
        agree_to_journal_in_repository(memory)
    memory.remember("The cat is called Minka.", kind="note")
    assert not list((tmp_path / "elsewhere" / "daily").iterdir())
