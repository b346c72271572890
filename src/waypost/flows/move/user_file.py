"""Opens files that a user or an agent named."""

import os
import stat
from pathlib import Path
from typing import IO

from waypost.errors import InvalidInput
from waypost.store.open_databases import refuse_open_database

_PLAIN = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def open_user_file(path: Path) -> IO[bytes]:
    """Raises InvalidInput if the file cannot be read, or is a database in use."""
    refuse_open_database(path)
    try:
        return path.open("rb")
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.", "Check the path.") from error


def open_plain_file(path: Path, largest: int) -> IO[bytes]:
    """For untrusted paths: opens no link, pipe or device, and no file of more than `largest` bytes.

    Raises InvalidInput otherwise, and for a database in use.
    """
    refuse_open_database(path)
    try:
        if stat.S_ISLNK(os.lstat(path).st_mode):  # for systems without O_NOFOLLOW
            raise InvalidInput(f"{path} is a link.", "Name a plain file.")
        handle = os.open(path, _PLAIN)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InvalidInput(f"{str(path)[:200]!r} cannot be read: {reason}.", "Check the path.") from error
    try:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode) or state.st_size > largest:
            raise InvalidInput(f"{path} is not a plain file of at most {largest:,} bytes.", "Check the path.")
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise
