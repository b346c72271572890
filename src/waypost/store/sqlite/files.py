"""The files behind a connection: read through SQLite alone, and watched for being replaced or losing their locks."""

import os
import weakref
from collections.abc import Iterable, Sequence
from pathlib import Path

import apsw

from waypost.store.open_databases import file_id, register, unregister

_LOG, _SHARED = "-wal", "-shm"
_LOCKS = Path("/proc/locks")  # Linux: every lock on a file, with the process that holds it
_PIECE = 1 << 20


class DatabaseFiles:
    """Which files one connection uses. While it is open, nobody may replace them, and this process holds locks on them."""

    __slots__ = ("__weakref__", "_ids", "_inodes", "_lost", "_path", "release")

    def __init__(self, path: Path) -> None:
        """For a connection that has just been opened and has read from the log."""
        self._path = str(path)
        self._ids = {end: file_id(self._path + end) for end in ("", _LOG, _SHARED)}
        self._lost = False
        known = [one for one in self._ids.values() if one is not None]
        register(known)
        self.release = weakref.finalize(self, unregister, known)  # after closing; or with the pool that nobody closed
        self.release.atexit = False
        # Some file systems show other inodes in the list of locks; there it says nothing.
        inodes = {inode for _, inode in known}
        self._inodes = frozenset(inodes & locked_inodes())

    def are_in_place(self) -> bool:
        """Whether database and log are still the files that the connection uses, as far as known with our locks on them."""
        return not self._lost and all(file_id(self._path + end) == self._ids[end] for end in ("", _LOG))

    def lost_locks(self) -> bool:
        """Whether locks are gone that were there when the connection was opened. Always False where the system does not say."""
        return bool(self._inodes) and not self._inodes <= locked_inodes()

    def give_up(self) -> None:
        """From now on they count as not in place: connections that share them must be closed before locks can be had anew."""
        self._lost = True


def locked_inodes() -> frozenset[int]:
    """The inodes on which this process holds POSIX locks; none where the system does not list them."""
    try:
        rows = [line.split() for line in _LOCKS.read_bytes().splitlines()]
    except OSError:
        return frozenset()
    me = b"%d" % os.getpid()
    # "1: POSIX  ADVISORY  READ 7784 fe:00:2146480 128 128"; one who waits has an arrow in the second place.
    mine = (row[5] for row in rows if len(row) > 5 and row[1] == b"POSIX" and row[4] == me)
    return frozenset(int(place.rpartition(b":")[2]) for place in mine)


def header(path: Path, size: int) -> bytes:
    """The first bytes of a database that SQLite may have open; empty if there is no such file."""
    try:
        file = apsw.VFSFile("", str(path), [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0])
    except apsw.Error:
        return b""
    try:
        return file.xRead(size, 0)
    finally:
        file.xClose()


def contains(path: Path, pieces: Sequence[bytes]) -> bool:
    """Whether any of these pieces stands anywhere in the bytes of the database or its log."""
    wanted = [piece for piece in pieces if piece]
    kinds = ((path, apsw.SQLITE_OPEN_MAIN_DB), (Path(f"{path}{_LOG}"), apsw.SQLITE_OPEN_WAL))
    return bool(wanted) and any(_file_contains(one, kind, wanted) for one, kind in kinds if one.exists())


def _file_contains(path: Path, kind: int, pieces: Sequence[bytes]) -> bool:
    file = apsw.VFSFile("", str(path), [kind | apsw.SQLITE_OPEN_READONLY, 0])
    try:
        overlap, before = max(map(len, pieces)) - 1, b""
        for offset in range(0, file.xFileSize(), _PIECE):
            content = before + file.xRead(_PIECE, offset)
            if any(piece in content for piece in pieces):
                return True
            before = content[-overlap:] if overlap else b""
        return False
    finally:
        file.xClose()


def close_untouched(connections: Iterable[apsw.Connection]) -> None:
    """Close connections whose log is no longer the database's: without moving it into the database or deleting it."""
    for connection in connections:
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        connection.close()
