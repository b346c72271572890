"""In a process that has a database open, only SQLite opens its files: its locks and its log stay what they are."""

import contextlib
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from tests.conftest import Git, OpenMemory, TestClock, expect_opening

from waypost import Memory
from waypost.compat.chat.importer import read_chat
from waypost.errors import InvalidInput, StoreError
from waypost.store.sqlite.connection import FilePool, open_pools
from waypost.store.sqlite.files import contains, header, locked_inodes
from waypost.store.sqlite.foreign import copy_database
from waypost.store.sqlite.store import SqliteStore

linux = pytest.mark.skipif(not Path("/proc/locks").exists(), reason="the system does not list locks")
WRITE_AND_CLOSE = """
import sys
from pathlib import Path
from waypost.store.sqlite.store import SqliteStore
store = SqliteStore(Path(sys.argv[1]))
with store.write() as writer:
    writer.meta.set(sys.argv[2], "written")
store.close()
"""


def written_by_another(folder: Path, key: str) -> None:
    """Another process writes and closes the database, which deletes the log if nobody else has a lock."""
    subprocess.run([sys.executable, "-c", WRITE_AND_CLOSE, str(folder), key], check=True)


def locks_of(folder: Path) -> int:
    names = (folder / name for name in ("memory.db", "memory.db-shm"))
    return len(locked_inodes() & {path.stat().st_ino for path in names if path.exists()})


OPERATIONS: dict[str, Callable[[Memory, str], object]] = {
    "remember": lambda memory, _: memory.remember("Uploads go to the bucket"),
    "correct": lambda memory, known: memory.correct(known, "The limit is 200 requests"),
    "retract": lambda memory, known: memory.retract(known),
    "reject": lambda memory, known: memory.reject(known),
    "forget": lambda memory, known: memory.forget(known),
    "protect": lambda memory, known: memory.protect(known),
    "recall": lambda memory, _: memory.recall("what is the limit?"),
    "condense": lambda memory, _: memory.journal.condense(),
    "rebuild": lambda memory, _: memory.admin.rebuild(),
    "doctor": lambda memory, _: memory.admin.doctor(fix=True),
    "export": lambda memory, _: memory.admin.export(embeddings=True),
    "maintain": lambda memory, _: memory.admin.maintain(force=True),
    "index": lambda memory, _: memory.index(),
    "work": lambda memory, _: memory.admin.run_worker(),
}


@linux
@pytest.mark.parametrize("operation", OPERATIONS)
def test_no_operation_drops_the_locks_of_its_process(memory: Memory, operation: str) -> None:
    known = str(memory.remember("The limit is 100 requests").id)
    assert locks_of(memory.space.folder) == 2  # the control
    OPERATIONS[operation](memory, known)
    assert locks_of(memory.space.folder) == 2
    assert all(pool.is_intact() for pool in open_pools())


@linux
def test_neither_the_end_of_a_lifetime_nor_an_import_drops_them(memory: Memory, clock: TestClock) -> None:
    memory.remember("The limit is 100 requests")
    memory.remember("The hotfix is on the branch quixotic", ttl=60, on_expire="delete")
    exported = memory.admin.export().path
    clock.advance(days=2)
    assert "hotfix" not in "".join(hit.text for hit in memory.recall("where is the hotfix?"))
    memory.admin.maintain(force=True)
    assert locks_of(memory.space.folder) == 2
    list(memory.admin.import_file(exported))
    assert locks_of(memory.space.folder) == 2


@pytest.mark.slow
@linux
def test_opening_the_same_memory_for_a_second_checkout_keeps_them(
    tmp_path: Path, git: Git, open_memory: OpenMemory
) -> None:
    first = open_memory("first")
    git(first.code.root, "init", "-q")
    git(first.code.root, "remote", "add", "origin", "https://example.org/team/shop.git")
    git(first.code.root, "commit", "-q", "--allow-empty", "-m", "Begin")
    git(tmp_path, "clone", "-q", str(first.code.root), str(tmp_path / "work" / "second"))
    git(tmp_path / "work" / "second", "remote", "set-url", "origin", "https://example.org/team/shop.git")
    one = open_memory("first")
    one.remember("The shop opens at nine")
    assert locks_of(one.space.folder) == 2
    other = open_memory("second")
    assert other.space.folder == one.space.folder
    other.remember("The shop closes at six")
    assert locks_of(one.space.folder) == 2


@linux
def test_a_home_inside_the_project_is_not_read_as_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, open_memory: OpenMemory
) -> None:
    monkeypatch.setenv("WAYPOST_HOME", str(tmp_path / "work" / "project" / "data"))
    memory = open_memory()
    (tmp_path / "work" / "project" / "app.py").write_text("def start():\n    return 1\n")
    memory.remember("The limit is 100 requests")
    (tmp_path / "work" / "project" / "other.py").hardlink_to(memory.space.folder / "memory.db")
    memory.index()
    assert memory.recall("start", scope="code").hits  # the control: code is read
    assert memory.space.folder.is_relative_to(tmp_path / "work" / "project")
    assert locks_of(memory.space.folder) == 2


@pytest.mark.parametrize("end", ["", "-wal", "-shm"])
def test_a_database_in_use_is_refused_as_an_input_file(memory: Memory, end: str) -> None:
    memory.remember("The limit is 100 requests")
    database = Path(f"{memory.space.folder / 'memory.db'}{end}")
    for reading in (
        lambda: list(memory.admin.import_file(database)),
        lambda: read_chat(database),
        lambda: copy_database(database, memory.space.folder / "copy.db"),
        lambda: memory.admin.import_coding_brain(database),
        lambda: memory.admin.import_memory_bridge(database),
        lambda: memory.journal.add("A picture", media=database),
    ):
        with pytest.raises(InvalidInput, match="in use"):
            reading()
    link = memory.space.folder.parent / "other name"
    link.hardlink_to(database)
    with pytest.raises(InvalidInput, match="in use"):
        read_chat(link)


def test_the_log_of_a_new_database_is_the_one_that_its_first_connection_uses(tmp_path: Path) -> None:
    """Else it would count as replaced, and be left behind."""
    pool = FilePool(tmp_path / "memory.db", busy_seconds=1.0)
    with pool.lend() as connection:
        connection.execute("CREATE TABLE one (row)")
        pool.confirm(connection)
    pool.close()
    assert [path.name for path in tmp_path.iterdir()] == ["memory.db"]


@linux
def test_locks_that_somebody_else_dropped_are_taken_again_with_the_next_write(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    with store.write() as writer:
        writer.meta.set("one", "1")
    drop_locks(tmp_path)
    assert locks_of(tmp_path) < 2  # the control
    with store.write() as writer:
        writer.meta.set("two", "2")
    with store.read() as reader:
        assert (reader.meta.get("one"), reader.meta.get("two")) == ("1", "2")
    assert locks_of(tmp_path) == 2
    store.close()


@pytest.mark.slow
@linux
def test_a_log_that_was_deleted_meanwhile_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    other = SqliteStore(tmp_path)  # of another checkout: it shares the locks of the process
    for number in range(4):
        with store.write() as writer:
            writer.meta.set(f"ours {number}", "written")
        with other.read() as reader:
            assert reader.meta.get(f"ours {number}") == "written"
        drop_locks(tmp_path)
        written_by_another(tmp_path, f"theirs {number}")
    store.close()
    other.close()
    again = SqliteStore(tmp_path)
    with again.read() as reader:
        assert [reader.meta.get(f"{who} {number}") for who in ("ours", "theirs") for number in range(4)] == [
            "written"
        ] * 8
    assert list(again.problems()) == []
    again.close()


@linux
def test_a_write_into_a_log_that_was_deleted_under_it_is_not_acknowledged(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    with store.write() as writer:
        writer.meta.set("before", "written")
    assert store.scrub([])  # the log is empty, as after the one who believes to be the last has moved it into the file
    with pytest.raises(StoreError, match="replaced while this process had it open"), store.write() as writer:
        writer.meta.set("meanwhile", "written")
        (tmp_path / "memory.db-wal").unlink()
        (tmp_path / "memory.db-shm").unlink()
    with store.write() as writer:
        writer.meta.set("after", "written")
    store.close()
    again = SqliteStore(tmp_path)
    with again.read() as reader:
        assert (reader.meta.get("before"), reader.meta.get("after")) == ("written", "written")
    assert list(again.problems()) == []
    again.close()


def drop_locks(folder: Path) -> None:
    """What other code in the process may do, and what Waypost never does."""
    with expect_opening(), (folder / "memory.db").open("rb"):
        pass


def test_bytes_are_looked_for_in_the_database_and_in_its_log(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    path = tmp_path / "memory.db"
    with store.write() as writer:
        writer.meta.set("word", "quixzanthal" + "x" * 3_000_000)
    assert contains(path, [b"quixzanthal"])
    with store.write() as writer:
        writer.meta.set("word", "")
    assert not contains(path, [b"no such word"])
    assert not contains(path, [])
    assert not contains(tmp_path / "nothing.db", [b"quixzanthal"])
    assert store.scrub(["quixzanthal"])
    assert not contains(path, [b"quixzanthal"])
    store.close()


def test_a_writer_in_the_way_of_a_rewrite_leaves_the_traces_for_a_second_try(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SqliteStore(tmp_path)
    with contextlib.closing(apsw.Connection(str(tmp_path / "memory.db"))) as other:

        def begin_to_write(_path: Path, _texts: object) -> bool:
            other.execute("BEGIN IMMEDIATE")
            return True

        monkeypatch.setattr("waypost.store.sqlite.store.contains", begin_to_write)
        assert not store.scrub(["quixzanthal"], wait=False)
        other.execute("ROLLBACK")
    monkeypatch.undo()
    for value in ("x" * 100_000, ""):
        with store.write() as writer:
            writer.meta.set("word", value)
    assert free_pages(tmp_path / "memory.db") > 0
    assert store.scrub([], rewrite=True)
    assert free_pages(tmp_path / "memory.db") == 0
    store.close()


def free_pages(path: Path) -> int:
    with contextlib.closing(apsw.Connection(str(path))) as connection:
        return int(connection.pragma("freelist_count"))


def test_a_piece_is_found_across_two_pieces_that_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("waypost.store.sqlite.files._PIECE", 16)
    path = tmp_path / "a.db"
    path.write_bytes(b"." * 13 + b"needle" + b"." * 30)
    assert contains(path, [b"needle"])
    assert not contains(path, [b"needles"])
    assert header(path, 4) == b"...."
    assert header(tmp_path / "none.db", 4) == b""


@linux
def test_a_list_of_locks_that_leaves_some_out_once_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system does that while other processes lock and unlock: about three reads of a thousand, with four of them."""
    store = SqliteStore(tmp_path)
    with store.write() as writer:
        writer.meta.set("word", "one")
    answers = [frozenset[int]()]
    monkeypatch.setattr(
        "waypost.store.sqlite.files.locked_inodes", lambda: answers.pop() if answers else locked_inodes()
    )
    assert all(pool.is_intact() for pool in open_pools(tmp_path / "memory.db"))
    assert answers == []
    store.close()
