"""Forgetting an entry that was condensed, archived, packed and backed up."""

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.conftest import OpenMemory, TestClock, agree_to_journal_in_repository
from tests.home_files import contents, unpacked

from waypost.memory import Memory

pytestmark = pytest.mark.slow  # not for the inner loop

SECRETIVE = "Remember this: my quizzical zebra Xanthippe sleeps in the pantry, that is important."
NEIGHBOURS = (
    "Remember this: I decided that our team will use PostgreSQL for the ledger, that is important.",
    "Remember this: I prefer tea to coffee, always, that is important.",
)
OWN_WORDS = ("quizzical", "zebra", "Xanthippe", "pantry")


def everything_in(folder: Path) -> dict[str, str]:
    """Every file below the folder as text, unpacked where it is packed."""
    found = {}
    for place, content in contents(folder).items():
        found[place.relative_to(folder).as_posix()] = unpacked(place, content).decode("utf-8", "replace")
    return found


def holding(folder: Path, word: str) -> list[str]:
    return [name for name, text in everything_in(folder).items() if word.casefold() in text.casefold()]


@pytest.fixture
def aged(open_memory: OpenMemory, clock: TestClock) -> tuple[Memory, str]:
    """A journal of half a year with the entry in it, maintained every day for two weeks and then now and then."""
    clock.now = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
    memory = open_memory()
    rows = [
        {"text": text, "kind": "conversation", "session": "s", "speaker": "user", "time": f"2026-01-05T08:00:0{n}Z"}
        for n, text in enumerate((NEIGHBOURS[0], SECRETIVE, NEIGHBOURS[1]))
    ]
    ids = [receipt.id or "" for receipt in memory.remember_many(rows)]
    for _ in range(14):
        clock.advance(days=1)
        memory.admin.maintain()
    memory.journal.curate(ids[1])
    memory.admin.export()
    for _ in range(6):
        clock.advance(days=30)
        memory.admin.maintain()
    return memory, ids[1]


def test_the_entry_stood_in_every_stage_before(aged: tuple[Memory, str]) -> None:
    memory, _ = aged
    files = holding(memory.space.folder / "journal", "Xanthippe")
    assert "archive/2026-01.tar.bz2" in files
    assert "MEMORY.md" in files
    assert any(name.startswith(("monthly/", "archive/weekly/")) for name in files)
    assert any(name.startswith("backups/") for name in files)


def test_a_forgotten_entry_is_gone_from_every_file_and_its_neighbours_are_not(aged: tuple[Memory, str]) -> None:
    memory, entry = aged
    gone = memory.forget(entry)
    assert gone.complete
    for word in OWN_WORDS:
        assert holding(memory.space.folder, word) == []
    for text in NEIGHBOURS:
        assert text in everything_in(memory.space.folder / "journal")["archive/2026-01.tar.bz2"]
    assert {row["text"] for row in memory.list()} == set(NEIGHBOURS)


def test_upkeep_afterwards_does_not_bring_it_back(aged: tuple[Memory, str], clock: TestClock) -> None:
    memory, entry = aged
    memory.forget(entry)
    clock.advance(days=200)
    memory.admin.maintain(force=True)
    memory.admin.rebuild()
    for word in OWN_WORDS:
        assert holding(memory.space.folder, word) == []


def test_what_a_killed_writer_left_of_the_entry_goes_with_it(memory: Memory) -> None:
    entry = memory.remember(SECRETIVE, kind="note").id or ""
    half_written = memory.space.folder / "journal" / "daily" / ".2026-01-05.md.123.0123abcd.tmp"
    half_written.write_text(SECRETIVE, "utf-8")
    memory.forget(entry)
    assert holding(memory.space.folder, "Xanthippe") == []


def test_what_people_wrote_around_it_stays(open_memory: OpenMemory, clock: TestClock) -> None:
    memory = open_memory()
    receipt = memory.remember(SECRETIVE, kind="note")
    memory.journal.curate(receipt.id or "")
    index = memory.space.folder / "journal" / "MEMORY.md"
    index.write_text(index.read_text().replace("# Memory\n", "# Memory\n\nMy own words.\n\n- my own point\n", 1))
    clock.advance(hours=1)
    memory.forget(receipt.id or "")
    text = index.read_text()
    assert "My own words." in text and "- my own point" in text and "Xanthippe" not in text


def test_a_journal_that_the_tree_has_taken_the_place_of_is_cleaned_too(open_memory: OpenMemory) -> None:
    memory = open_memory()
    shutil.rmtree(agree_to_journal_in_repository(memory))  # a branch without it
    receipt = memory.remember(SECRETIVE, kind="note")
    memory.remember(NEIGHBOURS[0], kind="note")
    (memory.code.root / ".waypost" / "daily").mkdir(parents=True)  # as a branch brings it
    memory.remember("A note in the tree.", kind="note")
    memory.forget(receipt.id or "")
    assert holding(memory.space.folder, "Xanthippe") == []
    assert holding(memory.space.folder / "journal", "PostgreSQL") == ["daily/2026-01-30.md"]


def test_a_hand_written_note_that_was_changed_since_is_gone_from_its_file(memory: Memory, clock: TestClock) -> None:
    memory.remember(NEIGHBOURS[0], kind="note")
    file = memory.space.folder / "journal" / "daily" / "2026-01-30.md"
    file.write_text(file.read_text() + f"### 13:00 · anna\n{SECRETIVE}\n")
    [before] = [row["id"] for row in memory.list() if "Xanthippe" in row["text"]]
    file.write_text(file.read_text().replace("pantry", "kitchen"))
    [after] = [row["id"] for row in memory.list() if "Xanthippe" in row["text"]]
    assert before == after
    memory.forget(after)
    assert holding(memory.space.folder, "Xanthippe") == []
    assert NEIGHBOURS[0] in file.read_text()


def test_peoples_own_files_beside_the_journal_are_left_alone(memory: Memory) -> None:
    receipt = memory.remember("We sail to Bergen on Friday.", kind="note")
    own = memory.space.folder / "journal" / "README.md"
    own.write_text("On Friday we meet.\n")
    memory.forget(receipt.id or "")
    assert own.read_text() == "On Friday we meet.\n"
