"""Where operating systems differ: the true spelling of a path, private files, durable renames, the end of a process."""

import contextlib
import errno
import os
import random
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waypost.errors import InvalidInput, SecurityError, StoreBusy, StoreError, StoreFull, StoreReadOnly

if TYPE_CHECKING:
    import socket

PRIVATE_DIRECTORY = 0o700
PRIVATE_FILE = 0o600
_PAUSES = (0.0005, 0.003)  # seconds between two tries for a lock; by chance, so that nobody always comes too late
_LOOK = 1.0  # seconds between two looks at a process
_TRIM_THRESHOLD, _ARENA_MAX = -1, -8  # glibc's numbers for what `mallopt` sets
_ARENAS, _KEPT_BYTES = 2, 1 << 20


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
    if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
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


def peer_process(source: int) -> int:
    """The process that started us to speak to us through `source`: our parent, or, where our parent only wraps us and has
    the very same input (a shell, a launcher), the nearest ancestor that has another."""
    peer = os.getppid()
    if not sys.platform.startswith("linux"):
        return peer
    with contextlib.suppress(OSError, ValueError, IndexError):  # not ours to look at: then it is no wrapper of ours
        ours = os.fstat(source)
        while peer > 1 and os.path.samestat(ours, os.stat(f"/proc/{peer}/fd/0")):
            after_name = Path(f"/proc/{peer}/stat").read_text("ascii", "replace").rpartition(")")[2]
            peer = int(after_name.split()[1])
    return peer


def is_asleep(session: int) -> int | None:
    """Whether all processes of a session sleep: the processor time that they have used so far; None when one of them runs,
    waits for the disk, or cannot be looked at. Where it stays the same they wait for somebody else."""
    if not sys.platform.startswith("linux"):
        return None
    used = 0
    for name in os.listdir("/proc"):
        try:
            told = Path(f"/proc/{name}/stat").read_text("ascii", "replace") if name.isdecimal() else ""
            fields = told.rpartition(")")[2].split()
            if not fields or int(fields[3]) != session:
                continue
            for task in os.listdir(f"/proc/{name}/task"):
                fields = Path(f"/proc/{name}/task/{task}/stat").read_text("ascii", "replace").rpartition(")")[2].split()
                if fields[0] not in "SZ":
                    return None
                used += int(fields[11]) + int(fields[12])
        except (OSError, ValueError, IndexError):  # it has just ended
            continue
    return used


def wait_for_end(process: int) -> None:
    """Return when this process, an ancestor of ours, has ended; a thread may wait here without cost."""
    if sys.platform == "win32":
        import ctypes

        kernel = ctypes.windll.kernel32
        handle = kernel.OpenProcess(0x00100000, False, process)  # SYNCHRONIZE
        if handle:
            kernel.WaitForSingleObject(handle, -1)
    elif sys.platform == "darwin":
        import select

        with contextlib.suppress(ProcessLookupError), select.kqueue() as queue:
            queue.control([select.kevent(process, select.KQ_FILTER_PROC, fflags=select.KQ_NOTE_EXIT)], 1)
    else:
        try:
            handle = os.pidfd_open(process)
        except ProcessLookupError:
            return
        except OSError:  # an old kernel, or a sandbox that does not know the call
            _look_for_end(process)
            return
        import select

        try:
            waiting = select.poll()
            waiting.register(handle, select.POLLIN)
            waiting.poll()
        finally:
            os.close(handle)


def _look_for_end(process: int) -> None:
    parent = os.getppid()
    with contextlib.suppress(ProcessLookupError):
        while os.getppid() == parent:
            if process != parent:
                with contextlib.suppress(PermissionError):  # it is there, and somebody else's
                    os.kill(process, 0)
            time.sleep(_LOOK)


def check_private_directory(path: Path) -> None:
    """Raise SecurityError unless this is a directory of our own that nobody else may enter, and no link to one."""
    try:
        state = os.lstat(path)
    except OSError as error:
        raise SecurityError(f"{path} cannot be examined: {error.strerror}.", "Check its permissions.") from error
    if not stat.S_ISDIR(state.st_mode):
        raise SecurityError(f"{path} is not a directory of its own.", "Move it away: it is not Waypost's.")
    if os.name == "posix" and (state.st_uid != os.getuid() or state.st_mode & 0o077):
        raise SecurityError(f"{path} is open to others.", "Move it away: it is not Waypost's.")


def is_alive(pid: int) -> bool:
    """Whether a process has this number; one that cannot be asked counts as alive."""
    if os.name != "posix" or pid <= 0:
        return True  # on Windows, asking by a signal would end it
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def same_user(connection: "socket.socket") -> bool:
    """Whether the other end of a Unix socket is a process of our own user (or of the machine's owner).

    Where a system cannot say, the permissions of the socket and of its folder have to do.
    """
    import socket
    import struct

    if hasattr(socket, "SO_PEERCRED"):  # Linux: process, user, group
        told = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return struct.unpack("3i", told)[1] in (os.getuid(), 0)
    if sys.platform == "darwin":  # LOCAL_PEERCRED: a version, the user, then groups
        told = connection.getsockopt(0, 1, 76)
        return struct.unpack_from("II", told)[1] in (os.getuid(), 0)
    return True


def detached() -> dict[str, Any]:
    """How a process is started (`subprocess.Popen`) that stays when we and our terminal go."""
    if sys.platform == "win32":
        import subprocess

        flags = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
        return {"creationflags": flags, "close_fds": True}
    return {"start_new_session": True, "close_fds": True}


def give_memory_back() -> None:
    """For a process that serves for days, before it has threads: what is freed goes back to the system. By itself glibc
    keeps it, in a pool for each thread: a server of sixteen threads then grew by 4 MB a minute under load. Other systems
    need no telling."""
    if not sys.platform.startswith("linux"):
        return
    import ctypes  # only servers need it

    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # not in every C library
    if mallopt is not None:
        mallopt(_ARENA_MAX, _ARENAS)
        mallopt(_TRIM_THRESHOLD, _KEPT_BYTES)
