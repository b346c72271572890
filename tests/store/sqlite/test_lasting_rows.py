"""Rows that a connection keeps for the next question, until somebody writes."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from waypost.model.memory import Version
from waypost.model.recall import View
from waypost.model.time import Moment
from waypost.store.protocol import PassageRow
from waypost.store.sqlite.database import SqliteDatabase
from waypost.store.sqlite.store import SqliteStore

T0 = datetime(2026, 1, 1, tzinfo=UTC)
HASH = bytes(16)


def say(store: SqliteStore, speaker: str) -> int:
    new = Version(f"by {speaker}", "note", "Hello.", T0, T0, "agent", "test", speaker=speaker, fingerprint=b"f")
    with store.write() as writer:
        return writer.memories.add(new, [PassageRow(HASH, "en", "hello")], ("engine",))


def speakers(store: SqliteStore) -> list[str]:
    with store.read() as reader:
        return reader.memories.speakers(10)


def cosines(store: SqliteStore, number: int) -> dict[int, float]:
    with store.read() as reader:
        return reader.search.vector_scores("engine", np.array([1, 0], np.float32), [number])


@pytest.mark.parametrize("other", [False, True], ids=["this store", "another store"])
def test_a_write_is_seen_by_the_next_reader(tmp_path: Path, other: bool) -> None:
    store = SqliteStore(tmp_path)
    writing = SqliteStore(tmp_path) if other else store
    say(writing, "Ann")
    assert speakers(store) == speakers(store) == ["Ann"]
    say(writing, "Ben")
    assert speakers(store) == ["Ann", "Ben"]


@pytest.mark.parametrize("other", [False, True], ids=["this store", "another store"])
def test_a_new_vector_is_compared_by_the_next_reader(tmp_path: Path, other: bool) -> None:
    store = SqliteStore(tmp_path)
    writing = SqliteStore(tmp_path) if other else store
    number = say(writing, "Ann")
    assert cosines(store, number) == {}
    with writing.write() as writer:
        writer.vectors.put("engine", [(HASH, "en", np.array([1, 0], np.float32))])
    assert cosines(store, number) == cosines(store, number) == {number: pytest.approx(1.0)}


def test_what_a_writer_takes_back_is_not_kept(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    say(store, "Ann")
    with pytest.raises(ZeroDivisionError), store.write() as writer:
        writer.meta.set("key", "value")
        assert writer.meta.get("key") == "value"
        raise ZeroDivisionError
    with store.read() as reader:
        assert reader.meta.get("key") is None


def test_nothing_is_read_again_while_nobody_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SqliteStore(tmp_path)
    say(store, "Ann")
    assert speakers(store) == ["Ann"]
    monkeypatch.setattr(SqliteDatabase, "rows", lambda *_: pytest.fail("the database was asked again"))
    assert speakers(store) == ["Ann"]


def test_sketches_of_prose_are_kept_while_others_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SqliteStore(tmp_path)
    number = say(store, "Ann")
    with store.read() as reader:
        sketch = reader.memories.sketches([number])[number]
    other = say(SqliteStore(tmp_path), "Ben")
    read = set[int]()
    rows = SqliteDatabase.rows

    def noted_rows(database: SqliteDatabase, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        read.update(*(value for value in parameters if isinstance(value, list)))
        return rows(database, sql, parameters)

    monkeypatch.setattr(SqliteDatabase, "rows", noted_rows)
    with store.read() as reader:
        sketches = reader.memories.sketches([other, number])
    assert list(sketches) == [other, number]
    assert sketches[number] is sketch
    assert sketches[other].speaker == "Ben"
    assert read == {other}


def test_what_is_superseded_follows_nothing_though_its_sketch_is_kept(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    view = View(Moment(T0))
    turns = [
        Version(
            f"turn {at}", "conversation", "Hello.", T0, T0, "agent", "test", session="s", position=at, fingerprint=b"f"
        )
        for at in (1, 2)
    ]
    with store.write() as writer:
        first, second = (writer.memories.add(turn, [PassageRow(b"", "en", "hello")], ()) for turn in turns)
    with store.read() as reader:
        assert [turn.number for turn in reader.memories.followers([first], 1, view)] == [second]
    with store.write() as writer:
        writer.memories.supersede(second, T0)
    with store.read() as reader:
        assert reader.memories.followers([first], 1, view) == []


def test_sketches_of_code_are_read_again(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    code = Version("f", "symbol", "def f", T0, T0, "code", "test", language="code", checkout_id="c", fingerprint=b"f")
    with store.write() as writer:
        number = writer.memories.add(code, [], ())
    with store.read() as reader:
        assert reader.memories.sketches([number])[number].language == "code"
    with store.write() as writer:
        writer.database.change("UPDATE memories SET language = 'code-other' WHERE number = ?", (number,))
    with store.read() as reader:
        assert reader.memories.sketches([number])[number].language == "code-other"


def view_at(moment: datetime) -> View:
    return View(Moment(moment))


def shown(store: SqliteStore, at: datetime = T0) -> dict[str, list[str]]:
    """What keywords, vectors and neighbours show of these turns, by memory id."""
    with store.read() as reader:
        view, vector = view_at(at), np.array([1, 0], np.float32)
        words = reader.search.keywords(["hello"], 10, view)
        near = reader.search.vectors("engine", vector, 10, view).hits
        behind = reader.memories.followers([passage.number for passage in words], 1, view)
    return {
        "words": [passage.memory_id for passage in words],
        "near": [passage.memory_id for passage in near],
        "behind": [sketch.memory_id for sketch in behind],
    }


def add_turns(store: SqliteStore, **second: Any) -> list[int]:
    options: dict[str, Any] = {"session": "s", "fingerprint": b"f"}
    turns = [
        Version("one", "conversation", "Hello.", T0, T0, "agent", "test", position=1, **options),
        Version(
            "two",
            "conversation",
            "Hello.",
            T0,
            second.pop("begins", T0),
            "agent",
            "test",
            position=2,
            **options,
            **second,
        ),
    ]
    with store.write() as writer:
        numbers = [writer.memories.add(turn, [PassageRow(HASH, "en", "hello")], ("engine",)) for turn in turns]
        writer.vectors.put("engine", [(HASH, "en", np.array([1, 0], np.float32))])
    return numbers


BOTH = {"words": ["one", "two"], "near": ["one", "two"], "behind": ["two"]}
FIRST = {"words": ["one"], "near": ["one"], "behind": []}
LATER = T0 + timedelta(days=2)


@pytest.mark.parametrize("other", [False, True], ids=["this store", "another store"])
def test_what_somebody_replaces_or_archives_is_shown_no_more(tmp_path: Path, other: bool) -> None:
    store = SqliteStore(tmp_path)
    writing = SqliteStore(tmp_path) if other else store
    first, _ = add_turns(writing)
    assert shown(store) == shown(store) == BOTH
    with writing.write() as writer:
        writer.memories.set_state("two", archived_at=T0)
    assert shown(store) == shown(store) == FIRST
    with writing.write() as writer:
        writer.memories.supersede(first, T0)
    assert shown(store)["words"] == []


def test_what_begins_or_ends_as_time_goes_by_is_not_kept(tmp_path: Path) -> None:
    begins, ends, expires = (SqliteStore(tmp_path / name) for name in make_folders(tmp_path))
    add_turns(begins, begins=T0 + timedelta(days=1))
    add_turns(ends, valid_until=T0 + timedelta(days=1))
    add_turns(expires)
    with expires.write() as writer:
        writer.memories.set_state("two", expires_at=T0 + timedelta(days=1), on_expire="archive")
    assert shown(begins) == FIRST
    assert shown(begins, LATER) == BOTH
    assert shown(ends) == shown(expires) == BOTH
    assert shown(ends, LATER) == shown(expires, LATER) == FIRST


def make_folders(folder: Path) -> list[str]:
    names = ["begins", "ends", "expires"]
    for name in names:
        (folder / name).mkdir()
    return names


def test_what_a_view_shows_is_not_read_again_while_nobody_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SqliteStore(tmp_path)
    add_turns(store)
    assert shown(store) == BOTH
    statements, rows = list[str](), SqliteDatabase.rows

    def noted_rows(database: SqliteDatabase, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        statements.append(sql)
        return rows(database, sql, parameters)

    monkeypatch.setattr(SqliteDatabase, "rows", noted_rows)
    assert shown(store, LATER) == BOTH
    assert not any("superseded_at" in sql for sql in statements)


@pytest.mark.parametrize("other", [False, True], ids=["this store", "another store"])
def test_the_next_reader_counts_new_words(tmp_path: Path, other: bool) -> None:
    store = SqliteStore(tmp_path)
    writing = SqliteStore(tmp_path) if other else store
    for speaker, count in (("Ann", 1), ("Ben", 2)):
        say(writing, speaker)
        for _ in range(2):
            with store.read() as reader:
                assert reader.search.term_counts(["Hello", "absent"]).counts == {"hello": count}
