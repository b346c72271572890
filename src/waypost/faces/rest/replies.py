"""The replies to writes with an `Idempotency-Key`, kept for a day in `<home>/replies.db`, also over a restart.

Keys and requests are kept as keyed hashes. Of an answer the file keeps ids, statuses and numbers, never words: what is
forgotten later must not stand here. For a while, and until something is forgotten, the process also knows answers as
they were; so a repeated request gets the very same answer, and after a restart its ids and statuses.
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
from pathlib import Path
from typing import Any

import apsw

from waypost.faces.rest.problems import ProblemError
from waypost.model.time import Clock, to_micros
from waypost.space.platform import make_private_directory
from waypost.store.sqlite.connection import keep_private, translated_errors

FILE = "replies.db"
KEPT = timedelta(days=1)
MOST_EACH = 1_000  # keys of one token
MOST = 10_000
_BUSY_MS = 5_000
_REMEMBERED_BYTES = 8 << 20  # of answers as they were, in memory
_SCHEMA = """
CREATE TABLE IF NOT EXISTS secret (value BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS replies (
    key BLOB PRIMARY KEY, caller BLOB NOT NULL, request BLOB NOT NULL, at INTEGER NOT NULL,
    status INTEGER, body TEXT, headers TEXT
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS replies_by_caller ON replies (caller, at);
"""
# What an answer may keep in a file: these texts, any number or truth value, and what is inside these.
_TEXTS = frozenset({"id", "status", "replaces", "conflicts_with", "candidate", "job", "sort", "space"})
_INSIDE = frozenset({"receipts", "decision", "reasons", "consequences", "constraints", "memories", "decided"})


@dataclass(frozen=True, slots=True)
class Claim:
    """Whose request this is, under which key, and what it asks."""

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
        self._at_work: set[bytes] = set()
        self._remembered: OrderedDict[bytes, StoredReply] = OrderedDict()
        self._bytes = 0

    def begin(self, claim: Claim) -> StoredReply | None:
        """The reply that was given before; or None: it is yours to do, and to `finish`, `release` or `leave`.

        Raises ProblemError where the key was used for something else, or the same is being done now.
        """
        with self._opened() as (connection, secret):
            key, request = _digest(secret, claim.caller, claim.key), _digest(secret, claim.request)
            with self._lock:
                at_work = key in self._at_work
                found = connection.execute(
                    "SELECT request, status, body, headers FROM replies WHERE key = ? AND at >= ?", (key, self._oldest)
                ).fetchall()
                if not found:
                    self._insert(connection, _digest(secret, claim.caller), key, request)
                    self._at_work.add(key)
                    return None
            return self._known(found[0], key, request, at_work=at_work)

    def finish(self, claim: Claim, reply: StoredReply) -> None:
        with self._opened() as (connection, secret):
            key = _digest(secret, claim.caller, claim.key)
            connection.execute(
                "UPDATE replies SET status = ?, body = ?, headers = ? WHERE key = ?",
                (reply.status, _wordless(reply.body), json.dumps(dict(reply.headers)), key),
            )
        with self._lock:
            self._at_work.discard(key)
            self._remember(key, reply)

    def release(self, claim: Claim) -> None:
        """Nothing was written: the key can be used again."""
        with self._opened() as (connection, secret):
            key = _digest(secret, claim.caller, claim.key)
            connection.execute("DELETE FROM replies WHERE key = ? AND status IS NULL", (key,))
        with self._lock:
            self._at_work.discard(key)

    def leave(self, claim: Claim) -> None:
        """Nobody knows whether it was done."""
        with self._opened() as (_, secret), self._lock:
            self._at_work.discard(_digest(secret, claim.caller, claim.key))

    def forget_words(self) -> None:
        """Something was forgotten: no answer is known as it was any more."""
        with self._lock:
            self._remembered.clear()
            self._bytes = 0

    def _known(self, row: Any, key: bytes, request: bytes, *, at_work: bool) -> StoredReply:
        asked, status, body, headers = row
        if asked != request:
            raise ProblemError(422, "This Idempotency-Key was used for another request.", "Use a new key for each.")
        if status is None and at_work:
            raise ProblemError(409, "This very request is being done.", "Wait, then send it again.")
        if status is None:
            raise ProblemError(
                409,
                "The server stopped while it did this; nobody knows whether it was done.",
                "Look whether it was. If not, send it with a new key.",
            )
        with self._lock:
            return self._remembered.get(key) or StoredReply(status, body.encode(), json.loads(headers))

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
        self._remembered[key] = reply
        self._bytes += len(reply.body)
        while self._bytes > _REMEMBERED_BYTES:
            _, gone = self._remembered.popitem(last=False)
            self._bytes -= len(gone.body)

    @contextmanager
    def _opened(self) -> Iterator[tuple[apsw.Connection, bytes]]:
        """The file in a transaction of its own, and the secret of its hashes."""
        if not self._path.exists():
            make_private_directory(self._path.parent)
        with translated_errors(self._path):
            connection = apsw.Connection(str(self._path))
            keep_private(self._path)
            try:
                connection.set_busy_timeout(_BUSY_MS)
                connection.execute("BEGIN IMMEDIATE")
                connection.execute(_SCHEMA)
                yield connection, _secret(connection)
                connection.execute("COMMIT")
            finally:
                connection.close()  # without a COMMIT this takes everything back


def _secret(connection: apsw.Connection) -> bytes:
    found: list[Any] = connection.execute("SELECT value FROM secret").fetchall()
    if found:
        return bytes(found[0][0])
    made = secrets.token_bytes(32)
    connection.execute("INSERT INTO secret VALUES (?)", (made,))
    return made


def _digest(secret: bytes, *parts: str | bytes) -> bytes:
    digest = hashlib.blake2b(key=secret, digest_size=16)
    for part in parts:
        piece = part if isinstance(part, bytes) else part.encode()
        digest.update(len(piece).to_bytes(8, "big") + piece)
    return digest.digest()


def _wordless(body: bytes) -> str:
    return json.dumps(_kept(json.loads(body or b"{}"), "memories"))


def _kept(value: Any, name: str) -> Any:
    if isinstance(value, dict):
        return {key: _kept(inner, key) for key, inner in value.items() if _is_kept(key, inner)}
    if isinstance(value, list):
        return [_kept(one, name) for one in value if isinstance(one, dict) or _is_kept(name, one)]
    return value


def _is_kept(name: str, value: Any) -> bool:
    if isinstance(value, dict | list):
        return name in _INSIDE
    return value is None or isinstance(value, bool | int | float) or name in _TEXTS
