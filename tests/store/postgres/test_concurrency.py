"""Threads that wait for each other, and for connections; and a process that is forked in the middle."""

import hashlib
import os
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest

from waypost.errors import InvalidInput, SecurityError, StoreBusy, StoreError, WaypostError
from waypost.model.memory import StoredSpace
from waypost.store.postgres import connection as connecting
from waypost.store.postgres.connection import ServerConnection, ServerPool, release
from waypost.store.postgres.roles import ensure_roles, schema_of
from waypost.store.postgres.security import PRINCIPAL, Principal
from waypost.store.postgres.store import PostgresStore

SECONDS = 30.0


def all_done(*works: Callable[[], object]) -> bool:
    """Whether they come to an end, each in a thread of its own."""
    threads = [threading.Thread(target=work, daemon=True) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    return not any(thread.is_alive() for thread in threads)


def test_threads_that_have_a_connection_and_need_another_do_not_wait_for_each_other(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store._connections, "_room", threading.BoundedSemaphore(2))
    both_have_one = threading.Barrier(2)

    def reads_twice() -> None:
        with store.read() as first:
            both_have_one.wait(SECONDS)
            with store.read() as second:
                assert first.meta.get("a") is second.meta.get("a") is None

    assert all_done(reads_twice, reads_twice)
    assert all_done(*[store.size_bytes] * 3)  # every place is free again


def test_no_more_connections_than_allowed_are_lent_to_different_threads(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store._connections, "_room", threading.BoundedSemaphore(1))
    lent = threading.Event()

    def reads() -> None:
        with store.read():
            lent.set()

    with store.read():
        waiting = threading.Thread(target=reads)
        waiting.start()
        assert not lent.wait(0.05)
    waiting.join(SECONDS)
    assert lent.is_set()


def test_a_thread_waits_for_the_turn_of_another_for_as_long_as_it_may(store: PostgresStore) -> None:
    told: list[str] = []
    store._busy = 50

    def writes() -> None:
        with pytest.raises(StoreBusy, match="for too long") as raised, store.write():
            pass
        told.append(raised.value.remedy)

    with store.write() as writer:
        writer.meta.set("key", "first")
        assert all_done(writes)
    assert told
    with store.write() as writer:
        assert writer.meta.get("key") == "first"


def test_a_child_does_not_wait_for_what_a_thread_of_its_parent_held(store: PostgresStore) -> None:
    with connecting._pools_lock:
        child = os.fork()
        if not child:
            os._exit(0 if connecting._pools_lock.acquire(timeout=5) else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_database_that_was_released_is_looked_at_again(postgres: str) -> None:
    made = datetime(2026, 1, 1, tzinfo=UTC)
    PostgresStore(postgres, StoredSpace("a" * 16, "project", "shop", "directory", None, made))
    release(postgres)
    with psycopg.connect(postgres, autocommit=True) as admin:  # another one of the same address, without our schema
        admin.execute("DROP SCHEMA waypost CASCADE")
        admin.execute(f"DROP SCHEMA {schema_of('a' * 16)} CASCADE".encode())
    with PostgresStore(postgres, StoredSpace("b" * 16, "project", "shop", "directory", None, made)).read() as reader:
        assert reader.meta.get("key") is None


def test_a_network_that_swallows_everything_is_noticed_unless_the_address_says_otherwise() -> None:
    connection = ServerPool("postgresql://nobody@127.0.0.1:1/nowhere?keepalives_idle=77&application_name=mine")
    asked: list[dict[str, Any]] = []

    def refuse(_: str, **options: Any) -> None:
        asked.append(options)
        raise psycopg.ProgrammingError

    with pytest.MonkeyPatch.context() as patch, pytest.raises(StoreError):
        patch.setattr(psycopg, "connect", refuse)
        with connection.alone():
            pass
    assert asked[0]["keepalives_interval"] == 10
    assert asked[0]["tcp_user_timeout"] == 60_000
    assert not asked[0].keys() & {"keepalives_idle", "application_name"}


def test_an_error_that_was_swallowed_inside_of_a_write_is_told_at_its_end(store: PostgresStore) -> None:
    with pytest.raises(Exception, match="aborted"), store.write() as writer:
        writer.meta.set("key", "value")
        with pytest.raises((psycopg.Error, WaypostError)):
            writer.database.rows("SELECT 1 / 0")
    with store.read() as reader:
        assert reader.meta.get("key") is None


def test_upkeep_is_not_stopped_by_a_limit_of_the_login(
    store: PostgresStore, searched_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with psycopg.connect(searched_database, autocommit=True) as admin:
        name = admin.info.dbname
        admin.execute(f"ALTER DATABASE {name} SET statement_timeout = '1h'".encode())
    limits: list[str] = []
    execute: Callable[..., Any] = ServerConnection.execute

    def noting(self: ServerConnection, sql: str, parameters: Sequence[Any] = ()) -> Any:
        if sql.startswith(("VACUUM", "ANALYZE")):
            limits.append(execute(self, "SHOW statement_timeout").fetchall()[0][0])
        return execute(self, sql, parameters)

    monkeypatch.setattr(ServerConnection, "execute", noting)
    try:
        assert store.scrub([])
        store.compact()
    finally:
        with psycopg.connect(searched_database, autocommit=True) as admin:
            admin.execute(f"ALTER DATABASE {name} RESET statement_timeout".encode())
    assert len(limits) > 2
    assert set(limits) == {"0"}


def test_what_is_too_long_for_an_index_is_told_as_such(store: PostgresStore) -> None:
    path = "".join(hashlib.sha256(bytes([at])).hexdigest() for at in range(200))
    with pytest.raises(InvalidInput, match="cannot store this: index row"), store.write() as writer:
        writer.code.track("here", [path])


def test_a_server_without_roles_serves_nobody_with_rights_of_its_own(store: PostgresStore) -> None:
    space_id = store._space.space_id
    before = PRINCIPAL.set(Principal("ann", "agent", "read", {space_id: "reader"}))
    try:
        with pytest.raises(SecurityError, match="no roles to act"), store.read():
            pass
    finally:
        PRINCIPAL.reset(before)


def test_a_memory_that_is_made_after_the_roles_by_a_process_from_before_opens_to_them(postgres: str) -> None:
    made = datetime(2026, 1, 1, tzinfo=UTC)
    before, after = (StoredSpace(one * 16, "project", "shop", "directory", None, made) for one in "cd")
    PostgresStore(postgres, before)
    with psycopg.connect(postgres, autocommit=True) as admin:
        names = ensure_roles(admin, f"turns_{os.getpid()}")
        assert names is not None
        PostgresStore(postgres, after)
        group, table = names.group(after.space_id, "reader"), f"{schema_of(after.space_id)}.memories"
        assert admin.execute("SELECT has_table_privilege(%s, %s, 'SELECT')", (group, table)).fetchall() == [(True,)]


def test_a_run_of_the_server_is_told_from_the_next(searched_database: str) -> None:
    pool = ServerPool(searched_database)
    with ExitStack() as opened:
        first, second = (opened.enter_context(pool.alone()) for _ in range(2))
        assert first.server_run == second.server_run
        assert len(first.server_run) > len("2026-01-01 00:00:00+00")
