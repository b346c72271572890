"""Connections to one database server: one thread uses each at a time, and they wait for a server that restarts."""

import atexit
import math
import os
import random
import re
import threading
import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
from psycopg.adapt import AdaptersMap, Loader
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import Format, TransactionStatus

from waypost.store.postgres.errors import is_lost, translated_errors, without_password
from waypost.store.postgres.search import halfvec

_MOST_IDLE = 8  # idle connections that are kept; more are opened if needed
_MOST = 64  # at once, in one process
_OLDEST_SECONDS = 1800.0  # maximum age of a connection: behind a proxy it may lead to a server that is gone
# Limits one attempt to connect. A dead network or machine is noticed within a minute, while waiting (keepalives) and
# while sending.
_NETWORK: Mapping[str, Any] = {
    "connect_timeout": 10,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
_PATIENCE_SECONDS = 30.0  # for a server that restarts, or fails over to another
_FIRST_PATIENCE_SECONDS = 3.0  # for one that has never answered this process: its name may be wrong, and a person waits
# When the server started, and when it reset its statistics, as it does after one of its processes crashed.
_ABOUT = b"""
SELECT concat_ws(' ', pg_postmaster_start_time(), (SELECT stats_reset FROM pg_stat_bgwriter)),
    pg_backend_pid(), halfvec.oid, halfvec.nspname
FROM (SELECT 1) one LEFT JOIN (
    SELECT t.oid::bigint, n.nspname::text FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
    JOIN pg_depend d ON d.classid = 'pg_type'::regclass AND d.objid = t.oid AND d.deptype = 'e'
    JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'vector' WHERE t.typname = 'halfvec'
) halfvec ON true
"""
_SCHEMA_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class ServerConnection:
    """A connection with the schema of pgvector's types and the run of the server it leads to.

    A server that restarted, or crashed, has another run. `is_direct`: to the server itself, not to a pooler, which
    may run each transaction in another process.
    """

    __slots__ = ("is_direct", "made", "raw", "server_run", "vector_schema")

    def __init__(self, raw: "psycopg.Connection[Any]", vector_schema: str, server_run: str, *, is_direct: bool) -> None:
        self.raw, self.vector_schema, self.server_run, self.is_direct = raw, vector_schema, server_run, is_direct
        self.made = time.monotonic()

    def begin(self, sql: str) -> None:
        """Run several statements without parameters in one round trip."""
        self.raw.execute(sql.encode())

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> "psycopg.Cursor[Any]":
        """Parameters are `$1`, `$2` …; the answer is binary."""
        return _BinaryCursor(self.raw).execute(sql.encode(), parameters)

    def many(self, sql: str, rows: Sequence[Sequence[Any]]) -> int:
        """Run a statement for each row without waiting for each answer. Returns how many rows changed."""
        with _BinaryCursor(self.raw) as cursor:
            cursor.executemany(sql.encode(), rows)
            return max(cursor.rowcount, 0)

    @property
    def usable(self) -> bool:
        return not self.raw.closed and time.monotonic() - self.made < _OLDEST_SECONDS

    @property
    def idle(self) -> bool:
        return bool(self.raw.info.transaction_status == TransactionStatus.IDLE)

    def close(self) -> None:
        with suppress(psycopg.Error):
            self.raw.close()


class ServerPool:
    """The connections of this process to one database. A forked child starts with none."""

    def __init__(self, dsn: str) -> None:
        self.dsn = dsn
        self.shown = without_password(dsn)
        self._has_answered = False
        self._idle: list[ServerConnection] = []
        self._lock = threading.Lock()
        self._room = threading.BoundedSemaphore(_MOST)
        self._held = threading.local()
        self._lent = self._waiting = 0  # threads
        self._last = math.inf  # time after which no thread waits for the server
        _all.add(self)

    @contextmanager
    def lend(self, begin: str) -> Iterator[ServerConnection]:
        """A connection for this thread alone, on which these statements have run.

        Waits for a server that restarts. A broken connection is replaced before anything was done on it.
        """
        with translated_errors(self.shown), self._reserved_room():
            connection = self._begin_patiently(begin)
            try:
                yield connection
            finally:
                self._give_back(connection)

    @contextmanager
    def alone(self) -> Iterator[ServerConnection]:
        """A connection outside of any transaction, closed afterwards."""
        with translated_errors(self.shown):
            connection = self._open_patiently()
            try:
                yield connection
            finally:
                connection.close()

    def wait_until(self, moment: float) -> None:
        """After this moment of the monotonic clock, do not wait for the server: this process ends."""
        self._last = moment

    def close(self) -> None:
        """Close idle connections. Work in progress may finish."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def start_afresh(self) -> None:
        """In a forked child: forget the parent's connections. Closing one here would end it there."""
        _abandoned.extend(self._idle)
        self._idle, self._lock, self._room = [], threading.Lock(), threading.BoundedSemaphore(_MOST)
        self._held, self._lent, self._waiting = threading.local(), 0, 0

    @property
    def usage(self) -> dict[str, int]:
        """How many threads have a connection, how many wait for one, and how many connections are idle."""
        with self._lock:
            return {"lent": self._lent, "waiting": self._waiting, "idle": len(self._idle)}

    @contextmanager
    def _reserved_room(self) -> Iterator[None]:
        """A thread that has a connection gets another at once. If all waited for more, none would become free."""
        count = getattr(self._held, "count", 0)
        if not count:
            self._count(waiting=1)
            try:
                self._room.acquire()
            finally:
                self._count(waiting=-1)
            self._count(lent=1)
        self._held.count = count + 1
        try:
            yield
        finally:
            self._held.count = count
            if not count:
                self._count(lent=-1)
                self._room.release()

    def _count(self, *, lent: int = 0, waiting: int = 0) -> None:
        with self._lock:
            self._lent, self._waiting = self._lent + lent, self._waiting + waiting

    def _begin_patiently(self, begin: str) -> ServerConnection:
        while (idle := self._take()) is not None:
            try:
                idle.begin(begin)
            except psycopg.OperationalError as error:
                idle.close()
                if not is_lost(error):
                    raise
            except BaseException:
                idle.close()
                raise
            else:
                return idle
        connection = self._open_patiently()
        try:
            connection.begin(begin)
        except BaseException:
            connection.close()
            raise
        return connection

    def _take(self) -> ServerConnection | None:
        with self._lock:
            while self._idle:
                connection = self._idle.pop()
                if connection.usable:
                    return connection
                connection.close()
        return None

    def _give_back(self, connection: ServerConnection) -> None:
        with suppress(psycopg.Error):
            if not connection.raw.closed and not connection.idle:
                connection.raw.rollback()
        with self._lock:
            if connection.usable and connection.idle and len(self._idle) < _MOST_IDLE:
                self._idle.append(connection)
                return
        connection.close()

    def _open_patiently(self) -> ServerConnection:
        patience = _PATIENCE_SECONDS if self._has_answered else _FIRST_PATIENCE_SECONDS
        until, pause = time.monotonic() + patience, 0.05
        while True:
            try:
                connection = self._open()
                self._has_answered = True
                return connection
            except psycopg.OperationalError as error:
                if not is_lost(error) or time.monotonic() + pause > min(until, self._last):
                    raise
                time.sleep(pause * random.uniform(0.5, 1.0))
                pause = min(2 * pause, 1.0)

    def _open(self) -> ServerConnection:
        raw = connected(self.dsn, "waypost")
        try:
            run, process, halfvec_type, schema = raw.execute(_ABOUT).fetchall()[0]
            _teach(raw.adapters, halfvec_type)
            # A pooler invents the process id by which its clients could cancel a statement.
            is_direct = process == raw.info.backend_pid
            if not is_direct:
                raw.prepare_threshold = None  # another server process would not know a prepared statement
        except BaseException:
            raw.close()
            raise
        return ServerConnection(raw, schema if _SCHEMA_NAME.fullmatch(schema or "") else "", run, is_direct=is_direct)


def connected(dsn: str, application_name: str) -> "psycopg.Connection[Any]":
    """A connection without implicit transactions. Raises psycopg.OperationalError."""
    unless_told = {**_NETWORK, "application_name": application_name}
    given = conninfo_to_dict(dsn)
    return psycopg.connect(
        dsn, autocommit=True, **{name: value for name, value in unless_told.items() if name not in given}
    )


class _BinaryCursor(psycopg.RawCursor[Any]):
    """Parameters as `$1`; binary answers, which are faster to read for numbers, hashes and vectors."""

    def __init__(self, connection: "psycopg.Connection[Any]") -> None:
        super().__init__(connection)
        self.format = Format.BINARY


class _Text(Loader):
    """JSON as text: the shared code parses it."""

    format = Format.BINARY

    def load(self, data: Any) -> str:
        return bytes(data).decode()


class _Packed(Loader):
    """A vector as SQLite returns it."""

    format = Format.BINARY

    def load(self, data: Any) -> bytes:
        return halfvec.packed(bytes(data))


def _teach(adapters: AdaptersMap, halfvec_type: int | None) -> None:
    adapters.register_loader("json", _Text)
    if halfvec_type is not None:
        adapters.register_loader(halfvec_type, _Packed)
    halfvec.register(adapters)


_pools: dict[str, ServerPool] = {}
_pools_lock = threading.Lock()
_all: "weakref.WeakSet[ServerPool]" = weakref.WeakSet()
_abandoned: list[ServerConnection] = []  # of a parent process: kept, so that nothing closes them


def connections(dsn: str) -> ServerPool:
    """The pool of a database, shared by all its spaces."""
    with _pools_lock:
        pool = _pools.get(dsn)
        if pool is None:
            pool = _pools[dsn] = ServerPool(dsn)
        return pool


def release(dsn: str) -> None:
    """Close the connections to a database that this process no longer uses."""
    with _pools_lock:
        pool = _pools.pop(dsn, None)
    if pool is not None:
        pool.close()


def _close_all() -> None:
    for dsn in list(_pools):
        release(dsn)


atexit.register(_close_all)


def _start_afresh() -> None:
    global _pools_lock  # noqa: PLW0603  a thread of the parent may hold it for ever
    _pools_lock = threading.Lock()
    for pool in list(_all):
        pool.start_afresh()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_afresh)
