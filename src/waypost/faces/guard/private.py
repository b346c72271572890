"""Reads files that only their owner may access."""

import os
import stat
from pathlib import Path

from waypost.errors import SecurityError

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def read_private_file(path: Path, limit: int) -> bytes:
    """The content of a regular file that only its owner can read.

    Raises FileNotFoundError if it does not exist. Raises SecurityError for a link, a device, a file that is too large,
    another user's, or accessible to others.

    The opened file itself is checked. On Windows, the rights of the folder protect a user's files.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path, flags | getattr(os, "O_CLOEXEC", 0))
    except FileNotFoundError:
        raise
    except OSError as error:
        raise SecurityError(
            f"{path} cannot be read: {error.strerror}.", "Make it a plain file that you own."
        ) from error
    try:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode) or state.st_size > limit:
            raise SecurityError(f"{path} is not a plain file of at most {limit} bytes.", "Move it away.")
        if os.name == "posix" and state.st_uid != os.geteuid():
            raise SecurityError(f"{path} belongs to another user.", "Move it away.")
        if os.name == "posix" and state.st_mode & _OTHERS:
            raise SecurityError(
                f"{path} can be read or changed by others; it is not used.",
                "Delete it to get a new one. If nobody can have read it, run chmod 600 on it instead.",
            )
        return os.read(handle, limit + 1)
    finally:
        os.close(handle)


def file_stamp(path: Path) -> object:
    """A value that changes when the file or its rights change; None if it does not exist."""
    try:
        state = path.lstat()
    except FileNotFoundError:
        return None
    return state.st_ino, state.st_mtime_ns, state.st_ctime_ns, state.st_size, state.st_mode
