"""Reading a file that must be its owner's alone."""

import os
import stat
from pathlib import Path

from waypost.errors import SecurityError

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def read_private_file(path: Path, limit: int) -> bytes:
    """The bytes of a regular file that only its owner can read. Raises FileNotFoundError where there is none,
    SecurityError when it is a link, a device, too large, somebody else's, or open to others.

    What is checked is what was opened. Windows keeps a user's files apart by the rights of their folder.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path, flags | getattr(os, "O_CLOEXEC", 0))
    except FileNotFoundError:
        raise
    except OSError as error:
        raise SecurityError(f"{path} cannot be read: {error.strerror}.", "Make it a plain file of yours.") from error
    try:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode) or state.st_size > limit:
            raise SecurityError(f"{path} is not a plain file of at most {limit} bytes.", "Move it away.")
        if os.name == "posix" and state.st_uid != os.geteuid():
            raise SecurityError(f"{path} belongs to another user.", "Move it away.")
        if os.name == "posix" and state.st_mode & _OTHERS:
            raise SecurityError(
                f"{path} can be read or changed by others; it is not used.",
                "Delete it to have a new one made. If surely nobody has read it: chmod 600 it instead.",
            )
        return os.read(handle, limit + 1)
    finally:
        os.close(handle)


def file_stamp(path: Path) -> object:
    """What changes when a file is replaced or its rights are; None where there is none."""
    try:
        state = path.lstat()
    except FileNotFoundError:
        return None
    return state.st_ino, state.st_mtime_ns, state.st_ctime_ns, state.st_size, state.st_mode
