"""The files of a database: read and copied through SQLite alone, and watched for replacement and lost locks."""

import hashlib
import os
import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

import apsw

from waypost.errors import StoreFull
from waypost.store.open_databases import file_id, register, unregister
from waypost.store.sqlite.pages import Pages, Read

APPLICATION_ID = 0x57_41_59_50  # "WAYP", in the header of our files
LOG = "-wal"
_SHARED = "-shm"
_KINDS = {"": apsw.SQLITE_OPEN_MAIN_DB, LOG: apsw.SQLITE_OPEN_WAL}
_LOCKS = Path("/proc/locks")  # Linux: every lock on a file, with the process that holds it
_READS = 4
_PIECE = 1 << 20
_ID_OFFSET = 68  # of the application id in the header
_OUR_TABLE = b"CREATE TABLE memories ("
_PRIVATE = 0o600


class DatabaseFiles:
    """The files that one connection uses. While it is open, nobody may replace them, and this process has locks on them."""

    __slots__ = ("__weakref__", "_ids", "_inodes", "_lost", "_path", "release")

    def __init__(self, path: Path) -> None:
        """For a connection that has just been opened and has read from the log."""
        self._path = str(path)
        self._ids = {end: file_id(self._path + end) for end in ("", LOG, _SHARED)}
        self._lost = False
        ids = [each for each in self._ids.values() if each is not None]
        register(ids)
        self.release = weakref.finalize(
            self, unregister, ids
        )  # after closing, or when a pool is collected that nobody closed
        self.release.atexit = False
        # Some file systems list other inodes with their locks: there the list says nothing.
        inodes = {inode for _, inode in ids}
        self._inodes = frozenset(inodes & locked_inodes())

    def are_in_place(self) -> bool:
        """Whether database and log are still the files that the connection uses."""
        return not self._lost and all(file_id(self._path + end) == self._ids[end] for end in ("", LOG))

    def lost_locks(self) -> bool:
        """Whether locks are gone that were there when the connection was opened. False if the system does not list them."""
        # Several times: the list is longer than one read, and misses some while other processes lock and unlock.
        return bool(self._inodes) and not any(self._inodes <= locked_inodes() for _ in range(_READS))

    def give_up(self) -> None:
        """Count as replaced from now on: connections that share the files must be closed before they can be locked
        again.
        """
        self._lost = True


def locked_inodes() -> frozenset[int]:
    """The inodes on which this process holds POSIX locks; empty if the system does not list them."""
    try:
        rows = [line.split() for line in _LOCKS.read_bytes().splitlines()]
    except OSError:
        return frozenset()
    me = b"%d" % os.getpid()
    # "1: POSIX  ADVISORY  READ 7784 fe:00:2146480 128 128"; for a waiting process the second field is an arrow.
    mine = (row[5] for row in rows if len(row) > 5 and row[1] == b"POSIX" and row[4] == me)
    return frozenset(int(place.rpartition(b":")[2]) for place in mine)


@contextmanager
def bytes_of(path: Path, end: str = "") -> Iterator[tuple[Read, int]]:
    """Read a database or its log (`-wal`) through SQLite; also gives the size of the file.

    Opening and closing the file in any other way drops the locks that SQLite holds in this process.
    """
    file = apsw.VFSFile("", f"{path}{end}", [_KINDS[end] | apsw.SQLITE_OPEN_READONLY, 0])
    try:
        size = file.xFileSize()

        def read(offset: int, count: int) -> bytes:
            # Never beyond the end: SQLite returns that part without its last zeros.
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
    """Whether any of these texts is in the bytes of the database or its log."""
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


@contextmanager
def pages_of(path: Path) -> Iterator[Pages]:
    """The pages of a database and its log. They are consistent only while nobody writes."""
    with ExitStack() as stack:
        read, size = stack.enter_context(bytes_of(path))
        if not Path(f"{path}{LOG}").exists():
            yield Pages(read, size)
            return
        read_log, log_size = stack.enter_context(bytes_of(path, LOG))
        yield Pages(read, size, read_log, log_size)


def is_ours(path: Path) -> bool:
    """Whether a file that SQLite refuses, or takes for another program's, is a damaged database of Waypost."""
    try:
        with bytes_of(path) as (read, _):
            if read(_ID_OFFSET, 4) == APPLICATION_ID.to_bytes(4, "big"):
                return True
        return _file_contains(path, "", [_OUR_TABLE])
    except apsw.Error:
        return False


def keep_copy(path: Path, folder: Path, name: str) -> Path:
    """Copy the database and its log to `<folder>/<name>.db`, on disk when this returns.

    An identical copy from an interrupted repair is used again.
    """
    temporary = folder / f".{name}.tmp"
    try:
        digests = {end: _copy(path, end, Path(f"{temporary}{end}")) for end in _KINDS}
        for copy in sorted(folder.glob("*.db")):
            if all(_digest(Path(f"{copy}{end}")) == digest for end, digest in digests.items()):
                return copy
        target, tries = folder / f"{name}.db", 1
        while target.exists():
            tries += 1
            target = folder / f"{name}-{tries}.db"
        for end in (LOG, ""):  # the log first: a file without it would look complete
            if digests[end]:
                os.replace(f"{temporary}{end}", f"{target}{end}")
        _sync(folder)
    except OSError as error:
        raise StoreFull(
            f"The damaged database cannot be copied to {folder}: {error.strerror}.",
            "Free some space and run `waypost doctor --fix` again. Nothing was changed.",
        ) from error
    finally:
        for end in _KINDS:
            Path(f"{temporary}{end}").unlink(missing_ok=True)
    return target


def _copy(path: Path, end: str, target: Path) -> str:
    """Returns a digest of the bytes; empty if the file is missing, or an empty log."""
    target.unlink(missing_ok=True)
    source = Path(f"{path}{end}")
    if not source.exists() or (end and not source.stat().st_size):
        return ""
    digest = hashlib.blake2b()
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with bytes_of(path, end) as (read, size), open(os.open(target, flags, _PRIVATE), "wb") as file:
        for offset in range(0, size, _PIECE):
            piece = read(offset, _PIECE)
            digest.update(piece)
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())
    return digest.hexdigest()


def _digest(path: Path) -> str:
    if not path.exists():
        return ""
    digest = hashlib.blake2b()
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()


def _sync(folder: Path) -> None:
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def close_untouched(connections: Iterable[apsw.Connection]) -> None:
    """Close connections whose log is no longer the database's, without a checkpoint and without deleting it."""
    for connection in connections:
        connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        connection.close()
