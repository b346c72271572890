"""What every store promises about the journal: which files were read, and which entries stand in them."""

from datetime import UTC, datetime, timedelta

from waypost.model.memory import Version
from waypost.model.recall import View
from waypost.model.time import Moment
from waypost.store.journal import FileStamp, PlacedEntry
from waypost.store.protocol import Store

T0 = datetime(2026, 1, 1, tzinfo=UTC)
NOW = View(Moment(T0 + timedelta(days=100)), ("journal",))
DAY, OLD = "daily/2026-01-01.md", "archive/daily/2025-12-01.md"
KNOWN = FileStamp(10, 1_700_000_000_123_456_789, False)


def placed(memory_id: str, path: str = DAY, place: int = 0, digest: bytes = b"d") -> PlacedEntry:
    return PlacedEntry(path, memory_id, place, digest, T0, False)


def entry(memory_id: str, at: datetime) -> Version:
    return Version(
        memory_id=memory_id,
        kind="note",
        text=f"About {memory_id}",
        recorded_at=T0,
        valid_from=at,
        time=at,
        source="agent",
        actor="test",
        fingerprint=memory_id.encode(),
    )


def test_a_file_is_known_as_it_was_put_with_its_entries_in_order(store: Store) -> None:
    with store.write() as writer:
        writer.journal.put_file("", DAY, KNOWN, [placed("b", place=1), placed("a")])
        writer.journal.put_file("tree", DAY, KNOWN, [placed("x")])
    with store.read() as reader:
        assert reader.journal.files("") == {DAY: KNOWN}
        assert [one.memory_id for one in reader.journal.places("", [DAY])] == ["a", "b"]
        assert reader.journal.places("", []) == []


def test_putting_a_file_again_replaces_all_that_was_known_of_it(store: Store) -> None:
    with store.write() as writer:
        writer.journal.put_file("", DAY, KNOWN, [placed("a"), placed("b", place=1)])
        writer.journal.put_file("", DAY, KNOWN._replace(size=5), [placed("b")])
    with store.read() as reader:
        assert reader.journal.files("")[DAY].size == 5
        assert reader.journal.places("", [DAY]) == [placed("b")]


def test_extending_a_file_adds_entries_and_takes_its_new_look_if_told(store: Store) -> None:
    with store.write() as writer:
        writer.journal.put_file("", DAY, KNOWN, [placed("a")])
        writer.journal.extend_file("", DAY, None, [placed("b", place=1)])
        assert writer.journal.files("")[DAY] == KNOWN
        writer.journal.extend_file("", DAY, KNOWN._replace(size=30), [placed("c", place=2)])
    with store.read() as reader:
        assert reader.journal.files("")[DAY].size == 30
        assert [one.memory_id for one in reader.journal.places("", [DAY])] == ["a", "b", "c"]


def test_a_dropped_file_and_its_entries_are_not_known_any_more(store: Store) -> None:
    with store.write() as writer:
        writer.journal.put_file("", DAY, KNOWN, [placed("a")])
        writer.journal.drop_file("", DAY)
    with store.read() as reader:
        assert reader.journal.files("") == {}
        assert reader.journal.places_of(["a"]) == []


def test_the_archive_can_be_left_out(store: Store) -> None:
    with store.write() as writer:
        for path in (DAY, OLD, "MEMORY.md"):
            writer.journal.put_file("", path, KNOWN, [])
    with store.read() as reader:
        assert set(reader.journal.files("", archive=False)) == {DAY, "MEMORY.md"}


def test_places_are_found_by_memory_and_by_words(store: Store) -> None:
    with store.write() as writer:
        writer.journal.put_file("", DAY, KNOWN, [placed("a", digest=b"1")])
        writer.journal.put_file("", OLD, KNOWN, [placed("a", OLD, digest=b"2")])
        writer.journal.put_file("tree", DAY, KNOWN, [placed("a", digest=b"1")])
    with store.read() as reader:
        assert [(journal, one.path) for journal, one in reader.journal.places_of(["a", "none"])] == [
            ("", OLD), ("", DAY), ("tree", DAY),
        ]  # fmt: skip
        assert [one.path for one in reader.journal.places_like("", [b"1"])] == [DAY]
        assert reader.journal.places_like("", []) == []


def test_memories_of_the_journal_that_stand_in_no_file_are_told(store: Store) -> None:
    with store.write() as writer:
        for name in ("a", "b", "c"):
            writer.memories.add(entry(name, T0), [], [])
        writer.journal.put_file("", DAY, KNOWN, [placed("b")])
    with store.read() as reader:
        assert reader.journal.unfiled(10) == ["a", "c"]
        assert reader.journal.unfiled(1) == ["a"]


def test_what_was_said_in_a_time_is_told_in_order(store: Store) -> None:
    with store.write() as writer:
        for name, days in (("c", 3), ("a", 1), ("b", 2)):
            writer.memories.add(entry(name, T0 + timedelta(days=days)), [], [])
    with store.read() as reader:
        found = reader.journal.entries_between(T0 + timedelta(days=1), T0 + timedelta(days=3), NOW)
        assert [one.memory_id for one in found] == ["a", "b"]


def test_an_erased_memory_stands_nowhere(store: Store) -> None:
    with store.write() as writer:
        number = writer.memories.add(entry("a", T0), [], [])
        writer.journal.put_file("", DAY, KNOWN, [placed("a")])
        writer.memories.erase("a", [number])
        assert writer.journal.places_of(["a"]) == []


def test_the_day_of_the_last_access_is_part_of_the_state(store: Store) -> None:
    with store.write() as writer:
        writer.memories.set_state("a", accessed_at=T0)
        assert writer.memories.states(["a"])["a"].accessed_at == T0
