"""A disk that is full, a directory that cannot be written, a file that is damaged or not ours: said plainly, nothing lost."""

import os
import subprocess
import sys
import textwrap
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest

from waypost.errors import (
    DatabaseTooOld,
    ForeignFile,
    SchemaTooNew,
    StoreBusy,
    StoreCorrupt,
    StoreFull,
    StoreReadOnly,
)
from waypost.model.memory import Version
from waypost.model.reference import CodeReference, LineRange
from waypost.store.protocol import PassageRow
from waypost.store.sqlite.connection import check_library
from waypost.store.sqlite.schema import MIGRATIONS
from waypost.store.sqlite.store import SqliteStore

T0 = datetime(2026, 1, 1, tzinfo=UTC)


def write(store: SqliteStore, memory_id: str, text: str = "some words") -> None:
    new = Version(memory_id, "fact", text, T0, T0, "agent", "test")
    with store.write() as writer:
        writer.memories.add(new, [PassageRow(memory_id.encode(), "en", text)], [])


def stored(store: SqliteStore) -> list[str]:
    with store.read() as reader:
        return [
            v.memory_id
            for n in range(1, reader.memories.last_number() + 1)
            for v in reader.memories.by_number([n]).values()
        ]


def test_a_full_disk_is_told_and_what_was_stored_stays(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    write(store, "before")
    with pytest.raises(StoreFull, match="No room left"), store.write() as writer:
        connection = writer.database.connection  # type: ignore[attr-defined]
        connection.pragma("max_page_count", connection.pragma("page_count") + 4)
        writer.memories.add(Version("big", "fact", "x" * 400_000, T0, T0, "agent", "t"), [], [])
    assert stored(store) == ["before"]
    assert list(store.problems()) == []
    store.close()
    again = SqliteStore(tmp_path)
    write(again, "after")
    assert stored(again) == ["before", "after"]


@pytest.mark.slow
def test_a_disk_that_fills_up_under_a_process_loses_nothing_acknowledged(tmp_path: Path) -> None:
    script = textwrap.dedent("""
        import resource, signal, sys
        from pathlib import Path
        sys.path.insert(0, sys.argv[2])
        from tests.store.sqlite.test_failures import SqliteStore, write
        from waypost.errors import StoreError
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        store = SqliteStore(Path(sys.argv[1]))
        resource.setrlimit(resource.RLIMIT_FSIZE, (640_000, 640_000))
        for n in range(10_000):
            try:
                write(store, f"m{n}", "words " * 500)
            except StoreError as error:
                print(f"failed after {n}: {type(error).__name__}: {error.remedy}")
                break
    """)
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path), str(root)], capture_output=True, text=True, check=False, cwd=root
    )
    assert "failed after" in done.stdout, done.stderr
    acknowledged = int(done.stdout.split()[2].rstrip(":"))
    assert acknowledged > 5
    store = SqliteStore(tmp_path)
    assert stored(store) == [f"m{n}" for n in range(acknowledged)]
    assert list(store.problems()) == []


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="permissions are another matter on Windows")
def test_a_directory_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "space"
    folder.mkdir()
    SqliteStore(folder).close()
    script = textwrap.dedent("""
        import os, sys
        sys.path.insert(0, sys.argv[2])
        from pathlib import Path
        from waypost.store.sqlite.store import SqliteStore
        from waypost.errors import StoreReadOnly
        if os.getuid() == 0:
            os.setgid(65534); os.setuid(65534)
        try:
            store = SqliteStore(Path(sys.argv[1]))
            with store.write() as writer:
                writer.meta.set("a", "b")
        except StoreReadOnly as error:
            print(error)
    """)
    for path in (tmp_path, *tmp_path.parents):
        if path.stat().st_uid == os.getuid() and path != Path("/"):
            path.chmod(path.stat().st_mode | 0o055)
    for path in (folder, *folder.iterdir()):
        path.chmod(0o555 if path.is_dir() else 0o444)
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", script, str(folder), str(root / "src")], capture_output=True, text=True, check=False
    )
    folder.chmod(0o755)
    assert "cannot be opened for writing" in done.stdout, done.stderr
    assert "WAYPOST_HOME" in done.stdout


@pytest.mark.slow
def test_a_damaged_database_is_told_and_left_as_it_is(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    for n in range(200):
        write(store, f"m{n}", "many words " * 50)
    store.close()
    path = tmp_path / "memory.db"
    content = bytearray(path.read_bytes())
    for page in range(2, len(content) // 4096, 2):
        content[page * 4096 : page * 4096 + 200] = b"\xff" * 200
    path.write_bytes(content)
    with pytest.raises(StoreCorrupt, match="damaged"):
        damaged = SqliteStore(tmp_path)
        problems = list(damaged.problems())
        assert problems
        stored(damaged)
    assert path.read_bytes() == content


@pytest.mark.parametrize("content", [b"This is a letter to my aunt. " * 100, b"\x00" * 5000, b"PK\x03\x04" * 2000])
def test_a_file_of_another_kind_is_not_touched(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "memory.db"
    path.write_bytes(content)
    with pytest.raises(ForeignFile, match="not a Waypost database"):
        SqliteStore(tmp_path)
    assert path.read_bytes() == content


def test_a_database_of_another_program_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    foreign = apsw.Connection(str(path))
    foreign.execute("CREATE TABLE bookmarks (url TEXT); INSERT INTO bookmarks VALUES ('x')")
    foreign.close()
    before = path.read_bytes()
    with pytest.raises(ForeignFile, match="another program"):
        SqliteStore(tmp_path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["memory.db"]
    again = apsw.Connection(str(path))
    assert again.execute("SELECT * FROM bookmarks").fetchall() == [("x",)]
    assert again.execute("SELECT name FROM sqlite_schema").fetchall() == [("bookmarks",)]


def test_a_database_of_a_later_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    write(store, "kept")
    with store._connections.lend() as connection:
        connection.execute("INSERT INTO migrations VALUES ('9999_from_the_future', 0)")
    store.close()
    with pytest.raises(SchemaTooNew, match="9999_from_the_future"):
        SqliteStore(tmp_path)
    later = apsw.Connection(str(tmp_path / "memory.db"))
    assert later.execute("SELECT memory_id FROM memories").fetchall() == [("kept",)]


def test_a_failed_migration_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SqliteStore(tmp_path)
    write(store, "kept")
    store.close()
    broken = {**MIGRATIONS, "0002_broken": "CREATE TABLE half (x); INSERT INTO nowhere VALUES (1)"}
    monkeypatch.setattr("waypost.store.sqlite.schema.MIGRATIONS", broken)
    with pytest.raises(apsw.SQLError):
        SqliteStore(tmp_path)
    monkeypatch.undo()
    again = SqliteStore(tmp_path)
    assert stored(again) == ["kept"]
    with again._connections.lend() as connection:
        assert connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'half'").fetchall() == []


def test_references_of_an_earlier_schema_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    earlier = {name: sql for name, sql in MIGRATIONS.items() if name < "0003"}
    monkeypatch.setattr("waypost.store.sqlite.schema.MIGRATIONS", earlier)
    store = SqliteStore(tmp_path)
    with store._connections.lend() as connection:
        connection.execute(
            "INSERT INTO memories (number, memory_id, kind, collection, text, recorded_at, valid_from, source, actor, domain,"
            " module, position, language, traits, fingerprint, evidence, tags, details)"
            " VALUES (1, 'kept', 'fact', 'facts', 'a', 0, 0, 'person', 'p', '', '', 0, 'en', 0, x'00', '[]', '{}', '{}')"
        )
        connection.executemany(
            "INSERT INTO code_refs VALUES (1, ?, ?, ?, ?)",
            [
                (
                    0,
                    "a.py",
                    "x#",
                    '{"file_path":"a.py","symbol_id":"x#","line_range":{"start":3,"end":9},"git_commit":"ab12"}',
                ),
                (1, "b.py", None, '{"file_path":"b.py"}'),
            ],
        )
    store.close()
    monkeypatch.undo()
    again = SqliteStore(tmp_path)
    with again.read() as reader:
        assert reader.memories.versions("kept")[0].refs == (
            CodeReference("a.py", LineRange(3, 9), "x#", git_commit="ab12"),
            CodeReference("b.py"),
        )


def test_a_sqlite_that_can_lose_data_is_refused() -> None:
    check_library()
    check_library("3.51.3")
    for version in ("3.51.2", "3.40.1", "3.9.0"):
        with pytest.raises(DatabaseTooOld, match=version):
            check_library(version)


def test_a_writer_that_waits_too_long_says_who_is_in_the_way(tmp_path: Path) -> None:
    patient = SqliteStore(tmp_path)
    impatient = SqliteStore(tmp_path, busy_seconds=0.05)
    with patient.write() as writer:
        writer.meta.set("a", "b")
        with pytest.raises(StoreBusy, match="another process"):
            write(impatient, "m1")
    write(impatient, "m2")
    assert stored(patient) == ["m2"]


def test_a_closed_store_keeps_nothing_open_and_lets_others_finish(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    with store.write() as writer:
        store.close()
        writer.meta.set("a", "b")
    assert not (tmp_path / "memory.db-wal").exists()
    with store.read() as reader:
        assert reader.meta.get("a") == "b"
    assert not (tmp_path / "memory.db-wal").exists()


def test_missing_directory_is_told(tmp_path: Path) -> None:
    with pytest.raises(StoreReadOnly):
        SqliteStore(tmp_path / "nowhere")
