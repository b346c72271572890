"""The write-ahead log stays short: it is moved into the database as soon as those who read from it let it be."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from waypost.store.sqlite.store import SqliteStore

pytestmark = pytest.mark.slow  # not for the inner loop

LIMIT = 16 * 1024 * 1024
PIECE = "x" * 400_000


def write_megabytes(store: SqliteStore, count: int) -> int:
    """Write about so many megabytes, in transactions of 0.4 MB; returns the largest size of the log after one."""
    largest = 0
    for number in range(count * 5 // 2):
        with store.write() as writer:
            writer.meta.set(f"key {number % 8}", f"{number:>8}" * (len(PIECE) // 8))  # no page stays as it was
        largest = max(largest, size_of_log(store))
    return largest


def size_of_log(store: SqliteStore) -> int:
    return (store._folder / "memory.db-wal").stat().st_size


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore(tmp_path)
    yield opened
    opened.close()


def test_a_writer_alone_keeps_the_log_short(store: SqliteStore) -> None:
    assert write_megabytes(store, 40) < LIMIT


def test_readers_that_never_all_pause_do_not_make_the_log_grow(store: SqliteStore) -> None:
    """Two readers take turns, so that at every moment one of them reads."""
    stop = threading.Event()
    reading = [threading.Event(), threading.Event()]

    def read(me: int) -> None:
        while not stop.is_set():
            with store.read() as reader:
                assert reader.meta.get("key 0") is None or reader.meta.get("key 0")
                reading[me].set()
                while not stop.is_set() and not reading[1 - me].wait(0.05):
                    pass  # hold on until the other one has begun
                reading[1 - me].clear()

    threads = [threading.Thread(target=read, args=(me,)) for me in (0, 1)]
    for thread in threads:
        thread.start()
    try:
        largest = write_megabytes(store, 60)
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert largest < 2 * LIMIT  # without waiting for readers it would be 60 MB


def test_one_who_reads_for_long_holds_up_nobody_and_the_log_shrinks_afterwards(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("waypost.store.sqlite.connection._READER_PATIENCE_SECONDS", 0.01)
    with store.read() as reader:
        assert reader.meta.get("key 0") is None
        assert write_megabytes(store, 40) > LIMIT  # the control: it keeps what the reader may still need
        assert reader.meta.get("key 0") is None  # who sees one state until the end
    write_megabytes(store, 4)
    assert size_of_log(store) <= LIMIT
    assert list(store.problems()) == []
