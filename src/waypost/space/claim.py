"""The lock of a file that a process can hand to the child it starts: from one to the other it is never free.

The system keeps it for as long as one of them lives. Nothing stays behind of a process that was killed, nor of a restart.
"""

import contextlib
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from waypost.space.platform import PRIVATE_FILE

_STANDARD_INPUT = 0


class HeldLock:
    """A lock that is held. Give `handle` to a child as its standard input and call `hand_over`: then the child has it."""

    def __init__(self, handle: int) -> None:
        self.handle = handle
        self._handed_over = False

    def hand_over(self) -> None:
        """Leave the lock to the child that was started with `handle`."""
        self._handed_over = True

    def end(self) -> None:
        if not self._handed_over:
            _unlock(self.handle)
        os.close(self.handle)


@contextmanager
def try_claim(path: Path, inherited: int | None = None) -> Iterator[HeldLock | None]:
    """Hold the lock of this file for the block if nobody else does; None: somebody does.

    `inherited` is what `inherited_handle` returned: it counts if it is the lock of this file, and is closed in any case.
    """
    if inherited is not None and not _is_of(inherited, path):
        os.close(inherited)
        inherited = None
    handle = _open(path) if inherited is None else inherited
    if handle is None or not _lock(handle):
        if handle is not None:
            os.close(handle)
        yield None
        return
    held = HeldLock(handle)
    try:
        yield held
    finally:
        held.end()


def inherited_handle() -> int | None:
    """The file that the process which started us gave us in place of standard input. Our own children do not get it: they
    might outlive us, and the lock with them."""
    with contextlib.suppress(OSError):
        if stat.S_ISREG(os.fstat(_STANDARD_INPUT).st_mode):
            handle = os.dup(_STANDARD_INPUT)
            nothing = os.open(os.devnull, os.O_RDONLY)
            os.dup2(nothing, _STANDARD_INPUT)
            os.close(nothing)
            return handle
    return None


def _is_of(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path))
    except OSError:
        return False


def _open(path: Path) -> int | None:
    if sys.platform == "win32":
        # Whoever opens it shares it with nobody: that is the lock. Locks of a range would not pass to a child.
        import _winapi
        import msvcrt

        try:
            opened = _winapi.CreateFile(os.fspath(path), _winapi.GENERIC_READ | _winapi.GENERIC_WRITE, 0, 0, 4, 0, 0)
        except OSError:
            return None
        return msvcrt.open_osfhandle(opened, os.O_RDWR)
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
    """Not only by closing: a child that another thread is just starting may have the file open for a moment longer."""
    if sys.platform != "win32":
        import fcntl

        with contextlib.suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_UN)
