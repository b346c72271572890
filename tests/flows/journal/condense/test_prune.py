"""Pruning puts old conversations that nobody reads into the archive, and loses nothing."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import TestClock

from waypost import Memory
from waypost.config import JournalSettings
from waypost.flows.journal.condense.prune import prune
from waypost.flows.journal_files.log import events
from waypost.flows.open_space import OpenSpace

OLD = "2025-10-01T10:00:00Z"  # 121 days before the clock of the tests


@pytest.fixture(autouse=True)
def days_in_utc(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir(exist_ok=True)
    (tmp_path / "home" / "config.toml").write_text('[journal]\ntimezone = "UTC"\n')


def say(memory: Memory, text: str, time: str = OLD, kind: str = "conversation", speaker: str = "user") -> str:
    session: dict[str, Any] = {"session": "s"} if kind == "conversation" else {}
    return memory.remember(text, kind=kind, speaker=speaker, time=time, **session).id or ""


def read(memory: Memory, path: str) -> str:
    return memory.space.journal.read(path)


def with_settings(space: OpenSpace, **changes: int) -> OpenSpace:
    settings: JournalSettings = replace(space.settings.journal, **changes)  # type: ignore[arg-type]
    return replace(space, settings=replace(space.settings, journal=settings))


def test_an_old_conversation_goes_to_the_archive_and_stays_searchable(memory: Memory) -> None:
    said = say(memory, "The train to Bologna leaves at nine.")
    recent = say(memory, "The train to Rome leaves at ten.", "2026-01-20T10:00:00Z")
    before = read(memory, "daily/2025-10-01.md")
    done = prune(memory.space)
    assert (done.entries, done.files, done.kept) == ((said,), ("daily/2025-10-01.md",), 0)
    assert not memory.space.journal.exists("daily/2025-10-01.md")  # nothing was left in it
    assert read(memory, "archive/daily/2025-10-01.md") == before
    assert memory.space.journal.exists("daily/2026-01-20.md")
    assert {hit.id for hit in memory.recall("train", k=5)} == {said, recent}
    assert memory.show(said).version.superseded_at is None
    assert events(memory.space, event="pruned")[0]["entries"] == 1
    assert prune(memory.space).entries == ()


def test_only_old_and_unread_conversations_go_the_rest_stays_in_its_file(memory: Memory, clock: TestClock) -> None:
    space = memory.space
    gone = say(memory, "Is it raining?")
    liked = say(memory, "I like tea.", kind="preference")
    noted = say(memory, "The code is 12.", kind="note")
    guarded = say(memory, "Which way to the lake?", "2025-10-01T11:00:00Z")
    memory.protect(guarded)
    asked = say(memory, "The lighthouse is on the northern cape.", "2025-10-01T12:00:00Z")
    memory.recall("lighthouse", k=1)
    done = prune(space)
    assert done.entries == (gone,)
    assert done.kept == 2
    left = read(memory, "daily/2025-10-01.md")
    assert all(one in left for one in (liked, noted, guarded, asked))
    assert gone not in left
    assert gone in read(memory, "archive/daily/2025-10-01.md")
    clock.advance(days=31)  # nobody has asked since
    assert prune(space).entries == (asked,)


def test_what_matters_most_stays(memory: Memory) -> None:
    said = say(memory, "Which train goes to Bologna?")
    place = memory.space.journal.root / "daily" / "2025-10-01.md"
    place.write_text(place.read_text().replace(f"id={said}", f"id={said} importance=8", 1))
    assert prune(memory.space).entries == ()


def test_either_condition_alone_and_none(memory: Memory) -> None:
    space = memory.space
    old = say(memory, "The train to Bologna leaves at nine.")
    newer = say(memory, "The train to Rome leaves at ten.", "2025-12-20T10:00:00Z")
    say(memory, "The train home leaves at noon.", "2026-01-28T10:00:00Z")
    memory.recall("Bologna", k=1)
    assert prune(space, dry_run=True).entries == ()
    assert prune(space, unused_days=0, dry_run=True).entries == (old,)
    assert prune(space, after_days=0, dry_run=True).entries == (newer,)
    assert prune(space, after_days=0, unused_days=0, dry_run=True).entries == ()
    assert prune(with_settings(space, prune_unused_days=0), dry_run=True).entries == (old,)
    assert prune(space, after_days=1, unused_days=0, dry_run=True).entries == (old, newer)  # never the last week's


def test_a_dry_run_changes_nothing(memory: Memory) -> None:
    said = say(memory, "Which train goes to Bologna?")
    before = read(memory, "daily/2025-10-01.md")
    done = prune(memory.space, dry_run=True)
    assert done.to_json() == {"entries": 1, "ids": [said], "files": ["daily/2025-10-01.md"], "kept": 0, "dry_run": True}
    assert read(memory, "daily/2025-10-01.md") == before
    assert not memory.space.journal.exists("archive/daily/2025-10-01.md")


def test_a_file_that_somebody_holds_or_that_is_in_conflict_stays(memory: Memory) -> None:
    say(memory, "Which train goes to Bologna?")
    say(memory, "Which train goes to Rome?", "2025-10-02T10:00:00Z")
    root = memory.space.journal.root / "daily"
    held, torn = root / "2025-10-01.md", root / "2025-10-02.md"
    held.write_text(held.read_text().replace("# 2025-10-01\n", "# 2025-10-01\n<!-- waypost:hold -->\n", 1))
    torn.write_text("<<<<<<< ours\n" + torn.read_text() + "=======\n>>>>>>> theirs\n")
    assert prune(memory.space).entries == ()


def test_words_by_hand_keep_their_file(memory: Memory) -> None:
    said = say(memory, "Which train goes to Bologna?")
    place = memory.space.journal.root / "daily" / "2025-10-01.md"
    place.write_text(place.read_text() + "### 12:00\nMy own note.\n")
    assert prune(memory.space).entries == (said,)
    assert "My own note." in place.read_text()
    assert said not in place.read_text()
