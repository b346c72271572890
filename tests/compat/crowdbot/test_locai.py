"""Import from LocAI: persona, curated memory, days and important notes of a `.locai` folder."""

from pathlib import Path

import pytest

from waypost.compat.crowdbot.locai import import_locai, survey_locai
from waypost.errors import InvalidInput
from waypost.flows.journal.entry_import import EntryImportReport, undo
from waypost.memory import Memory
from waypost.model.memory import Caller

ME = Caller("person", "tester")
DAY = """# 2026-02-23

## 10:15 [conversation]
User fragte nach SIA-Normen

## 11:00 (agent)
PDF-Zusammenfassung: 12 Seiten, 130s mit qwen3

- [12:00] (preference) Bevorzugt Deutsch
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "other" / ".locai"
    (root / "memory" / "important").mkdir(parents=True)
    (root / "memory" / "archive").mkdir()
    (root / "DNA.md").write_text("Du bist LocAI.\n")
    (root / "MEMORY.md").write_text("# Gedächtnis\n\n- Arbeitet mit Baunormen\n")
    (root / "memory" / "2026-02-23.md").write_text(DAY)
    (root / "memory" / "archive" / "2025-11-01.md").write_text("- Alte Notiz\n- Noch eine\n")
    (root / "memory" / "important" / "normen.md").write_text("# Normen\n\n- SIA 118\n")
    (root / "memory" / "important" / "preferences.md").write_text("- Mag kurze Antworten\n")
    (root / ".memory-index.json").write_text('{"secret": "not read"}')
    return root


def bring(memory: Memory, path: Path) -> EntryImportReport:
    return import_locai(memory.space, path, ME)


def files(memory: Memory) -> dict[str, str]:
    root = memory.space.journal.root
    return {path.relative_to(root).as_posix(): path.read_text() for path in sorted(root.rglob("*.md"))}


def test_a_folder_of_locai_is_taken_over(memory: Memory, folder: Path) -> None:
    done = bring(memory, folder)
    found = files(memory)
    assert found["DNA.md"] == "Du bist LocAI.\n"
    assert found["MEMORY.md"].startswith("## Aus MEMORY.md\n\n### Gedächtnis\n\n- Arbeitet mit Baunormen")
    assert found["important/normen.md"] == "# Normen\n\n- SIA 118\n"
    assert "Mag kurze Antworten" in found["important/preferences.md"]
    assert {(row["kind"], row["text"]) for row in memory.list() if row["time"]} >= {
        ("workflow_result", "PDF-Zusammenfassung: 12 Seiten, 130s mit qwen3"),
        ("preference", "Bevorzugt Deutsch"),
        ("preference", "Mag kurze Antworten"),
        ("conversation", "User fragte nach SIA-Normen"),
        ("note", "Alte Notiz"),
        ("note", "Noch eine"),
    }
    assert {"daily/2026-02-23.md", "daily/2025-11-01.md"} < set(found)
    assert (done.entries, done.preferences, done.days) == (4, 2, 3)
    assert "not read" not in "".join(found.values())


def test_a_project_that_has_such_a_folder_can_be_named_too(memory: Memory, folder: Path) -> None:
    assert survey_locai(memory.space, folder.parent).entries == 4


def test_twice_adds_nothing_and_an_undo_takes_all_back(memory: Memory, folder: Path) -> None:
    done = bring(memory, folder)
    before = files(memory)
    again = bring(memory, folder)
    assert (again.id, again.duplicates, again.files) == (None, 6, ())
    assert files(memory) == before
    gone = undo(memory.space, done.id, ME)
    assert (len(gone.retracted), gone.kept) == (6, ())
    assert set(gone.files) == {"DNA.md", "MEMORY.md", "important/normen.md"}
    assert [line for text in files(memory).values() for line in text.split("\n") if line] == [
        "# Interessen & Präferenzen"
    ]


def test_a_persona_that_is_here_stays_and_the_other_is_kept_beside_it(memory: Memory, folder: Path) -> None:
    root = memory.space.journal.root
    root.mkdir(parents=True)
    (root / "DNA.md").write_text("Ich bin ich.\n")
    done = bring(memory, folder)
    assert (files(memory)["DNA.md"], files(memory)["DNA.locai.md"]) == ("Ich bin ich.\n", "Du bist LocAI.\n")
    assert any("DNA.locai.md" in one for one in done.notices)


def test_a_folder_without_memory_is_refused(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="has no LocAI memory"):
        bring(memory, tmp_path)
    with pytest.raises(InvalidInput, match="has no LocAI memory"):
        bring(memory, tmp_path / "missing")
