"""Damage in the write-ahead log that a killed process left: what is lost is said, and the rest is read."""

import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest
from tests.durability.kills.stops import SteppedFile, SteppedFiles
from tests.store.damage.filled import Filled

from waypost.flows.findings import LOST_WRITES
from waypost.memory.spaces import open_spaces
from waypost.store.salvaged import LOST_WRITES_NOTE
from waypost.store.sqlite.pages import PAGE
from waypost.store.sqlite.store import SqliteStore

FRAME = PAGE + 24
WRITES = 12
SCRIPT = """
import os, signal, sys
from waypost import Memory
memory = Memory.open(sys.argv[1])
for number in range(int(sys.argv[2])):
    memory.remember(f"Kept to the last: lamp {number} hangs at pier {number * 3}")
sys.stdout.write("written"); sys.stdout.flush()
os.kill(os.getpid(), signal.SIGKILL)
"""


def kill_while_open(filled: Filled) -> Path:
    """Write some memories, and be killed before the log is moved into the database."""
    environment = {
        **os.environ,
        "WAYPOST_HOME": str(filled.home),
        "WAYPOST_BACKGROUND": "0",
        "WAYPOST_MODELS": os.devnull,
    }
    command = [sys.executable, "-c", SCRIPT, str(filled.project), str(WRITES)]
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert (done.stdout, done.returncode) == (b"written", -signal.SIGKILL), done.stderr
    log = filled.database.with_name("memory.db-wal")
    assert log.stat().st_size > 10 * FRAME
    return log


def frames(content: bytearray) -> int:
    return (len(content) - 32) // FRAME


def zero_page(content: bytearray) -> None:
    at = 32 + frames(content) // 2 * FRAME + 24
    content[at : at + PAGE] = bytes(PAGE)


def zero_frames(content: bytearray) -> None:
    at = 32 + frames(content) // 2 * FRAME
    content[at : at + 3 * FRAME] = bytes(3 * FRAME)


def flip(content: bytearray) -> None:
    content[32 + frames(content) // 2 * FRAME + 100] ^= 8


def zero_header(content: bytearray) -> None:
    content[:32] = bytes(32)


DAMAGES: list[Callable[[bytearray], None]] = [zero_page, zero_frames, flip, zero_header]


def lamps(filled: Filled) -> int:
    return sum("Kept to the last" in row["text"] for row in filled.open().list(limit=100_000))


@pytest.mark.parametrize("damage", DAMAGES, ids=[one.__name__ for one in DAMAGES])
def test_writes_behind_a_damaged_place_are_missed_aloud(copied: Filled, damage: Callable[[bytearray], None]) -> None:
    log = kill_while_open(copied)
    content = bytearray(log.read_bytes())
    damage(content)
    log.write_bytes(content)
    memory = copied.open()
    assert {row["id"] for row in memory.list(limit=100_000)} >= copied.memories.keys()
    assert lamps(copied) < WRITES
    assert memory.remember("Written after the damage").status == "added"
    open_spaces.drop_all()
    memory = copied.open()
    (lost,) = [one for one in memory.admin.doctor() if not one.ok]
    assert lost.kind == LOST_WRITES.name
    assert any("log could not be read" in notice for notice in memory.status()["notices"])
    kept = Path(lost.remedy.removeprefix("The log is kept beside ").split(". Compare")[0])
    assert Path(f"{kept}-wal").read_bytes() == content
    memory.admin.doctor(fix=True)
    open_spaces.drop_all()
    memory = copied.open()
    assert [one for one in memory.admin.doctor() if not one.ok] == []


def test_a_log_that_a_killed_process_left_is_whole(copied: Filled) -> None:
    kill_while_open(copied)
    assert lamps(copied) == WRITES
    assert [one for one in copied.open().admin.doctor() if not one.ok] == []


def test_a_log_whose_end_is_missing_is_read_up_to_there(copied: Filled) -> None:
    """Nobody can know what was behind it: a process that was killed while it wrote leaves the same."""
    log = kill_while_open(copied)
    content = log.read_bytes()
    log.write_bytes(content[: len(content) * 2 // 3])
    assert 0 < lamps(copied) < WRITES
    assert copied.memories.keys() <= {row["id"] for row in copied.open().list(limit=100_000)}
    assert copied.open().remember("Written after the damage").status == "added"


def test_a_transaction_that_was_not_finished_is_no_loss(copied: Filled) -> None:
    log = kill_while_open(copied)
    content = bytearray(log.read_bytes())
    last = 32 + (frames(content) - 1) * FRAME
    log.write_bytes(content[: last + 2000])  # the page that ends the last one is not whole
    assert lamps(copied) == WRITES - 1
    assert [one for one in copied.open().admin.doctor() if not one.ok] == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_no_damage_of_the_log_is_a_crash(copied: Filled, seed: int) -> None:
    log, chance = kill_while_open(copied), random.Random(seed)
    content = bytearray(log.read_bytes())
    for _ in range(chance.choice((1, 3, 40))):
        at, length = chance.randrange(len(content)), chance.choice((1, 50, 5000))
        content[at : at + length] = chance.randbytes(len(content[at : at + length]))
    log.write_bytes(content)
    memory = copied.open(for_repair=True)
    memory.admin.doctor(fix=True)
    assert [one for one in memory.admin.doctor() if not one.ok] == []
    assert copied.memories.keys() <= {row["id"] for row in memory.list(limit=100_000)}


def test_a_commit_that_another_process_is_just_syncing_is_no_loss(copied: Filled) -> None:
    """It is in the log already, and SQLite does not know it yet."""
    folder, seen, opened = copied.database.parent, threading.Event(), list[threading.Thread]()

    def open_beside() -> None:
        SqliteStore(folder).close()
        seen.set()

    def open_once(step: str) -> None:
        if step == "sync a file" and not opened:
            opened.append(threading.Thread(target=open_beside))
            opened[0].start()
            assert seen.wait(60)  # until it has opened, or waits for this commit

    def trace(_cursor: object, statement: str, _values: object) -> bool:
        if opened and threading.current_thread() is opened[0] and statement == "BEGIN IMMEDIATE":
            seen.set()
        return True

    def hook(connection: apsw.Connection) -> None:
        connection.exec_trace = trace

    with SqliteStore(folder).write() as writer:  # a log that exists is synced once in a commit
        writer.meta.set("before", "1")
    files = SteppedFiles("stepped", "unix", makedefault=True)
    apsw.connection_hooks.append(hook)
    try:
        store = SqliteStore(folder)
        SteppedFile.step = open_once
        with store.write() as writer:
            writer.meta.set("beside", "1")
        opened[0].join()
    finally:
        SteppedFile.step = staticmethod(lambda _: None)
        apsw.connection_hooks.remove(hook)
        store.close()
        files.unregister()
    assert not (folder / LOST_WRITES_NOTE).exists()
