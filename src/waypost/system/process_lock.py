"""A file lock that a process can pass to a child process without ever releasing it.

The system keeps the lock while one of them lives, and releases it when they end, even if killed.
"""

import contextlib
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from waypost.system.platform import PRIVATE_FILE

_STANDARD_INPUT = 0


class HeldLock:
    """A lock of this process. To pass it on, start a child with `handle` as standard input and call `hand_over`."""

    def __init__(self, handle: int) -> None:
        self.handle = handle
        self._handed_over = False

    def hand_over(self) -> None:
        """Keep the lock after `release`, for the child that was started with `handle`."""
        self._handed_over = True

    def release(self) -> None:
        if not self._handed_over:
            _unlock(self.handle)
        os.close(self.handle)


@contextmanager
def try_claim(path: Path, inherited: int | None = None) -> Iterator[HeldLock | None]:
    """Lock this file during the block; None if another process has the lock.

    `inherited` comes from `inherited_handle`. It is used if it is the lock of this file, and closed in any case.
    """
    if inherited is not None and not _is_same_file(inherited, path):
        os.close(inherited)
        inherited = None
    handle = _open(path) if inherited is None else inherited
    if handle is None or not _lock(handle):
        if handle is not None:
            os.close(handle)
        yield None
        return
    lock = HeldLock(handle)
    try:
        yield lock
    finally:
        lock.release()


def inherited_handle() -> int | None:
    """The file that our parent process passed as standard input, or None.

    Our own children do not get it, because the lock would live as long as they do.
    """
    with contextlib.suppress(OSError):
        if stat.S_ISREG(os.fstat(_STANDARD_INPUT).st_mode):
            handle = os.dup(_STANDARD_INPUT)
            nothing = os.open(os.devnull, os.O_RDONLY)
            os.dup2(nothing, _STANDARD_INPUT)
            os.close(nothing)
            return handle
    return None


def _is_same_file(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except OSError:
        return False


def _open(path: Path) -> int | None:
    if sys.platform == "win32":
        # Opened without sharing, which is the lock. Locks of a range would not pass to a child.
        import _winapi
        import msvcrt

        try:
            file = _winapi.CreateFile(os.fspath(path), _winapi.GENERIC_READ | _winapi.GENERIC_WRITE, 0, 0, 4, 0, 0)
        except OSError:
            return None
        return msvcrt.open_osfhandle(file, os.O_RDWR)
    return os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, PRIVATE_FILE)


def _lock(handle: int) -> bool:
    if sys.platform == "win32":
        return True
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _unlock(handle: int) -> None:
    """Unlock explicitly: closing is not enough while a child that another thread is starting has the file open."""
    if sys.platform != "win32":
        import fcntl

        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_UN)
