"""Links in the place of the journal's files: not followed, named by `doctor`, and no reason to call a stored write failed."""

import os
from pathlib import Path

import pytest
from tests.conftest import TestClock

from waypost import Memory
from waypost.errors import StoreError
from waypost.flows.findings import JOURNAL_FILE
from waypost.journal.layout import INDEX, PREFERENCES

pytestmark = pytest.mark.skipif(os.name != "posix", reason="links need rights on Windows")


def linked(memory: Memory, path: str, target: Path) -> Path:
    place = memory.space.journal.root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    place.symlink_to(target)
    return place


def named_by_doctor(memory: Memory) -> list[str]:
    return [one.message for one in memory.admin.doctor() if one.kind == JOURNAL_FILE.name]


def test_a_preference_is_stored_and_told_so_when_its_file_is_a_link(
    memory: Memory, clock: TestClock, tmp_path: Path
) -> None:
    (tmp_path / "theirs.md").write_text("# Theirs\n")
    place = linked(memory, PREFERENCES, tmp_path / "theirs.md")
    receipt = memory.remember("I like coffee", kind="preference")
    assert receipt.status == "added"
    (notice,) = receipt.notices
    assert notice.startswith(f"It is stored, but not yet in {PREFERENCES}: ")
    assert "symlink" in notice and "permissions" not in notice
    assert [row["text"] for row in memory.list()] == ["I like coffee"]
    assert (tmp_path / "theirs.md").read_text() == "# Theirs\n"
    assert len(named_by_doctor(memory)) == 1 and named_by_doctor(memory)[0].startswith(f"{PREFERENCES} is a symlink")
    place.unlink()
    clock.advance(days=10)
    memory.journal.condense()
    assert "I like coffee" in place.read_text()
    assert named_by_doctor(memory) == []


def test_only_the_preferences_of_a_batch_get_the_notice(memory: Memory, tmp_path: Path) -> None:
    linked(memory, PREFERENCES, tmp_path)
    note, liked = memory.remember_many(
        [{"text": "Talked to Anna", "kind": "note"}, {"text": "I like tea", "kind": "preference"}]
    )
    assert (note.status, note.notices, liked.status, len(liked.notices)) == ("added", (), "added", 1)


def test_doctor_names_linked_pages_and_folders(memory: Memory, tmp_path: Path) -> None:
    memory.journal.add("Talked to Anna")
    linked(memory, INDEX, tmp_path / "nowhere.md")
    linked(memory, "daily/2026-01-02.md", tmp_path / "nowhere.md")
    linked(memory, "weekly", tmp_path)
    assert [message.split(" ")[0] for message in named_by_doctor(memory)] == [INDEX, "daily/2026-01-02.md", "weekly"]


def test_a_linked_page_that_is_to_be_written_is_called_a_link(memory: Memory, tmp_path: Path) -> None:
    entry = str(memory.journal.add("Talked to Anna").id)
    linked(memory, INDEX, tmp_path / "nowhere.md")
    with pytest.raises(StoreError, match=r"MEMORY\.md is a symlink, which the journal does not follow"):
        memory.journal.curate(entry)
