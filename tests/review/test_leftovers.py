"""What the first review left open: trust in merges, long texts, exports elsewhere, what the metadata says."""

import json
from pathlib import Path

import pytest
from tests.conftest import TestClock

from waypost import Memory
from waypost.embed.fake import FakeEngine
from waypost.errors import InvalidInput
from waypost.model.memory import Caller

pytestmark = pytest.mark.slow  # not for the inner loop


def test_an_agents_words_do_not_change_what_a_person_said(memory: Memory, tmp_path: Path, clock: TestClock) -> None:
    person = Memory.open(tmp_path / "work" / "project", caller=Caller("person", "anna"), clock=clock)
    text = "The quarterly report of the whole finance team is exported as CSV"
    said = person.remember(text)
    added = memory.remember(text + " nightly")
    assert added.status == "added"
    assert added.conflicts_with == said.id
    assert person.show(str(said.id)).version.text == text
    assert person.remember(text + " weekly").status in {"merged", "added"}


def test_a_very_long_text_is_stored_at_once_and_embedded_later(memory: Memory, fake_engine: FakeEngine) -> None:
    fake_engine.calls = []
    long = "\n\n".join(f"Paragraph {n} tells about part {n} of the manual. " * 20 for n in range(90))
    receipt = memory.remember(long, kind="note")
    assert receipt.pending
    assert fake_engine.calls == []
    assert memory.recall("paragraph manual").hits[0].id == receipt.id
    assert not any(memory.admin.embed_pending().values())


def test_an_export_elsewhere_under_the_home_loses_what_is_forgotten(memory: Memory, tmp_path: Path) -> None:
    doomed, kept = memory.remember("The code word is zanzibarium"), memory.remember("The door is green")
    elsewhere = tmp_path / "home" / "backups"
    elsewhere.mkdir()
    memory.admin.export(elsewhere / "mine.jsonl")
    outside = tmp_path / "outside.jsonl"
    memory.admin.export(outside)
    gone = memory.forget(str(doomed.id))
    assert gone.exports_changed == ("mine.jsonl",)
    assert [json.loads(line)["id"] for line in (elsewhere / "mine.jsonl").read_text().splitlines()] == [kept.id]
    assert "zanzibarium" in outside.read_text()  # beyond reach, and said so
    assert any("outside of Waypost" in place for place in gone.beyond_reach)


def test_the_metadata_say_which_engine_and_schema_the_space_has(memory: Memory) -> None:
    found = json.loads((memory.space.folder / "metadata.json").read_text())
    assert (found["model"], found["schema_version"]) == ("minilm-l6-v2", 10)


def test_a_rebuild_is_audited(memory: Memory) -> None:
    memory.admin.rebuild()
    assert [entry.action for entry in memory.admin.audit()] == ["rebuild"]


def test_confidence_is_about_the_task_not_about_what_is_always_told(memory: Memory) -> None:
    memory.remember("We speak plainly", level=0)
    assert memory.brief("how do uploads work?").confidence < 1.0


def test_an_empty_question_is_told_as_a_question(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="question is empty") as caught:
        memory.recall("  ")
    assert "question" in caught.value.remedy
