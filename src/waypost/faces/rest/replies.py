"""Stored replies to writes with an `Idempotency-Key`, kept for a day in `<home>/replies.db` or in a team's database.

Keys and requests are stored as keyed hashes. Of a reply the file keeps only ids, statuses and numbers, no text, so that
forgotten memories leave no trace. Full replies are kept in memory for a while, until something is forgotten.
"""

import hashlib
import json
import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import apsw

from waypost.faces.rest.problems import ProblemError
from waypost.memory.private_database import private_transaction
from waypost.memory.team_database import TeamDatabase
from waypost.model.time import Clock, to_micros

FILE = "replies.db"
KEPT = timedelta(days=1)
MOST_EACH = 1_000  # keys of one token
MOST = 10_000
_REMEMBERED_BYTES = 8 << 20  # of full replies, in memory
_SCHEMA = """
CREATE TABLE IF NOT EXISTS secret (value BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS replies (
    key BLOB PRIMARY KEY, caller BLOB NOT NULL, request BLOB NOT NULL, at INTEGER NOT NULL,
    status INTEGER, body TEXT, headers TEXT
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS replies_by_caller ON replies (caller, at);
"""
# What the file keeps of a reply: these strings, all numbers and booleans, and the same inside these keys.
_TEXTS = frozenset({"id", "status", "replaces", "conflicts_with", "candidate", "job", "sort", "space"})
_INSIDE = frozenset({"receipts", "decision", "reasons", "consequences", "constraints", "memories", "decided"})


@dataclass(frozen=True, slots=True)
class Claim:
    """Whose request this is, its key, and its content."""

    caller: str
    key: str
    request: bytes


@dataclass(frozen=True, slots=True)
class StoredReply:
    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)


class Replies:
    def __init__(self, home: Path, clock: Clock) -> None:
        self._path, self._clock = home / FILE, clock
        self._lock = threading.Lock()
        self._in_progress: set[bytes] = set()
        self._full: OrderedDict[bytes, StoredReply] = OrderedDict()
        self._bytes = 0

    def begin(self, claim: Claim) -> StoredReply | None:
        """The stored reply, or None: then do the write, and call `finish`, `release` or `leave`.

        Raises ProblemError if the key was used for another request, or the same request is in progress.
        """
        with self._transaction() as (connection, secret):
            key, request = _digest(secret, claim.caller, claim.key), _digest(secret, claim.request)
            with self._lock:
                in_progress = key in self._in_progress
                rows = connection.execute(
                    "SELECT request, status, body, headers FROM replies WHERE key = ? AND at >= ?", (key, self._oldest)
                ).fetchall()
                if not rows:
                    self._insert(connection, _digest(secret, claim.caller), key, request)
                    self._in_progress.add(key)
                    return None
            return self._stored_reply(rows[0], key, request, in_progress=in_progress)

    def finish(self, claim: Claim, reply: StoredReply) -> None:
        with self._transaction() as (connection, secret):
            key = _digest(secret, claim.caller, claim.key)
            connection.execute(
                "UPDATE replies SET status = ?, body = ?, headers = ? WHERE key = ?",
                (reply.status, _without_text(reply.body), json.dumps(dict(reply.headers)), key),
            )
        with self._lock:
            self._in_progress.discard(key)
            self._remember(key, reply)

    def release(self, claim: Claim) -> None:
        """Nothing was written: the key can be used again."""
        with self._transaction() as (connection, secret):
            key = _digest(secret, claim.caller, claim.key)
            connection.execute("DELETE FROM replies WHERE key = ? AND status IS NULL", (key,))
        with self._lock:
            self._in_progress.discard(key)

    def leave(self, claim: Claim) -> None:
        """The outcome is unknown."""
        with self._transaction() as (_, secret), self._lock:
            self._in_progress.discard(_digest(secret, claim.caller, claim.key))

    def forget_full_replies(self) -> None:
        """Drop full replies: a memory was forgotten, and they may contain its text."""
        with self._lock:
            self._full.clear()
            self._bytes = 0

    def _stored_reply(self, row: Any, key: bytes, request: bytes, *, in_progress: bool) -> StoredReply:
        stored_request, status, body, headers = row
        if stored_request != request:
            raise ProblemError(422, "This Idempotency-Key was used for another request.", "Use a new key for each.")
        if status is None and in_progress:
            raise ProblemError(409, "The same request is in progress.", "Wait, then send it again.")
        if status is None:
            raise ProblemError(
                409,
                "The server stopped during this write; its outcome is unknown.",
                "Check whether it was done. If not, send it with a new key.",
            )
        with self._lock:
            return self._full.get(key) or StoredReply(status, body.encode(), json.loads(headers))

    def _insert(self, connection: apsw.Connection, caller: bytes, key: bytes, request: bytes) -> None:
        connection.execute("DELETE FROM replies WHERE at < ?", (self._oldest,))
        for condition, parameters, most in (("caller = ?", (caller,), MOST_EACH), ("1", (), MOST)):
            connection.execute(
                f"DELETE FROM replies WHERE {condition} AND key IN (SELECT key FROM replies WHERE {condition}"  # noqa: S608  constants
                " ORDER BY at DESC, key LIMIT -1 OFFSET ?)",
                (*parameters, *parameters, most - 1),
            )
        connection.execute(
            "INSERT INTO replies (key, caller, request, at) VALUES (?, ?, ?, ?)",
            (key, caller, request, to_micros(self._clock())),
        )

    @property
    def _oldest(self) -> int:
        return to_micros(self._clock() - KEPT)

    def _remember(self, key: bytes, reply: StoredReply) -> None:
        self._full[key] = reply
        self._bytes += len(reply.body)
        while self._bytes > _REMEMBERED_BYTES:
            _, gone = self._full.popitem(last=False)
            self._bytes -= len(gone.body)

    @contextmanager
    def _transaction(self) -> Iterator[tuple[apsw.Connection, bytes]]:
        """A transaction on the file, and the secret of its hashes."""
        with private_transaction(self._path, _SCHEMA) as connection:
            yield connection, _secret(connection)


_HELD = timedelta(minutes=2)  # longer than any request; then the server must have stopped


class TeamReplies(Replies):
    """Like `Replies`, for several servers with one database: only one of them does a request."""

    def __init__(self, database: TeamDatabase, clock: Clock) -> None:
        super().__init__(Path(), clock)
        self._kept = database.replies()

    def begin(self, claim: Claim) -> StoredReply | None:
        key, request = self._key(claim), _digest(self._secret, claim.request)
        stored = self._kept.begin(
            key, _digest(self._secret, claim.caller), request, now=self._clock(), lease=_HELD, kept=KEPT, most=MOST_EACH
        )
        if stored is None:
            return None
        row = (stored.request, stored.status, stored.body, stored.headers)
        return self._stored_reply(row, key, request, in_progress=stored.is_held)

    def finish(self, claim: Claim, reply: StoredReply) -> None:
        key = self._key(claim)
        self._kept.finish(key, reply.status, _without_text(reply.body), json.dumps(dict(reply.headers)))
        with self._lock:
            self._remember(key, reply)

    def release(self, claim: Claim) -> None:
        self._kept.release(self._key(claim))

    def leave(self, claim: Claim) -> None:
        self._kept.leave(self._key(claim), self._clock())

    @cached_property
    def _secret(self) -> bytes:
        return self._kept.secret()

    def _key(self, claim: Claim) -> bytes:
        return _digest(self._secret, claim.caller, claim.key)


def _secret(connection: apsw.Connection) -> bytes:
    rows: list[Any] = connection.execute("SELECT value FROM secret").fetchall()
    if rows:
        return bytes(rows[0][0])
    value = secrets.token_bytes(32)
    connection.execute("INSERT INTO secret VALUES (?)", (value,))
    return value


def _digest(secret: bytes, *parts: str | bytes) -> bytes:
    digest = hashlib.blake2b(key=secret, digest_size=16)
    for part in parts:
        piece = part if isinstance(part, bytes) else part.encode()
        digest.update(len(piece).to_bytes(8, "big") + piece)
    return digest.digest()


def _without_text(body: bytes) -> str:
    return json.dumps(_storable(json.loads(body or b"{}"), "memories"))


def _storable(value: Any, name: str) -> Any:
    if isinstance(value, dict):
        return {key: _storable(inner, key) for key, inner in value.items() if _is_storable(key, inner)}
    if isinstance(value, list):
        return [_storable(item, name) for item in value if isinstance(item, dict) or _is_storable(name, item)]
    return value


def _is_storable(name: str, value: Any) -> bool:
    if isinstance(value, dict | list):
        return name in _INSIDE
    return value is None or isinstance(value, bool | int | float) or name in _TEXTS
