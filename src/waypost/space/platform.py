"""Where operating systems differ: the true spelling of a path, private files, durable renames."""

import errno
import os
import random
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from waypost.errors import InvalidInput, SecurityError, StoreBusy, StoreError, StoreFull, StoreReadOnly

PRIVATE_DIRECTORY = 0o700
PRIVATE_FILE = 0o600
_PAUSES = (0.0005, 0.003)  # seconds between two tries for a lock; by chance, so that nobody always comes too late


def canonical(path: Path) -> Path:
    """The one spelling of an existing path: absolute, without symlinks, in the case that is on the disk.

    Python resolves symlinks everywhere and the case on Windows; on macOS the kernel must be asked for the case.
    """
    resolved = path.resolve(strict=True)
    if sys.platform == "darwin":
        import fcntl

        handle = os.open(resolved, os.O_RDONLY)
        try:
            answer = fcntl.fcntl(handle, fcntl.F_GETPATH, b"\0" * 1024)
        finally:
            os.close(handle)
        return Path(os.fsdecode(answer.rstrip(b"\0")))
    return resolved


def read_small_file(path: Path, limit: int) -> bytes:
    """The bytes of a regular file of at most `limit` bytes.

    Raises OSError when it cannot be read, InvalidInput when it is too large or a pipe or device, which a hostile
    tree could place here to keep us waiting.
    """
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode) or state.st_size > limit:
            raise InvalidInput(f"{path} is not a plain file of at most {limit} bytes.", "Remove or repair it.")
        return os.read(handle, limit + 1)
    finally:
        os.close(handle)


def make_private_directory(path: Path) -> None:
    """Create the directory and missing parents for their owner only; tighten one that others may enter."""
    try:
        for folder in reversed((path, *path.parents)):
            if not folder.exists():
                folder.mkdir(mode=PRIVATE_DIRECTORY, exist_ok=True)
        path.mkdir(exist_ok=True)  # complains when it is a file
        if os.name == "posix" and path.stat().st_mode & 0o077:
            path.chmod(PRIVATE_DIRECTORY)
    except (FileExistsError, NotADirectoryError) as error:
        raise SecurityError(f"{path} is a file where a directory is expected.", "Move it away.") from error
    except OSError as error:
        raise write_failure(error, path) from error


def write_private_file(path: Path, content: bytes, *, replace: bool) -> bool:
    """Write a file for its owner only, whole or not at all, on disk when this returns.

    With `replace=False` a file that is already there wins; the answer says whether ours was placed.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}.tmp")
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
        try:
            with open(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            placed = place_file(temporary, path, replace=replace)
        finally:
            temporary.unlink(missing_ok=True)
        sync_directory(path.parent)
    except OSError as error:
        raise write_failure(error, path) from error
    return placed


def place_file(temporary: Path, path: Path, *, replace: bool) -> bool:
    """Give a finished file its name. With `replace=False` a file that has it already wins, and the answer is no; the
    temporary name may remain."""
    if replace:
        os.replace(temporary, path)
        return True
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    except OSError:  # a file system without hard links: the last of several creators wins instead of the first
        os.replace(temporary, path)
    return True


def sync_directory(path: Path) -> None:
    """Make a rename inside the directory durable; Windows does this itself and cannot open a directory."""
    if os.name != "posix":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_failure(error: OSError, path: Path) -> StoreError:
    """The error of ours that says what an OSError during a write means."""
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return StoreFull(f"No room on the disk to write {path}.", "Free some space and try again.")
    if error.errno in {errno.EROFS, errno.EACCES, errno.EPERM}:
        return StoreReadOnly(
            f"{path} cannot be written: {error.strerror}.",
            "Make it writable for this user, or set WAYPOST_HOME to a directory that is.",
        )
    return StoreError(f"{path} cannot be written: {error.strerror or error}.", "Check the path and its disk.")


@contextmanager
def try_lock(path: Path) -> Iterator[bool]:
    """Hold the lock of this file if nobody else does; the block learns whether it has it. A dead holder holds nothing."""
    handle = os.open(path, os.O_CREAT | os.O_RDWR | getattr(os, "O_CLOEXEC", 0), PRIVATE_FILE)
    try:
        yield _lock(handle)
    finally:
        os.close(handle)


@contextmanager
def wait_lock(path: Path, seconds: float) -> Iterator[None]:
    """Hold the lock of this file, waiting for whoever has it; too long a wait raises StoreBusy."""
    handle = os.open(path, os.O_CREAT | os.O_RDWR | getattr(os, "O_CLOEXEC", 0), PRIVATE_FILE)
    try:
        given_up = time.monotonic() + seconds
        while not _lock(handle):
            if time.monotonic() >= given_up:
                raise StoreBusy(f"Another process held {path} for {seconds:g} seconds.", "Try again in a moment.")
            time.sleep(random.uniform(*_PAUSES))
        yield
    finally:
        os.close(handle)


def _lock(handle: int) -> bool:
    try:
        if os.name == "posix":
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        else:
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]  # exists on Windows only
    except OSError:
        return False
    return True
