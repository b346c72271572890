"""Where operating systems differ: canonical paths, private files, durable renames, locks and processes."""

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
_PAUSES = (0.0005, 0.003)  # seconds between two attempts at a lock; random, so that no process always loses
_POLL_SECONDS = 1.0  # between two checks of a process
_TRIM_THRESHOLD, _ARENA_MAX = -1, -8  # glibc's numbers of the parameters of `mallopt`
_ARENAS, _KEPT_BYTES = 2, 1 << 20


def canonical(path: Path) -> Path:
    """An existing path in its canonical form: absolute, without symlinks, with upper and lower case as on the disk.

    Python resolves symlinks everywhere and case on Windows. On macOS, only the kernel knows the case.
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

    Raises OSError if it cannot be read, and InvalidInput if it is too large or not a regular file. A hostile repository
    could have a pipe here to make Waypost wait.
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
    """Create the directory and missing parents with access only for their owner. Restrict an existing one."""
    try:
        for folder in reversed((path, *path.parents)):
            if not folder.exists():
                folder.mkdir(mode=PRIVATE_DIRECTORY, exist_ok=True)
        path.mkdir(exist_ok=True)  # raises if it is a file
        if os.name == "posix" and path.stat().st_mode & 0o077:
            path.chmod(PRIVATE_DIRECTORY)
    except (FileExistsError, NotADirectoryError) as error:
        raise SecurityError(f"{path} is a file where a directory is expected.", "Move it away.") from error
    except OSError as error:
        raise write_failure(error, path) from error


def write_private_file(path: Path, content: bytes, *, replace: bool) -> bool:
    """Write a file atomically and durably, with access only for its owner. Returns whether it was written.

    With `replace=False`, an existing file stays.
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


def remove_file(path: Path) -> None:
    """Remove a file durably. It may be gone already."""
    try:
        path.unlink()
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise write_failure(error, path) from error
    sync_directory(path.parent)


def place_file(temporary: Path, path: Path, *, replace: bool) -> bool:
    """Rename a finished file. With `replace=False`, an existing file stays, and the result is False.

    The temporary name may remain.
    """
    if replace:
        os.replace(temporary, path)
        return True
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    except OSError:  # no hard links on this file system: the last of several writers wins instead of the first
        os.replace(temporary, path)
    return True


def sync_directory(path: Path) -> None:
    """Make a rename in the directory durable. Not needed, and not possible, on Windows."""
    if os.name != "posix":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_failure(error: OSError, path: Path) -> StoreError:
    """The StoreError for an OSError during a write."""
    if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
        return StoreFull(f"No room left on the disk for {path}.", "Free some space and try again.")
    if error.errno in {errno.EROFS, errno.EACCES, errno.EPERM}:
        return StoreReadOnly(
            f"{path} cannot be written: {error.strerror}.",
            "Make it writable for this user, or set WAYPOST_HOME to a directory that is.",
        )
    return StoreError(f"{path} cannot be written: {error.strerror or error}.", "Check the path and its disk.")


@contextmanager
def try_lock(path: Path) -> Iterator[bool]:
    """Lock this file during the block if it is free; the block gets whether it has the lock.

    The lock of a process ends with the process.
    """
    handle = os.open(path, os.O_CREAT | os.O_RDWR | getattr(os, "O_CLOEXEC", 0), PRIVATE_FILE)
    try:
        yield _lock(handle)
    finally:
        os.close(handle)


@contextmanager
def wait_lock(path: Path, seconds: float) -> Iterator[None]:
    """Lock this file during the block, waiting until it is free. Raises StoreBusy after `seconds`."""
    handle = os.open(path, os.O_CREAT | os.O_RDWR | getattr(os, "O_CLOEXEC", 0), PRIVATE_FILE)
    try:
        deadline = time.monotonic() + seconds
        while not _lock(handle):
            if time.monotonic() >= deadline:
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
    """The process that talks to us through `source`, usually our parent.

    A wrapper such as a shell or launcher has the same input as we do. Then it is the nearest ancestor with another.
    """
    peer = os.getppid()
    if not sys.platform.startswith("linux"):
        return peer
    with contextlib.suppress(OSError, ValueError, IndexError):  # a process of another user, so not a wrapper
        ours = os.fstat(source)
        while peer > 1 and os.path.samestat(ours, os.stat(f"/proc/{peer}/fd/0")):
            after_name = Path(f"/proc/{peer}/stat").read_text("ascii", "replace").rpartition(")")[2]
            peer = int(after_name.split()[1])
    return peer


def sleeping_cpu_time(session: int) -> int | None:
    """The CPU time used so far by a session whose processes all sleep; None if one of them runs or waits for the disk.

    If it stays the same, the session waits for something outside. None on systems other than Linux.
    """
    if not sys.platform.startswith("linux"):
        return None
    used = 0
    for name in os.listdir("/proc"):
        try:
            status = Path(f"/proc/{name}/stat").read_text("ascii", "replace") if name.isdecimal() else ""
            fields = status.rpartition(")")[2].split()
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
    """Wait until this process, an ancestor of ours, has ended. Waiting costs no CPU time."""
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
        except OSError:  # an old kernel, or a sandbox without this call
            _poll_for_end(process)
            return
        import select

        try:
            poll = select.poll()
            poll.register(handle, select.POLLIN)
            poll.poll()
        finally:
            os.close(handle)


def _poll_for_end(process: int) -> None:
    parent = os.getppid()
    with contextlib.suppress(ProcessLookupError):
        while os.getppid() == parent:
            if process != parent:
                with contextlib.suppress(PermissionError):  # it exists, but belongs to another user
                    os.kill(process, 0)
            time.sleep(_POLL_SECONDS)


def check_private_directory(path: Path) -> None:
    """Raise SecurityError unless this is a directory, not a link, that only the current user may enter."""
    try:
        state = os.lstat(path)
    except OSError as error:
        raise SecurityError(f"{path} cannot be examined: {error.strerror}.", "Check its permissions.") from error
    if not stat.S_ISDIR(state.st_mode):
        raise SecurityError(f"{path} is not a directory.", "Move it away: it is not Waypost's.")
    if os.name == "posix" and (state.st_uid != os.getuid() or state.st_mode & 0o077):
        raise SecurityError(f"{path} is open to others.", "Move it away: it is not Waypost's.")


def is_alive(pid: int) -> bool:
    """Whether a process has this id. If that cannot be checked, it counts as alive."""
    if os.name != "posix" or pid <= 0:
        return True  # on Windows, a signal would end the process
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def same_user(connection: "socket.socket") -> bool:
    """Whether the other end of a Unix socket is a process of the current user or of root.

    If the system cannot say, the permissions of the socket and its folder must suffice.
    """
    import socket
    import struct

    if hasattr(socket, "SO_PEERCRED"):  # Linux: process, user, group
        credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return struct.unpack("3i", credentials)[1] in (os.getuid(), 0)
    if sys.platform == "darwin":  # LOCAL_PEERCRED: a version, the user, then groups
        credentials = connection.getsockopt(0, 1, 76)
        return struct.unpack_from("II", credentials)[1] in (os.getuid(), 0)
    return True


def detached_process_options() -> dict[str, Any]:
    """Options of `subprocess.Popen` for a process that outlives us and our terminal."""
    if sys.platform == "win32":
        import subprocess

        flags = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
        return {"creationflags": flags, "close_fds": True}
    return {"start_new_session": True, "close_fds": True}


def return_freed_memory() -> None:
    """Make a long-running process return freed memory to the system. Call it before the process has threads.

    By default, glibc keeps freed memory in a pool for each thread. A server with sixteen threads grew by 4 MB a minute
    under load. Other systems do not need this.
    """
    if not sys.platform.startswith("linux"):
        return
    import ctypes  # only servers need it

    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # not in every C library
    if mallopt is not None:
        mallopt(_ARENA_MAX, _ARENAS)
        mallopt(_TRIM_THRESHOLD, _KEPT_BYTES)
