"""The bytes of a database that SQLite may have open: read through SQLite's own file layer, which keeps all locks.

Whoever else opens and closes the file takes away the locks that SQLite holds in this process.
"""

import hashlib
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import apsw

from waypost.errors import StoreFull
from waypost.store.sqlite.pages import Pages, Read
from waypost.store.sqlite.schema import APPLICATION_ID

LOG = "-wal"
_MARK_PLACE = 68  # of the application's mark in the header
_OUR_TABLE = b"CREATE TABLE memories ("
_PRIVATE = 0o600
_PIECE = 1 << 20
_KINDS = {"": apsw.SQLITE_OPEN_MAIN_DB, LOG: apsw.SQLITE_OPEN_WAL}


@contextmanager
def pages_of(path: Path) -> Iterator[Pages]:
    """The pages of a database and its log as they are now. For a state of one moment nobody may write meanwhile."""
    with ExitStack() as stack:
        read, size = stack.enter_context(reading(path, ""))
        if not Path(f"{path}{LOG}").exists():
            yield Pages(read, size)
            return
        read_log, log_size = stack.enter_context(reading(path, LOG))
        yield Pages(read, size, read_log, log_size)


def is_ours(path: Path) -> bool:
    """Whether a file that SQLite refuses, or takes for another program's, is a database of ours that is damaged."""
    try:
        with reading(path, "") as (read, size):
            if read(_MARK_PLACE, 4) == APPLICATION_ID.to_bytes(4, "big"):
                return True
            before = b""
            for offset in range(0, size, _PIECE):
                content = before + read(offset, _PIECE)
                if _OUR_TABLE in content:
                    return True
                before = content[-len(_OUR_TABLE) :]
    except apsw.Error:
        pass
    return False


def keep_copy(path: Path, folder: Path, name: str) -> Path:
    """Copy the database and its log to `<folder>/<name>.db`, on disk when this returns. A copy of the same bytes that is
    there already, as a repair that was killed leaves it, is used again."""
    temporary = folder / f".{name}.tmp"
    try:
        digests = {end: _copy(path, end, Path(f"{temporary}{end}")) for end in _KINDS}
        for known in sorted(folder.glob("*.db")):
            if all(_digest(Path(f"{known}{end}")) == digest for end, digest in digests.items()):
                return known
        target, tries = folder / f"{name}.db", 1
        while target.exists():
            tries += 1
            target = folder / f"{name}-{tries}.db"
        for end in (LOG, ""):  # the log first: a file without it would pass for the whole
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
    """Returns a digest of the bytes; empty where there is no such file, or an empty log."""
    target.unlink(missing_ok=True)
    source = Path(f"{path}{end}")
    if not source.exists() or (end and not source.stat().st_size):
        return ""
    digest = hashlib.blake2b()
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with reading(path, end) as (read, size), open(os.open(target, flags, _PRIVATE), "wb") as file:
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


@contextmanager
def reading(path: Path, end: str) -> Iterator[tuple[Read, int]]:
    """How to read the database (`end` is empty) or its log, and how many bytes it has."""
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
