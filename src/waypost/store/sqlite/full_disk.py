"""Reads a database on a full disk: SQLite wants to create a file of 32 KB before it reads the first row."""

import os
from pathlib import Path
from urllib.parse import quote

import apsw

_LEAST_ROOM = 1024 * 1024  # bytes: with less, notes of a read could take what a write needs
_ROOM_ERRORS = frozenset(
    {apsw.SQLITE_IOERR_SHMSIZE, apsw.SQLITE_IOERR_SHMOPEN, apsw.SQLITE_IOERR_SHMMAP, apsw.SQLITE_IOERR_WRITE}
)


def has_no_room(path: Path) -> bool:
    """Whether the disk of this file is full."""
    if os.name != "posix":
        return False
    try:
        state = os.statvfs(path.parent)
    except OSError:
        return False
    return state.f_bavail * state.f_frsize < _LEAST_ROOM


def is_about_room(error: apsw.Error) -> bool:
    """Whether SQLite failed because it could not create or extend a file."""
    return isinstance(error, apsw.FullError) or getattr(error, "extendedresult", 0) in _ROOM_ERRORS


def open_for_reading(path: Path) -> apsw.Connection:
    """A read-only connection. Use it once and close it: it does not take the locks of the log.

    Nobody else has the database open, else the file that could not be created would exist. Without a log the database
    is read as it is. A log of a killed process is read alone, with its index in memory.
    """
    try:
        has_log = os.stat(f"{path}-wal").st_size > 0
    except FileNotFoundError:
        has_log = False
    if not has_log:
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        return apsw.Connection(f"file:{quote(str(path))}?immutable=1", flags=flags)
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    connection.pragma("locking_mode", "exclusive")
    return connection
