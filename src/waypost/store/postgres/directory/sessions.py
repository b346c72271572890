"""Sign-in sessions, and replies to writes with an idempotency key, shared by the servers of a database.

For the server's login.
"""

import secrets
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from waypost.store.postgres.directory.execute import run
from waypost.store.postgres.directory.refusals import translated_errors

if TYPE_CHECKING:
    from psycopg import Connection

Connect = Callable[[], AbstractContextManager["Connection[Any]"]]  # a pool's `connection` is one
_SECRET_BYTES = 32


def pooled(dsn: str) -> Connect:
    """Connections of this process to the database, one for each block."""
    from waypost.store.postgres.connection import connections

    @contextmanager
    def connect() -> Iterator["Connection[Any]"]:
        with connections(dsn).lend("SELECT") as connection:  # does nothing, but replaces a broken connection
            yield connection.raw

    return connect


@dataclass(frozen=True, slots=True)
class KeptSession:
    digest: str
    holder: str  # of the token it came from
    began: datetime
    seen: datetime


class _ServerTables:
    def __init__(self, connect: Connect) -> None:
        self._connect = connect

    @contextmanager
    def _transaction(self) -> Iterator["Connection[Any]"]:
        with translated_errors(), self._connect() as connection, connection.transaction():
            yield connection

    def _run(self, statement: str, *given: object) -> None:
        with self._transaction() as connection:
            run(connection, statement, given)


class KeptSessions(_ServerTables):
    """Sessions begin and end in every process at once."""

    def begin(self, session: KeptSession, *, oldest: datetime, idle: datetime, most: int) -> None:
        """Store a new session. Drops those that began before `oldest` or are idle since `idle`, and the longest idle of
        a token above `most`.
        """
        with self._transaction() as connection:
            run(connection, "DELETE FROM waypost.sessions WHERE began < %s OR seen < %s", (oldest, idle))
            run(
                connection,
                "DELETE FROM waypost.sessions WHERE digest IN (SELECT digest FROM waypost.sessions WHERE holder = %s"
                " ORDER BY seen DESC, digest OFFSET %s)",
                (session.holder, most - 1),
            )
            run(
                connection,
                "INSERT INTO waypost.sessions VALUES (%s, %s, %s, %s)",
                (session.digest, session.holder, session.began, session.seen),
            )

    def find(self, digest: str) -> KeptSession | None:
        with self._transaction() as connection:
            row = run(
                connection, "SELECT digest, holder, began, seen FROM waypost.sessions WHERE digest = %s", (digest,)
            ).fetchone()
        return KeptSession(*row) if row else None

    def seen(self, digest: str, at: datetime) -> None:
        self._run("UPDATE waypost.sessions SET seen = greatest(seen, %s) WHERE digest = %s", at, digest)

    def end(self, digest: str) -> None:
        self._run("DELETE FROM waypost.sessions WHERE digest = %s", digest)


@dataclass(frozen=True, slots=True)
class KeptReply:
    """An earlier request: without a status while it runs, or if its outcome is unknown."""

    request: bytes
    is_held: bool
    status: int | None
    body: str | None
    headers: str | None


class KeptReplies(_ServerTables):
    """Keys, callers and requests are keyed hashes, and answers contain no text: see `faces.rest.replies`."""

    def secret(self) -> bytes:
        """The key of the hashes, the same for all servers of this database."""
        with self._transaction() as connection:
            run(
                connection,
                "INSERT INTO waypost.secrets VALUES ('replies', %s) ON CONFLICT DO NOTHING",
                (secrets.token_bytes(_SECRET_BYTES),),
            )
            row = run(connection, "SELECT value FROM waypost.secrets WHERE name = 'replies'").fetchone()
        return bytes(row[0]) if row else b""

    def begin(
        self, key: bytes, caller: bytes, request: bytes, *, now: datetime, lease: timedelta, kept: timedelta, most: int
    ) -> KeptReply | None:
        """The earlier request with this key, or None: then this process must run it.

        At most `most` are stored for one caller, each for `kept`.
        """
        with self._transaction() as connection:
            run(connection, "DELETE FROM waypost.replies WHERE at < %s", (now - kept,))
            while not _take_key(connection, key, caller, request, now, now + lease):
                row = run(
                    connection,
                    "SELECT request, held_until > %s, status, body, headers FROM waypost.replies WHERE key = %s",
                    (now, key),
                ).fetchone()
                if row is not None:  # else the other process has released the key
                    return KeptReply(bytes(row[0]), *row[1:])
            run(
                connection,
                "DELETE FROM waypost.replies WHERE key IN (SELECT key FROM waypost.replies WHERE caller = %s"
                " ORDER BY at DESC, key OFFSET %s)",
                (caller, most),
            )
        return None

    def finish(self, key: bytes, status: int, body: str, headers: str) -> None:
        self._run(
            "UPDATE waypost.replies SET status = %s, body = %s, headers = %s WHERE key = %s", status, body, headers, key
        )

    def release(self, key: bytes) -> None:
        """Nothing was written: the key can be used again."""
        self._run("DELETE FROM waypost.replies WHERE key = %s AND status IS NULL", key)

    def leave(self, key: bytes, now: datetime) -> None:
        """The outcome is unknown."""
        self._run("UPDATE waypost.replies SET held_until = %s WHERE key = %s AND status IS NULL", now, key)


def _take_key(
    connection: "Connection[Any]", key: bytes, caller: bytes, request: bytes, now: datetime, until: datetime
) -> bool:
    made = run(
        connection,
        "INSERT INTO waypost.replies (key, caller, request, at, held_until) VALUES (%s, %s, %s, %s, %s)"
        " ON CONFLICT DO NOTHING",
        (key, caller, request, now, until),
    )
    return bool(made.rowcount)
