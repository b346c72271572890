"""Database files that this process has open. Only SQLite may open them.

When a process closes any descriptor of a file, POSIX drops all its locks on that file. So opening and closing
`memory.db` outside of SQLite drops the locks of SQLite. The next process to close the database then believes it is
the last one. It deletes the write-ahead log that this process still writes to.
"""

import os
import threading
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from waypost.errors import InvalidInput

FileId = tuple[int, int]  # device and inode: the same file under any name


class _Registry:
    def __init__(self) -> None:
        self.counts: Counter[FileId] = Counter()
        self.lock = threading.Lock()


_open = _Registry()


def file_id(path: Path | str) -> FileId | None:
    """Which file this is, without opening it; None if it is missing."""
    try:
        state = os.stat(path)
    except (OSError, ValueError):  # the second: a NUL in the name
        return None
    return state.st_dev, state.st_ino


def register(files: Iterable[FileId]) -> None:
    with _open.lock:
        _open.counts.update(files)


def unregister(files: Iterable[FileId]) -> None:
    with _open.lock:
        _open.counts.subtract(files)
        for file in [file for file, count in _open.counts.items() if count <= 0]:
            del _open.counts[file]


def clear_after_fork() -> None:
    """In a forked child: forget the files, and a lock that a thread of the parent may hold."""
    _open.counts, _open.lock = Counter(), threading.Lock()


def is_open_database(state: os.stat_result) -> bool:
    """Whether this is a file of a database that this process has open."""
    return (state.st_dev, state.st_ino) in _open.counts


def refuse_open_database(path: Path | str) -> None:
    """Raise InvalidInput if this process has the database at this path open. Call it before opening a path from a user."""
    file = file_id(path)
    if file is not None and file in _open.counts:
        raise InvalidInput(f"{str(path)[:200]!r} is a database of Waypost that is in use.", "Name another file.")
