"""The files behind a connection: read through SQLite alone, and watched for being replaced or losing their locks."""

import os
import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import apsw

from waypost.store.open_databases import file_id, register, unregister
from waypost.store.sqlite.pages import Read

LOG = "-wal"
_SHARED = "-shm"
_KINDS = {"": apsw.SQLITE_OPEN_MAIN_DB, LOG: apsw.SQLITE_OPEN_WAL}
_LOCKS = Path("/proc/locks")  # Linux: every lock on a file, with the process that holds it
_READS = 4
_PIECE = 1 << 20


class DatabaseFiles:
    """Which files one connection uses. While it is open, nobody may replace them, and this process holds locks on them."""

    __slots__ = ("__weakref__", "_ids", "_inodes", "_lost", "_path", "release")

    def __init__(self, path: Path) -> None:
        """For a connection that has just been opened and has read from the log."""
        self._path = str(path)
        self._ids = {end: file_id(self._path + end) for end in ("", LOG, _SHARED)}
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
        return not self._lost and all(file_id(self._path + end) == self._ids[end] for end in ("", LOG))

    def lost_locks(self) -> bool:
        """Whether locks are gone that were there when the connection was opened. Always False where the system does not say."""
        # Once more: the list is longer than one read, and leaves some out while other processes lock and unlock.
        return bool(self._inodes) and not any(self._inodes <= locked_inodes() for _ in range(_READS))

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


@contextmanager
def bytes_of(path: Path, end: str = "") -> Iterator[tuple[Read, int]]:
    """Read a database or its log (`-wal`) through SQLite, and say how long the file is.

    Opening the file in any other way and closing it drops the locks that SQLite holds in this process.
    """
    file = apsw.VFSFile("", f"{path}{end}", [_KINDS[end] | apsw.SQLITE_OPEN_READONLY, 0])
    try:
        size = file.xFileSize()

        def read(offset: int, count: int) -> bytes:
            # Never beyond the end: what is read there comes without its last zeros.
            count = min(count, size - offset)
            return file.xRead(count, offset) if count > 0 else b""

        yield read, size
    finally:
        file.xClose()


def header(path: Path, size: int) -> bytes:
    """The first bytes of a database that SQLite may have open; empty if there is no such file."""
    try:
        with bytes_of(path) as (read, _):
            return read(0, size)
    except apsw.Error:
        return b""


def contains(path: Path, texts: Sequence[bytes]) -> bool:
    """Whether any of these texts stands anywhere in the bytes of the database or its log."""
    wanted = [text for text in texts if text]
    return bool(wanted) and any(_file_contains(path, end, wanted) for end in _KINDS if Path(f"{path}{end}").exists())


def _file_contains(path: Path, end: str, texts: Sequence[bytes]) -> bool:
    overlap, before = max(map(len, texts)) - 1, b""
    with bytes_of(path, end) as (read, size):
        for offset in range(0, size, _PIECE):
            content = before + read(offset, _PIECE)
            if any(text in content for text in texts):
                return True
            before = content[-overlap:] if overlap else b""
    return False


def close_untouched(connections: Iterable[apsw.Connection]) -> None:
    """Close connections whose log is no longer the database's: without moving it into the database or deleting it."""
    for connection in connections:
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        connection.close()
