"""A database server that is killed, cut off or slow: nothing acknowledged is lost, nothing is stored by halves."""

import json
import os
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.durability.conftest import ROOT
from tests.postgres_server import Postgres

from waypost import Memory
from waypost.embed.fake import FakeEngine
from waypost.errors import InvalidInput, StoreBusy, StoreUnavailable
from waypost.model.memory import StoredSpace
from waypost.store.postgres import connection as connecting
from waypost.store.postgres import store as storing
from waypost.store.postgres.connection import ServerConnection, release
from waypost.store.postgres.store import PostgresStore

pytestmark = pytest.mark.slow  # not for the inner loop

KILLS = 10
WRITERS = 3
SPACE = StoredSpace("00112233445566aa", "project", "shop", "directory", None, datetime(2026, 1, 1, tzinfo=UTC))
WRITER = """
import json, os, sys, waypost.memory.spaces
from waypost import Memory
from waypost.embed.fake import FakeEngine
from waypost.errors import StoreUnavailable
engine = FakeEngine()
waypost.memory.spaces.open_engine = lambda _name, _settings: engine
memory, who, number = Memory.open(sys.argv[1]), sys.argv[2], 0
while os.getppid() == int(sys.argv[3]):
    text, number = f"Writer {who} has counted up to {number}", number + 1
    try:
        receipt = memory.remember(text, domain=who)
    except StoreUnavailable as error:
        print(json.dumps({"gone": error.what, "undone": error.undone, "text": text}), flush=True)
    else:
        print(json.dumps({"text": text, "id": receipt.id, "status": receipt.status}), flush=True)
"""


@pytest.fixture
def server() -> Iterator[Postgres]:
    with Postgres(durable=True) as own:
        yield own


@pytest.fixture
def store(postgres: str) -> PostgresStore:
    return PostgresStore(postgres, SPACE)


def kills(server: Postgres, project: Path, monkeypatch: pytest.MonkeyPatch, count: int) -> list[dict[str, Any]]:
    """Kill the server in the middle of the writes of several processes, so many times. Returns what they were told."""
    dsn = server.new_database()
    monkeypatch.setenv("WAYPOST_STORE", dsn)
    Memory.open(project)
    told: list[dict[str, Any]] = []
    some, arrived = threading.Event(), threading.Lock()
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(project), str(who), str(os.getpid())],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        )
        for who in range(WRITERS)
    ]

    def listen(process: "subprocess.Popen[str]") -> None:
        for line in process.stdout or ():
            with arrived:
                told.append(json.loads(line))
            some.set()

    listeners = [threading.Thread(target=listen, args=(writer,)) for writer in writers]
    for listener in listeners:
        listener.start()
    try:
        for number in range(count):
            for _ in range(3 + number % 5):  # never at the same place
                some.clear()
                assert some.wait(60)
            server.kill()
            server.start_again()
        some.clear()
        assert some.wait(60)
    finally:
        for writer in writers:
            writer.kill()
            writer.wait()
        for listener, writer in zip(listeners, writers, strict=True):
            listener.join()
            assert writer.stdout is not None
            writer.stdout.close()
    return told


def check_nothing_lost(project: Path, told: list[dict[str, Any]]) -> None:
    memory = Memory.open(project)
    stored = {row["text"]: row["id"] for row in memory.list(limit=1_000_000)}
    acknowledged = [one for one in told if "id" in one]
    assert acknowledged
    assert all(stored.get(one["text"]) == one["id"] for one in acknowledged)
    assert {one["status"] for one in acknowledged} <= {"added", "duplicate"}
    refused = {one["text"] for one in told if one.get("undone")} - {one["text"] for one in acknowledged}
    assert not refused & stored.keys()
    audited = Counter(entry.memory_id for entry in memory.admin.audit(limit=1_000_000) if entry.action == "remember")
    assert audited == Counter(stored.values())
    assert list(memory.space.store.problems()) == []


def test_a_server_that_is_killed_in_the_middle_of_writes_loses_nothing_acknowledged(
    server: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fake_engine: FakeEngine
) -> None:
    project = tmp_path / "shop"
    project.mkdir()
    check_nothing_lost(project, kills(server, project, monkeypatch, KILLS))


@pytest.mark.soak
def test_a_server_that_is_killed_a_hundred_times_loses_nothing_acknowledged(
    server: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fake_engine: FakeEngine
) -> None:
    project = tmp_path / "shop"
    project.mkdir()
    told = kills(server, project, monkeypatch, 100)
    print(f"\n100 kills: {len(told)} writes, {sum('gone' in one for one in told)} refused")
    check_nothing_lost(project, told)


def backend_of(connection: ServerConnection) -> int:
    return int(connection.execute("SELECT pg_backend_pid()").fetchall()[0][0])


def cut(dsn: str, backend: int) -> None:
    with psycopg.connect(dsn, autocommit=True) as other:
        other.execute("SELECT pg_terminate_backend(%s, 10000)", (backend,))


def test_a_connection_that_is_cut_in_the_middle_stores_nothing_and_the_next_works(
    store: PostgresStore, postgres: str
) -> None:
    with pytest.raises(StoreUnavailable) as raised, store.write() as writer:
        writer.meta.set("half", "done")
        cut(postgres, backend_of(writer.database.connection))  # type: ignore[attr-defined]
        writer.meta.set("other half", "done")
    assert raised.value.undone
    with store.read() as reader:
        assert reader.meta.get("half") is None
    with store.write() as writer:
        writer.meta.set("half", "whole")
    with store.read() as reader:
        assert reader.meta.get("half") == "whole"


def test_connections_that_were_cut_while_nobody_used_them_are_replaced(store: PostgresStore, postgres: str) -> None:
    with store.read() as reader:
        backend = backend_of(reader.database.connection)  # type: ignore[attr-defined]
    cut(postgres, backend)
    with store.read() as reader:
        assert backend_of(reader.database.connection) != backend  # type: ignore[attr-defined]


@contextmanager
def answers_lost(monkeypatch: pytest.MonkeyPatch, *, done: bool) -> Iterator[None]:
    """The connection is lost at the end of a write: after the server has committed, or before."""
    begin: Callable[[ServerConnection, str], None] = ServerConnection.begin

    def lost(self: ServerConnection, sql: str) -> None:
        if sql != "COMMIT":
            return begin(self, sql)
        if done:
            begin(self, sql)
        self.raw.close()
        raise psycopg.OperationalError("server closed the connection unexpectedly")

    with monkeypatch.context() as patch:
        patch.setattr(ServerConnection, "begin", lost)
        yield


def test_a_commit_whose_answer_is_lost_counts_as_done(store: PostgresStore, monkeypatch: pytest.MonkeyPatch) -> None:
    with answers_lost(monkeypatch, done=True), store.write() as writer:
        writer.meta.set("key", "value")
    with store.read() as reader:
        assert reader.meta.get("key") == "value"


def test_a_commit_that_never_arrived_is_told_as_not_done(store: PostgresStore, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(StoreUnavailable) as raised, answers_lost(monkeypatch, done=False), store.write() as writer:
        writer.meta.set("key", "value")
    assert raised.value.undone
    with store.read() as reader:
        assert reader.meta.get("key") is None


def test_a_server_that_restarts_is_waited_for(server: Postgres) -> None:
    dsn = server.new_database()
    store = PostgresStore(dsn, SPACE)
    server.kill()
    starting = threading.Thread(target=server.start_again)
    starting.start()
    with store.write() as writer:
        writer.meta.set("key", "value")
    starting.join()
    release(dsn)


def test_a_server_that_is_away_is_told_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connecting, "_FIRST_PATIENCE_SECONDS", 0.1)
    with pytest.raises(StoreUnavailable, match=r"on 127\.0\.0\.1 cannot be reached") as raised:
        PostgresStore("postgresql://somebody:very-secret@127.0.0.1:1/shop", SPACE)
    assert "very-secret" not in str(raised.value)
    assert "Start the server" in raised.value.remedy


def test_a_writer_waits_for_another_and_gives_up_in_the_end(store: PostgresStore, postgres: str) -> None:
    hasty = PostgresStore(postgres, SPACE, busy_seconds=0.2)
    with store.write() as writer:
        writer.meta.set("key", "first")
        with pytest.raises(StoreBusy, match="for too long"), hasty.write():
            pass
    with hasty.write() as writer:
        assert writer.meta.get("key") == "first"


def test_a_statement_that_takes_too_long_is_stopped(postgres: str) -> None:
    hasty = PostgresStore(postgres, SPACE, statement_seconds=0.2)
    with pytest.raises(StoreBusy, match="took too long"), hasty.read() as reader:
        reader.database.rows("SELECT pg_sleep(30)")


def test_a_reader_sees_one_state_however_long_it_looks(store: PostgresStore) -> None:
    with store.write() as writer:
        writer.meta.set("key", "before")
    with store.read() as reader:
        assert reader.meta.get("key") == "before"
        with store.write() as writer:
            writer.meta.set("key", "after")
        assert reader.meta.get("key") == "before"
    with store.read() as reader:
        assert reader.meta.get("key") == "after"


def test_what_the_database_cannot_hold_is_told_and_loses_nothing(store: PostgresStore) -> None:
    with pytest.raises(InvalidInput, match="NUL"), store.write() as writer:
        writer.meta.set("key", "a\0b")
    with store.read() as reader:
        assert reader.meta.get("key") is None


def test_forgotten_words_are_in_no_file_of_the_database(
    server: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fake_engine: FakeEngine
) -> None:
    project = tmp_path / "shop"
    project.mkdir()
    monkeypatch.setenv("WAYPOST_STORE", server.new_database())
    memory = Memory.open(project)
    kept = memory.remember("The bell is rung at noon").id
    gone = memory.remember("The xylophonist of the quartet plays at night").id
    assert gone
    memory.forget(gone)
    server.stop()  # all that is in memory is written
    assert words_in(server.folder / "base", b"xylophonist") == []
    assert words_in(server.folder / "base", b"bell is rung")  # the control: what is kept is found in this way
    server.start_again()
    assert [row["id"] for row in memory.list()] == [kept]


def words_in(folder: Path, word: bytes) -> list[str]:
    return [str(path) for path in folder.rglob("*") if path.is_file() and word in path.read_bytes()]


@pytest.mark.parametrize("error", [psycopg.errors.SerializationFailure, psycopg.errors.DeadlockDetected])
def test_what_the_database_takes_back_is_tried_again(
    postgres: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fake_engine: FakeEngine, error: type[psycopg.Error]
) -> None:
    monkeypatch.setenv("WAYPOST_STORE", postgres)
    (tmp_path / "shop").mkdir()
    memory = Memory.open(tmp_path / "shop")
    begin, left = ServerConnection.begin, [2]

    def refusing(self: ServerConnection, sql: str) -> None:
        if sql == "COMMIT" and left[0]:
            left[0] -= 1
            raise error("could not serialize access")
        begin(self, sql)

    monkeypatch.setattr(ServerConnection, "begin", refusing)
    assert memory.remember("The bell is rung at noon").status == "added"
    assert left == [0]
    assert len(memory.list()) == 1


def test_a_commit_that_was_lost_in_a_crash_is_not_taken_for_another_of_the_same_number(
    server: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numbers of transactions that never reached the disk are given out again."""
    dsn = server.new_database()
    store, other = PostgresStore(dsn, SPACE), PostgresStore(dsn, replace(SPACE, space_id="00112233445566bb"))
    numbers: list[str] = []
    begin: Callable[[ServerConnection, str], None] = ServerConnection.begin

    def lost(self: ServerConnection, sql: str) -> None:
        if sql != "COMMIT":
            return begin(self, sql)
        patch.undo()
        numbers.append(number_of(self))
        server.kill()
        server.start_again()
        for _ in range(20):
            with other.write() as writer:
                numbers.append(number_of(writer.database.connection))  # type: ignore[attr-defined]
                writer.meta.set("other", "stored")
        raise psycopg.OperationalError("server closed the connection unexpectedly")

    with monkeypatch.context() as patch:
        patch.setattr(ServerConnection, "begin", lost)
        with pytest.raises(StoreUnavailable) as raised, store.write() as writer:
            writer.meta.set("key", "value")
    assert numbers[0] in numbers[1:]  # else this shows nothing
    assert not raised.value.undone
    with store.read() as reader:
        assert reader.meta.get("key") is None
    release(dsn)


def number_of(connection: ServerConnection) -> str:
    return str(connection.execute("SELECT pg_current_xact_id()::text").fetchall()[0][0])


def test_a_commit_whose_server_stays_away_is_told_as_unknown(server: Postgres, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connecting, "_PATIENCE_SECONDS", 0.1)
    monkeypatch.setattr(storing, "_SETTLE_SECONDS", 0.1)
    dsn = server.new_database()
    store = PostgresStore(dsn, SPACE)
    begin: Callable[[ServerConnection, str], None] = ServerConnection.begin

    def lost(self: ServerConnection, sql: str) -> None:
        begin(self, sql)
        if sql == "COMMIT":
            server.kill()
            raise psycopg.OperationalError("server closed the connection unexpectedly")

    with monkeypatch.context() as patch:
        patch.setattr(ServerConnection, "begin", lost)
        with pytest.raises(StoreUnavailable) as raised, store.write() as writer:
            writer.meta.set("key", "value")
    assert not raised.value.undone
    server.start_again()
    with store.read() as reader:
        assert reader.meta.get("key") == "value"
    release(dsn)
