"""The damage that reads of this process have met, while it lasts: for notices, and to forbid writes based on half a
table.
"""

import os
import threading
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

import apsw

from waypost.store.salvaged import KEPT
from waypost.store.sqlite.files import LOG
from waypost.store.sqlite.readable_tables import is_whole
from waypost.store.sqlite.repair import survey

_Stamp = tuple[tuple[int, int, int], ...]  # of the file and of its log


class KnownDamage:
    """The damage of one database. It counts until the file changes. Then the tables are checked again, because another
    process may have repaired them.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._tables: frozenset[str] = frozenset()
        self._copied: frozenset[str] = frozenset()  # tables that could not be read in place
        self._stamp: _Stamp | None = None
        self._unreadable: tuple[_Stamp, tuple[str, ...]] | None = None

    def add(self, tables: Iterable[str], copied: Iterable[str]) -> None:
        names = frozenset(tables)
        if not names:
            return
        with self._lock:
            self._tables |= names
            self._copied |= frozenset(copied)
            self._stamp = self._now()

    def clear(self) -> None:
        with self._lock:
            self._tables = self._copied = frozenset()
            self._unreadable = None

    @property
    def is_any(self) -> bool:
        return bool(self._tables)

    def tables(self, connection: apsw.Connection) -> tuple[str, ...]:
        """The tables in which something could not be read."""
        self._look_again(connection)
        return tuple(sorted(self._tables))

    def forbids_writing(self, connection: apsw.Connection) -> bool:
        """Whether a table that cannot be rebuilt could not be read in place: a write must know all its rows."""
        self._look_again(connection)
        return not self._copied.isdisjoint(KEPT)

    def unreadable(self, now: datetime) -> tuple[str, ...]:
        """Ids of memories that cannot be read, or differ from what was written. Reads the whole file, once."""
        stamp, cached = self._now(), self._unreadable
        if cached is None or cached[0] != stamp:
            cached = self._unreadable = (stamp, survey(self._path, now)[0].unsound_ids)
        return cached[1]

    def _look_again(self, connection: apsw.Connection) -> None:
        stamp = self._now() if self._tables else None
        if stamp == self._stamp or not self._tables:
            return
        copied = frozenset(name for name in self._copied if not is_whole(connection, name))
        with self._lock:  # the next read meets the rest again
            self._tables, self._copied, self._stamp = copied, copied, stamp

    def _now(self) -> _Stamp:
        return tuple(_stamp(f"{self._path}{end}") for end in ("", LOG))


def _stamp(path: str) -> tuple[int, int, int]:
    try:
        status = os.stat(path)
    except OSError:
        return 0, 0, 0
    return status.st_ino, status.st_size, status.st_mtime_ns
