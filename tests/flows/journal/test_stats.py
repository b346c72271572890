"""Numbers about a journal."""

from pathlib import Path

import pytest

from waypost import Memory
from waypost.flows.journal.stats import stats
from waypost.flows.journal_files.log import note_cleanup
from waypost.flows.journal_files.tally import tallies
from waypost.flows.open_space import OpenSpace
from waypost.model.journal import Entry


@pytest.fixture(autouse=True)
def days_in_utc(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir(exist_ok=True)
    (tmp_path / "home" / "config.toml").write_text('[journal]\ntimezone = "UTC"\n')


def say(memory: Memory, text: str, time: str, speaker: str = "user", session: str = "s") -> str:
    return memory.remember(text, kind="conversation", session=session, speaker=speaker, time=time).id or ""


def test_an_empty_journal_has_numbers_too(memory: Memory) -> None:
    found = stats(memory.space)
    assert (found["entries"], found["conversations"], found["first_day"], found["busiest"]) == (0, 0, None, None)
    assert found["stages"] == {}
    assert found["overdue"] is None


def test_what_there_is_is_counted(memory: Memory) -> None:
    for hour in (15, 16, 17):
        say(memory, f"Question {hour}?", f"2026-01-29T{hour}:00:00Z")
        say(memory, f"Answer {hour}.", f"2026-01-29T{hour}:00:05Z", "assistant")
    protected = say(memory, "Remember this.", "2026-01-30T08:00:00Z", session="t")
    memory.protect(protected)
    memory.remember("A note.", kind="note", time="2026-01-30T09:00:00Z")
    note_cleanup(memory.space)
    found = stats(memory.space)
    assert (found["entries"], found["conversations"], found["mean_length"]) == (8, 2, 3.5)
    assert found["kinds"] == {"conversation": 7, "note": 1}
    assert found["speakers"] == ["assistant", "user"]
    assert found["protected"] == 1
    assert (found["first_day"], found["last_day"]) == ("2026-01-29", "2026-01-30")
    assert found["hours"] == {"08": 1, "15": 2, "16": 2, "17": 2}
    assert found["busiest"] == [15, 18]
    assert found["stages"]["daily"]["files"] == 2
    assert found["last_cleanup"] == "2026-01-30T12:00:00Z"
    assert found["next_cleanup"] == "2026-01-31T04:00:00Z"
    assert found["metrics"]["cleanup_runs"] == 1


def test_held_days_are_named(memory: Memory) -> None:
    say(memory, "Keep me.", "2026-01-29T10:00:00Z")
    place = memory.space.journal.root / "daily" / "2026-01-29.md"
    place.write_text(place.read_text().replace("# 2026-01-29\n", "# 2026-01-29\n<!-- waypost:hold -->\n", 1))
    assert stats(memory.space)["held"] == ["daily/2026-01-29.md"]


def test_only_files_that_changed_are_read_again(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    from waypost.flows.journal_files import tally as journal_tally

    say(memory, "One.", "2026-01-28T10:00:00Z")
    say(memory, "Two.", "2026-01-29T10:00:00Z")
    assert sum(tally.entries for tally in tallies(memory.space).values()) == 2
    read: list[str] = []
    real = journal_tally.entries_of

    def noting(space: OpenSpace, path: str) -> tuple[Entry, ...]:
        read.append(path)
        return real(space, path)

    monkeypatch.setattr(journal_tally, "entries_of", noting)
    say(memory, "Three.", "2026-01-29T11:00:00Z")
    assert sum(tally.entries for tally in tallies(memory.space).values()) == 3
    assert read == ["daily/2026-01-29.md"]
    (memory.space.journal.root / "daily" / "2026-01-28.md").unlink()
    assert sum(tally.entries for tally in tallies(memory.space).values()) == 2


def test_what_is_kept_between_two_looks_has_no_words(memory: Memory) -> None:
    say(memory, "Quixzanthal is secret.", "2026-01-28T10:00:00Z", speaker="Wilhelmine", session="brueckenzoll")
    stats(memory.space)
    with memory.space.store.read() as reader:
        kept = reader.meta.get("journal_tallies") or ""
    assert '"n": [1, 1, 22, 0]' in kept
    assert not any(word in kept for word in ("Quix", "Wilhelmine", "brueckenzoll"))


def test_a_damaged_file_is_passed_over(memory: Memory) -> None:
    say(memory, "One.", "2026-01-28T10:00:00Z")
    place = memory.space.journal.root / "archive" / "daily" / "2025-01-01.md.gz"
    place.parent.mkdir(parents=True)
    place.write_bytes(b"\x1f\x8b garbage")
    assert [tally.entries for tally in tallies(memory.space).values()] == [0, 1]
