"""Import from Crowdbot: backup, days by timestamps, preferences, and the way back."""

import gzip
import os
from datetime import datetime
from pathlib import Path

import pytest
from tests.conftest import OpenMemory, agree_to_journal_in_repository

from waypost.compat.crowdbot.importer import import_crowdbot, survey_crowdbot
from waypost.config import JournalSettings
from waypost.errors import InvalidInput
from waypost.flows.journal.entry_import import EntryImportReport, Returned, undo
from waypost.memory import Memory
from waypost.model.memory import Caller

ME = Caller("person", "tester")
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
OLD = """# Langzeitgedächtnis für Raimund

Erstellt: 2026-01-15

## Präferenzen
- Kein Fußball
- Deutsch bevorzugt

## 2026-01-15

### Benutzer - 14:30:00
Ich möchte drei AWS Zertifizierungen machen.

### Crowdbot - 14:31:20
Hier ist dein Lernplan:
1. VPC

[2026-01-16 09:00] User: Wie ist das Wetter?
**Bot** (16.01.2026, 09:01): Regen.

## Wohnort
Marmagen
"""
DAY = """# daily/20260130.md

### Benutzer - 18:00:15
Was läuft heute auf ZDF um 20:15?

### Crowdbot - 18:00:20
{answer}
"""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "old" / "memory.md"
    path.parent.mkdir()
    path.write_text(OLD)
    os.utime(path, (1_769_400_000, 1_769_400_000))
    return path


def bring(memory: Memory, path: Path) -> EntryImportReport:
    return import_crowdbot(memory.space, path, ME)


def back(memory: Memory, which: str | None) -> Returned:
    return undo(memory.space, which, ME)


def journal(memory: Memory) -> Path:
    return memory.space.journal.root


def files(memory: Memory) -> dict[str, str]:
    root = journal(memory)
    return {path.relative_to(root).as_posix(): path.read_text() for path in sorted(root.rglob("*.md"))}


def texts(memory: Memory, kind: str) -> list[str]:
    return [row["text"] for row in memory.list(kind=kind)]


# -- one large file


def test_one_large_file_is_split_into_days_preferences_and_an_upper_part(memory: Memory, old: Path) -> None:
    done = bring(memory, old)
    assert (done.days, done.entries, done.preferences, done.duplicates, done.refused) == (3, 4, 2, 0, 0)
    found = files(memory)
    assert "14:30:00 · user" in found["daily/2026-01-15.md"]
    assert "14:31:20 · Crowdbot" in found["daily/2026-01-15.md"]
    assert "Hier ist dein Lernplan:\n1. VPC" in found["daily/2026-01-15.md"]
    assert "Regen." in found["daily/2026-01-16.md"]
    assert "- Kein Fußball" in found["important/preferences.md"]
    upper = found["MEMORY.md"]
    assert upper.startswith("## Aus memory.md\n")
    assert "Marmagen" in upper
    assert "Lernplan" not in upper
    assert set(texts(memory, "preference")) == {"Kein Fußball", "Deutsch bevorzugt"}


def test_every_line_of_the_old_file_is_found_again(memory: Memory, old: Path) -> None:
    bring(memory, old)
    everything = "\n".join(files(memory)[name] for name in files(memory) if name != "memory_v1_backup.md")
    spent = {"## Präferenzen", "## 2026-01-15", "### Benutzer - 14:30:00", "### Crowdbot - 14:31:20"}
    for line in OLD.split("\n"):
        words = (
            line.rpartition("User: ")[2].rpartition("**Bot** (16.01.2026, 09:01): ")[2].removeprefix("- ").lstrip("# ")
        )
        assert words in everything or line in spent, line


def test_the_old_file_is_kept_byte_for_byte_and_untouched(memory: Memory, old: Path) -> None:
    old.write_bytes(b"\xef\xbb\xbf" + OLD.replace("\n", "\r\n").encode())
    before = old.read_bytes()
    done = bring(memory, old)
    copy = journal(memory) / "memory_v1_backup.md"
    assert copy.read_bytes() == before == old.read_bytes()
    assert done.backup == str(copy)
    assert copy.stat().st_mode & 0o077 == 0
    assert done.entries == 4


def test_another_old_file_gets_a_backup_of_its_own(memory: Memory, old: Path) -> None:
    bring(memory, old)
    old.write_text(OLD.replace("## Wohnort", "[2026-01-17 10:00] User: Neu\n\n## Wohnort"))
    done = bring(memory, old)
    assert done.backup is not None
    assert done.backup.endswith("memory_v1_backup_2.md")
    assert (done.entries, done.duplicates) == (1, 6)
    assert bring(memory, old).backup == done.backup


def test_the_same_file_again_changes_no_byte_of_the_journal(memory: Memory, old: Path) -> None:
    bring(memory, old)
    before = files(memory)
    os.utime(old, (1_769_500_000, 1_769_500_000))
    again = bring(memory, old)
    assert (again.id, again.entries, again.preferences, again.duplicates, again.files) == (None, 0, 0, 6, ())
    assert files(memory) == before


def test_local_times_are_those_of_the_journals_zone(open_memory: OpenMemory, old: Path) -> None:
    memory = open_memory()
    object.__setattr__(memory.space.settings, "journal", JournalSettings(timezone="Asia/Tokyo"))
    old.write_text("[2026-01-16 01:00] User: früh")
    bring(memory, old)
    (row,) = memory.list(kind="conversation")
    assert datetime.fromisoformat(row["time"]) == datetime.fromisoformat("2026-01-16T01:00:00+09:00")
    assert next(iter(files(memory))) == "daily/2026-01-16.md"


def test_secrets_are_masked_in_entries_and_in_the_upper_part(memory: Memory, old: Path) -> None:
    old.write_text(f"Mein Token: {TOKEN}\n\n[2026-01-16 09:00] User: mein Token ist {TOKEN}\n")
    done = bring(memory, old)
    assert done.masked == 2
    assert any("2 secrets are masked" in one for one in done.notices)
    assert [name for name, text in files(memory).items() if TOKEN in text] == []
    assert files(memory)["memory_v1_backup.md"].startswith("Mein Token: [secret: ")
    assert bring(memory, old).backup == done.backup


@pytest.mark.slow
def test_a_long_text_without_a_date_becomes_notes_instead_of_filling_every_context(memory: Memory, old: Path) -> None:
    old.write_text("".join(f"# Thema {n}\n{'wort ' * 200}\n" for n in range(30)))
    done = bring(memory, old)
    assert (done.entries, done.files) == (30, ())
    assert "MEMORY.md" not in files(memory)


def test_text_is_added_below_what_people_wrote_and_above_what_is_generated(memory: Memory, old: Path) -> None:
    page = "# Mine\r\n\r\nkeep\r\n<!-- waypost:begin 00 -->\r\nmade\r\n<!-- waypost:end -->\r\n"
    journal(memory).mkdir(parents=True)
    (journal(memory) / "MEMORY.md").write_bytes(page.encode())
    done = bring(memory, old)
    text = (journal(memory) / "MEMORY.md").read_bytes().decode()
    assert text.startswith("# Mine\r\n\r\nkeep\r\n\r\n## Aus memory.md\r\n")
    assert text.endswith("Marmagen\r\n\r\n<!-- waypost:begin 00 -->\r\nmade\r\n<!-- waypost:end -->\r\n")
    back(memory, done.id)
    assert (journal(memory) / "MEMORY.md").read_bytes().decode().replace("\r\n\r\n<!--", "\r\n<!--") == page


# -- looking first, and going back


def test_a_survey_counts_and_writes_nothing(memory: Memory, old: Path) -> None:
    found = survey_crowdbot(memory.space, old)
    assert (found.days, found.entries, found.preferences, found.files) == (3, 4, 2, ("MEMORY.md",))
    assert found.dry_run
    assert not journal(memory).exists()


def test_an_undo_takes_back_all_but_the_backup(memory: Memory, old: Path) -> None:
    memory.remember("Von heute", kind="note")
    before = files(memory)
    done = bring(memory, old)
    gone = back(memory, done.id)
    assert (len(gone.retracted), gone.left, gone.files, gone.kept) == (6, (), ("MEMORY.md",), ())
    after = files(memory)
    assert after.pop("memory_v1_backup.md") == OLD
    assert "Kein Fußball" not in after.pop("important/preferences.md", "")
    assert after == before
    assert texts(memory, "conversation") == []


def test_an_undo_leaves_what_was_edited_by_hand_since(memory: Memory, old: Path) -> None:
    done = bring(memory, old)
    page = journal(memory) / "daily" / "2026-01-16.md"
    page.write_text(page.read_text().replace("Regen.", "Regen, und Wind."))
    index = journal(memory) / "MEMORY.md"
    index.write_text(index.read_text().replace("Marmagen", "Nettersheim"))
    memory.list()
    gone = back(memory, done.id)
    assert (len(gone.retracted), len(gone.left), gone.kept) == (5, 1, ("MEMORY.md",))
    assert "Regen, und Wind." in page.read_text()
    assert "Nettersheim" in index.read_text()


def test_what_was_undone_can_come_again(memory: Memory, old: Path) -> None:
    back(memory, bring(memory, old).id)
    again = bring(memory, old)
    assert (again.entries, again.preferences) == (4, 2)
    assert "Kein Fußball" in files(memory)["important/preferences.md"]


# -- the folder of the second version


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "users" / "42"
    for name in ("daily", "weekly", "archive/daily", "archive/weekly", "important"):
        (root / name).mkdir(parents=True)
    (root / "daily" / "20260130.md").write_text(DAY.format(answer="Handball-EM\n\n[Soft Trim angewendet]"))
    (root / "archive" / "daily" / "20260130.md").write_text(DAY.format(answer="Das Halbfinale, live."))
    packed = DAY.replace("20260130", "20250901").format(answer="Nichts.")
    (root / "archive" / "daily" / "20250901.md.gz").write_bytes(gzip.compress(packed.encode()))
    (root / "weekly" / "2026-W05.md").write_text("## Kalenderwoche 5\n\n### Hauptthemen\n- Memory 2.0\n")
    (root / "important" / "preferences.md").write_text("# Präferenzen\n\n## Serien\n- Game of Thrones\n")
    index = "# Gedächtnis\n\n## Konversationshistorie\n\n### 2026-01-30 (Heute)\nTV\n\n### 2026-01-02\nNeujahr\n\n"
    (root / "memory.md").write_text(index + "## Persönliche Details\n- Name: Raimund\n\n## Meta-Statistiken\n- 147\n")
    return root


def test_a_folder_is_taken_over_with_originals_before_what_was_shortened(memory: Memory, folder: Path) -> None:
    done = bring(memory, folder)
    found = files(memory)
    assert "Das Halbfinale, live." in found["daily/2026-01-30.md"]
    assert "Soft Trim" not in "".join(found.values())
    assert "Nichts." in found["daily/2025-09-01.md"]
    assert "Neujahr" in found["daily/2026-01-02.md"]
    assert found["weekly/2026-W05.md"] == (folder / "weekly" / "2026-W05.md").read_text()
    assert "Serien\n  Game of Thrones" in found["important/preferences.md"]
    assert "Raimund" in found["MEMORY.md"]
    assert "147" not in found["MEMORY.md"]
    assert found["memory_v1_backup.md"] == (folder / "memory.md").read_text()
    assert done.preferences == 1
    assert any("1 shortened" in one for one in done.notices)
    assert bring(memory, folder).id is None


def test_a_summary_that_is_here_already_stays(memory: Memory, folder: Path) -> None:
    (journal(memory) / "weekly").mkdir(parents=True)
    (journal(memory) / "weekly" / "2026-W05.md").write_text("mine\n")
    done = bring(memory, folder)
    assert files(memory)["weekly/2026-W05.md"] == "mine\n"
    assert any("weekly/2026-W05.md already exists" in one for one in done.notices)
    back(memory, done.id)
    assert files(memory)["weekly/2026-W05.md"] == "mine\n"


def test_links_in_a_folder_are_not_followed(memory: Memory, folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "20260201.md").write_text("### Benutzer - 10:00:00\nausserhalb\n")
    (folder / "daily" / "20260201.md").symlink_to(outside / "20260201.md")
    (folder / "monthly").symlink_to(outside)
    bring(memory, folder)
    assert "ausserhalb" not in "".join(files(memory).values())


@pytest.mark.parametrize("what", ["missing", "empty", "binary", "damaged"])
def test_what_cannot_be_read_is_said_and_nothing_is_written(memory: Memory, tmp_path: Path, what: str) -> None:
    path = tmp_path / "in"
    if what == "empty":
        path.mkdir()
    elif what == "binary":
        path.write_bytes(bytes(range(256)) * 20)
    elif what == "damaged":
        (path / "archive" / "daily").mkdir(parents=True)
        (path / "archive" / "daily" / "20260101.md.gz").write_bytes(b"\x1f\x8b nonsense")
    with pytest.raises(InvalidInput):
        bring(memory, path)
    assert not journal(memory).exists()


def test_the_backup_of_a_journal_in_a_repository_stays_out_of_it(open_memory: OpenMemory, old: Path) -> None:
    memory = open_memory()
    (memory.code.root / ".waypost").mkdir()
    (memory.code.root / ".waypost" / "MEMORY.md").write_text("# Mine\n")
    agree_to_journal_in_repository(memory)
    done = bring(memory, old)
    assert journal(memory) == memory.code.root / ".waypost"
    assert done.backup == str(memory.space.folder / "imports" / "memory_v1_backup.md")
    assert "memory_v1_backup.md" not in files(memory)
    assert files(memory)["MEMORY.md"].startswith("# Mine\n\n## Aus memory.md\n")
