"""A database that is empty, or gone, where a memory was: it is no new memory, and the way back is named."""

import json
import subprocess
from contextlib import closing
from pathlib import Path

import apsw
import pytest
from tests.conftest import TestClock
from tests.store.damage.filled import Filled
from tests.store.damage.test_tables import Terminal

from waypost.errors import StoreCorrupt
from waypost.flows.admin import empty_database
from waypost.flows.findings import EMPTIED
from waypost.memory import Memory
from waypost.memory.spaces import open_spaces
from waypost.space.metadata import Metadata, write_metadata
from waypost.store.sqlite.store import SqliteStore


@pytest.fixture
def terminal(copied: Filled, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.chdir(copied.project)
    return Terminal(capfd)


def empty(database: Path, how: str) -> None:
    open_spaces.drop_all()
    database.unlink() if how == "gone" else database.write_bytes(b"")


def keep_log(filled: Filled) -> None:
    """Leave all of the database in its log, as a killed process does with what it wrote last."""
    log, kept = filled.database.with_name("memory.db-wal"), filled.home / "log"
    with closing(apsw.Connection(str(filled.database))) as connection:
        connection.pragma("wal_autocheckpoint", 0)
        connection.execute("VACUUM")
        subprocess.run(["cp", log, kept], check=True)  # by another process: here it would drop SQLite's locks
    kept.rename(log)


@pytest.mark.parametrize("how", ["empty", "gone"])
def test_with_snapshots_it_says_to_go_back_to_one(copied: Filled, terminal: Terminal, how: str) -> None:
    made = copied.open().admin.backups.make()
    empty(copied.database, how)
    for command in (["list"], ["ask", "port"], ["remember", "Something new is said"], ["status"], ["export", "-"]):
        code, out, err = terminal.run(*command)
        assert (code, out) == (1, "")
        assert f"memory.db is {how}. {made.id} is the latest snapshot" in err
        assert "waypost backup restore" in err
    for arguments in (["doctor", "--json"], ["doctor", "--fix", "--json"]):
        code, out, _ = terminal.run(*arguments)
        assert (code, [one["kind"] for one in json.loads(out)["problems"]]) == (1, [EMPTIED.name])
    assert terminal.run(*EMPTIED.remedy.split("`")[1].split()[1:])[0] == 0
    assert {row["id"] for row in copied.open().list(limit=100_000)} == copied.memories.keys()


def test_without_snapshots_all_that_the_log_holds_is_saved(copied: Filled, terminal: Terminal) -> None:
    keep_log(copied)
    empty(copied.database, "empty")
    code, _, err = terminal.run("list")
    assert code == 1
    assert "memory.db is empty, and there is no snapshot of the memory. Its log is left" in err
    assert "waypost doctor --fix" in err
    assert terminal.run("doctor")[0] == 1
    terminal.run("doctor", "--fix")
    assert {row["id"] for row in copied.open().list(limit=100_000)} == copied.memories.keys()


def test_an_empty_file_that_was_a_memory_is_not_taken_for_a_new_one(copied: Filled, terminal: Terminal) -> None:
    empty(copied.database, "empty")
    with pytest.raises(StoreCorrupt, match="is empty"):
        copied.open()
    out = terminal.run("doctor", "--fix")[1]
    assert "what only it contained is lost" in out
    assert terminal.run("doctor")[0] == 0


def test_a_new_memory_is_made_as_ever(tmp_path: Path, fake_engine: object) -> None:
    assert fake_engine is not None
    place = tmp_path / "new"
    place.mkdir()
    memory = Memory.open(place)
    assert memory.remember("The first word").status == "added"


@pytest.mark.parametrize("look", ["_was_used", "_size", "_snapshots"])
def test_a_memory_that_another_process_is_just_making_is_not_taken_for_an_emptied_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: TestClock, look: str
) -> None:
    made, really_look = list[SqliteStore](), getattr(empty_database, look)

    def look_before_it_is_made(path: Path) -> object:
        found = really_look(path)
        if not made:
            made.append(SqliteStore(tmp_path))
            write_metadata(tmp_path, Metadata("project", "project", "path", None, clock(), schema_version=1))
        return found

    monkeypatch.setattr(empty_database, look, look_before_it_is_made)
    assert not empty_database.is_emptied(tmp_path)
    made[0].close()
