"""A database of another program is read without being touched, and without being believed."""

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from waypost.errors import InvalidInput, StoreBusy, StoreCorrupt, WaypostError
from waypost.store.sqlite import foreign
from waypost.store.sqlite.foreign import LARGEST_VALUE, ForeignDatabase, TooLarge, Value, copy_database


def made(path: Path, *statements: str) -> Path:
    with closing(sqlite3.connect(path)) as database:
        database.executescript(";\n".join(statements))
    return path


def everything(path: Path, table: str = "facts", columns: Sequence[str] | None = None) -> list[tuple[Value, ...]]:
    copy = path.with_name("copy.db")
    copy_database(path, copy)
    with ForeignDatabase(copy, display_path=path) as database:
        found = database.table(table)
        assert found is not None
        database.check(found)
        rows = list(database.rows(found, columns or found.columns))
        assert database.count(found) == len(rows)
    return rows


def states(path: Path) -> dict[str, tuple[bytes, int]]:
    return {one.name: (one.read_bytes(), one.stat().st_mtime_ns) for one in path.parent.glob(f"{path.name}*")}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "theirs").mkdir()
    return tmp_path / "theirs" / "facts.db"


def test_values_come_as_they_are(path: Path) -> None:
    made(path, "CREATE TABLE Facts (id, a)", "INSERT INTO Facts VALUES (1, 'Überlauf'), ('x', NULL), (2.5, x'00ff')")
    assert everything(path, "FACTS") == [(1, "Überlauf"), ("x", None), (2.5, b"\x00\xff")]


def test_a_text_that_is_not_valid_comes_with_marks(path: Path) -> None:
    made(
        path,
        "CREATE TABLE facts (a TEXT)",
        "INSERT INTO facts VALUES (CAST(x'41ff42' AS TEXT)), (CAST(x'410042' AS TEXT))",
    )
    assert everything(path) == [("A\ufffdB",), ("A\0B",)]


def test_another_encoding_is_read(path: Path) -> None:
    made(path, "PRAGMA encoding = 'UTF-16le'", "CREATE TABLE facts (a)", "INSERT INTO facts VALUES ('Факт 😀')")
    assert everything(path) == [("Факт 😀",)]


def test_of_a_very_large_value_only_the_size_is_read(path: Path) -> None:
    size = LARGEST_VALUE + 1
    made(
        path,
        "CREATE TABLE facts (a, b)",
        f"INSERT INTO facts VALUES (zeroblob({size}), replace(hex(zeroblob({size})), '00', 'x'))",
    )
    assert everything(path) == [(TooLarge(size), TooLarge(size))]


def test_a_table_without_rowids_and_odd_names_are_read(path: Path) -> None:
    made(path, 'CREATE TABLE facts ("a ""quoted""; DROP TABLE facts" TEXT PRIMARY KEY, "select" INT) WITHOUT ROWID',
         "INSERT INTO facts VALUES ('x', 1)")  # fmt: skip
    assert everything(path) == [("x", 1)]


# -- nothing of it is changed, and nothing committed is missed


def test_what_stands_in_the_log_is_read_and_the_files_stay(path: Path) -> None:
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("PRAGMA wal_autocheckpoint = 0")
        writer.execute("CREATE TABLE facts (a)")
        writer.execute("INSERT INTO facts VALUES ('in the log')")
        writer.commit()
        writer.execute("INSERT INTO facts VALUES ('not committed')")
        before = states(path)
        assert len(before) == 3
        assert everything(path) == [("in the log",)]
        assert states(path) == before


def test_what_was_never_committed_is_not_read(path: Path) -> None:
    made(path, "CREATE TABLE facts (a)", "INSERT INTO facts VALUES ('committed')")
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA cache_size = 1")
        writer.execute("PRAGMA cache_spill = 1")
        writer.execute("BEGIN")
        writer.executemany("INSERT INTO facts VALUES (?)", [("x" * 2000,) for _ in range(500)])
        left = path.with_name("left.db")  # as a process that is killed now would leave them
        for end in ("", "-journal"):
            Path(f"{left}{end}").write_bytes(Path(f"{path}{end}").read_bytes())
        writer.execute("ROLLBACK")
    assert left.stat().st_size > 100_000
    assert everything(left) == [("committed",)]


def test_a_database_in_a_folder_that_cannot_be_written_is_read(path: Path, tmp_path: Path) -> None:
    made(path, "PRAGMA journal_mode = WAL", "CREATE TABLE facts (a)", "INSERT INTO facts VALUES (1)")
    before = states(path)
    path.parent.chmod(0o500)
    try:
        copy_database(path, tmp_path / "copy.db")
    finally:
        path.parent.chmod(0o700)
    assert states(path) == before


def test_the_copy_is_for_its_owner_alone_and_one_file(path: Path) -> None:
    made(path, "PRAGMA journal_mode = WAL", "CREATE TABLE facts (a)")
    copy = path.with_name("copy.db")
    copy_database(path, copy)
    assert copy.stat().st_mode & 0o777 == 0o600
    assert sorted(one.name for one in path.parent.glob("copy*")) == ["copy.db"]


def test_a_database_that_changes_all_the_time_is_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(path, "CREATE TABLE facts (a)")
    count = iter(range(100))
    monkeypatch.setattr(foreign, "_states", lambda _source: next(count))
    with pytest.raises(StoreBusy, match="being written"):
        copy_database(path, path.with_name("copy.db"))
    assert not path.with_name("copy.db").exists()


# -- what is no database


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"SQLite format 2\0", os.urandom(8192), b"SQLite format 3\0", b"SQLite format 3\0" + b"\xff" * 5000]
)  # fmt: skip
def test_what_is_no_database_is_refused(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises((InvalidInput, StoreCorrupt)):
        everything(path)
    assert path.read_bytes() == content


def test_folders_pipes_and_missing_files_are_refused(path: Path) -> None:
    os.mkfifo(path.with_name("pipe"))
    for name in ("missing.db", ".", "pipe"):
        with pytest.raises(InvalidInput):
            copy_database(path.parent / name, path.with_name("copy.db"))


@pytest.mark.parametrize("cut", [100, 600, 5000, 9000])
def test_a_database_cut_off_is_refused_or_read_without_harm(path: Path, cut: int) -> None:
    made(path, "CREATE TABLE facts (a)", "INSERT INTO facts WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n"
         " WHERE i < 500) SELECT 'fact ' || i FROM n")  # fmt: skip
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(WaypostError):
        everything(path)


@pytest.mark.parametrize("seed", range(40))
def test_a_damaged_database_never_harms(path: Path, seed: int) -> None:
    import random

    made(path, "CREATE TABLE facts (id TEXT PRIMARY KEY, a TEXT)", "INSERT INTO facts WITH RECURSIVE n(i) AS (SELECT 1 UNION"
         " ALL SELECT i + 1 FROM n WHERE i < 300) SELECT 'f' || i, 'what fact ' || i || ' says' FROM n")  # fmt: skip
    chance, content = random.Random(seed), bytearray(path.read_bytes())
    for _ in range(30):
        content[chance.randrange(100, len(content))] = chance.randrange(256)
    path.write_bytes(content)
    try:
        rows = everything(path)
    except WaypostError:
        return
    assert len(rows) <= 1000


def test_a_table_whose_pages_lead_in_a_circle_ends(path: Path) -> None:
    made(path, "PRAGMA page_size = 512", "CREATE TABLE facts (a)", "INSERT INTO facts WITH RECURSIVE n(i) AS (SELECT 1 UNION"
         " ALL SELECT i + 1 FROM n WHERE i < 300) SELECT 'fact ' || i FROM n")  # fmt: skip
    content = bytearray(path.read_bytes())
    root = 512  # the second page: the root of the table, an inner page
    assert content[root] == 5
    content[root + 8 : root + 12] = (2).to_bytes(4, "big")  # its last child is itself
    path.write_bytes(content)
    with pytest.raises(StoreCorrupt):
        everything(path)


# -- what is code


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE VIEW facts AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS a FROM n",
        "CREATE VIRTUAL TABLE facts USING fts5 (a)",
        "CREATE VIRTUAL TABLE facts USING rtree (id, a, b)",
    ],
)
def test_what_is_no_ordinary_table_is_not_there(path: Path, statement: str) -> None:
    made(path, statement)
    copy_database(path, path.with_name("copy.db"))
    with ForeignDatabase(path.with_name("copy.db")) as database:
        assert database.table("facts") is None


def test_a_virtual_table_in_disguise_is_not_there(path: Path) -> None:
    made(path, "CREATE TABLE facts (a)", "PRAGMA writable_schema = ON",
         "UPDATE sqlite_schema SET sql = 'CREATE /**/ VIRTUAL TABLE facts USING fts5 (a)'")  # fmt: skip
    copy_database(path, path.with_name("copy.db"))
    try:
        with ForeignDatabase(path.with_name("copy.db")) as database:
            assert database.table("facts") is None
    except StoreCorrupt:
        pass


def test_computed_columns_constraints_and_triggers_do_not_run(path: Path) -> None:
    made(
        path,
        "CREATE TABLE facts (a, b AS (zeroblob(200000000)), c AS (a || a) STORED, CHECK (length(a) < 1000))",
        "CREATE TRIGGER spy AFTER INSERT ON facts BEGIN DELETE FROM facts; END",
        "DROP TRIGGER spy",
        "INSERT INTO facts (a) VALUES ('x')",
        "CREATE TRIGGER spy AFTER INSERT ON facts BEGIN DELETE FROM facts; END",
    )
    assert everything(path) == [("x",)]


def test_rows_that_break_a_promise_of_their_table_are_read(path: Path) -> None:
    made(path, "CREATE TABLE facts (a)", "INSERT INTO facts VALUES (NULL), ('x')", "PRAGMA writable_schema = ON",
         "UPDATE sqlite_schema SET sql = 'CREATE TABLE facts (a TEXT NOT NULL CHECK (a > 5))'")  # fmt: skip
    assert everything(path) == [(None,), ("x",)]
