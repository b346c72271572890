"""Finds writes in the log that can no longer be read.

When SQLite opens a database, it reads the log up to the first damaged page. It takes that for the end. A process that
was killed during a write leaves such an end too. But a commit behind it was once on disk: it is lost.
"""

import contextlib
import json
import struct
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import apsw

from waypost.errors import StoreFull
from waypost.store.salvaged import FOLDER, LOST_WRITES_NOTE
from waypost.store.sqlite.files import LOG, bytes_of, keep_copy
from waypost.store.sqlite.pages import PAGE

_HEADER, _FRAME_HEADER = 32, 24
_MAGIC = (b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83")
_PRIVATE = 0o600


@dataclass(frozen=True, slots=True)
class LoggedCommits:
    """Positions of commits in a log, counted from 1, readable or not.

    `salt` marks those of one log: SQLite chooses another one when it starts the file again.
    """

    salt: bytes
    places: Sequence[int]


def logged_commits(path: Path) -> LoggedCommits | None:
    """The commits in the log of a database, or None without a log."""
    try:
        with bytes_of(path, LOG) as (read, size):
            head = read(0, _HEADER)
            frames: list[tuple[bytes, int]] = []
            for place, at in enumerate(range(_HEADER, size - _FRAME_HEADER - PAGE + 1, _FRAME_HEADER + PAGE), 1):
                number, pages, salt = struct.unpack(">2I8s", read(at, 16))
                if number and pages:  # the last page of a transaction, which says how many the database has
                    frames.append((salt, place))
    except (apsw.Error, struct.error):
        return None
    salts = Counter(salt for salt, _ in frames if any(salt))
    salt = head[16:24] if head[:4] in _MAGIC else max(salts, key=lambda salt_bytes: salts[salt_bytes], default=b"")
    return LoggedCommits(salt, [place for other, place in frames if other == salt]) if salt else None


def keep_lost_writes(path: Path, connection: apsw.Connection, before: LoggedCommits, now: datetime) -> None:
    """Record how many commits of a log SQLite does not know. Copy the log and start it again.

    `before` was read before the connection was opened.
    """
    note = path.parent / LOST_WRITES_NOTE
    if not _unknown_to(connection, before) or note.exists():
        return
    # A commit is in the log, and perhaps being synced, before SQLite knows it: wait for another process to finish it.
    try:
        with contextlib.suppress(apsw.ReadOnlyError, apsw.FullError, apsw.CorruptError, apsw.NotADBError):
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
    except apsw.BusyError:  # the next open looks again
        return
    lost = _unknown_to(connection, before)
    if not lost:
        return
    after = logged_commits(path)
    if after is None or after.salt != before.salt:  # another process has started the log again
        return
    with contextlib.suppress(
        OSError, StoreFull
    ):  # without room nobody can write either, and the next open sees it again
        folder = path.parent / FOLDER
        folder.mkdir(mode=0o700, exist_ok=True)
        old = keep_copy(path, folder, now.strftime("%Y%m%dT%H%M%SZ"))
        note.touch(mode=_PRIVATE)
        note.write_text(json.dumps({"writes": len(lost), "old": str(old)}), encoding="utf-8")
    with contextlib.suppress(apsw.BusyError, apsw.ReadOnlyError, apsw.FullError):
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def _unknown_to(connection: apsw.Connection, before: LoggedCommits) -> list[int]:
    """The positions of commits behind the end of the log that SQLite sees now."""
    rows: list[Any] = connection.execute("PRAGMA wal_checkpoint(NOOP)").fetchall()
    return [place for place in before.places if place > rows[0][1]]
