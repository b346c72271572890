"""What counts as damaged. Other connections that write meanwhile damage nothing."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from waypost.model.memory import Version
from waypost.store.protocol import PassageRow
from waypost.store.sqlite.files import LOG, bytes_of
from waypost.store.sqlite.pages import Pages
from waypost.store.sqlite.store import SqliteStore

T0 = datetime(2026, 1, 1, tzinfo=UTC)


def add(store: SqliteStore, number: int) -> None:
    text = f"ship {number} at dock {number * 7919}"
    with store.write() as writer:
        new = Version(f"m{number}", "fact", text, T0, T0, "agent", "test", fingerprint=number.to_bytes(2, "big"))
        writer.memories.add(new, [PassageRow(number.to_bytes(16, "big"), "en", text)], ())


@pytest.fixture
def reading(tmp_path: Path) -> SqliteStore:
    return SqliteStore(tmp_path)


@pytest.fixture
def writing(tmp_path: Path, reading: SqliteStore) -> SqliteStore:
    assert reading is not None
    return SqliteStore(tmp_path)


@pytest.mark.slow
def test_a_keyword_index_that_others_have_changed_is_not_damaged(reading: SqliteStore, writing: SqliteStore) -> None:
    """SQLite itself says so of a connection that checked the index before they changed it."""
    for number in range(1, 120):
        add(writing, number)
        if number % 10 == 0:
            writing.compact()
        assert (reading.is_sound(), list(reading.problems())) == (True, [])


def test_a_log_that_became_shorter_while_it_was_read_gives_empty_pages(writing: SqliteStore, tmp_path: Path) -> None:
    add(writing, 1)
    with (
        bytes_of(tmp_path / "memory.db") as (read, size),
        bytes_of(tmp_path / "memory.db", LOG) as (read_log, log_size),
    ):
        log = read_log(0, log_size)
        pages = Pages(read, size, lambda offset, count: log[offset : offset + count], log_size)
        assert any(list(pages.cells(number)) for number in range(1, pages.count + 1))
        log = b""
        assert not any(list(pages.cells(number)) for number in range(2, pages.count + 1))
