"""The objects of a transcript's file, one after the other: JSON lines, or one JSON document.

The file is hostile, and its agent may still be writing it: only a plain file is opened, no link is followed, a line that is
no JSON is passed over, and nothing is held but one line.
"""

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from waypost.errors import InvalidInput
from waypost.store.open_databases import refuse_open_database

LARGEST_FILE = 1 << 30  # bytes; a session with many pictures has some hundred million
_LONGEST_LINE = 32 << 20  # a longer one holds a file or a picture, not words
_LARGEST_DOCUMENT = 128 << 20
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


def records(path: Path) -> Iterator[dict[str, Any]]:
    """Every object of the file that can be read. Raises InvalidInput where it is no file that we would open."""
    with _opened(path) as file:
        first = file.readline(_LONGEST_LINE)
        while first and first.isspace():
            first = file.readline(_LONGEST_LINE)
        whole = _parsed(first) if first.endswith(b"\n") or not file.read(1) else None
        file.seek(0)
        if whole is None and first.lstrip(b"\xef\xbb\xbf \t")[:1] in (b"{", b"["):
            document = _document(file)
            if document:
                yield from document
                return
            file.seek(0)
        yield from _lines(file)


def _opened(path: Path) -> IO[bytes]:
    refuse_open_database(path)
    try:
        if stat.S_ISLNK(os.lstat(path).st_mode):  # where the system has no flag for it
            raise InvalidInput(f"{path} is a link.", "A transcript is a plain file.")
        handle = os.open(path, _FLAGS)
    except (OSError, ValueError) as error:
        told = getattr(error, "strerror", None) or str(error)
        raise InvalidInput(f"{str(path)[:200]!r} cannot be read: {told}.", "Check the path.") from error
    try:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode) or state.st_size > LARGEST_FILE:
            raise InvalidInput(
                f"{path} is not a plain file of at most {LARGEST_FILE:,} bytes.", "A transcript is such a file."
            )
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def _document(file: IO[bytes]) -> list[dict[str, Any]] | None:
    """The one object or list that the file is; None if it is none, or not written to its end."""
    content = file.read(_LARGEST_DOCUMENT + 1)
    try:
        found = json.loads(content.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None
    members = found if isinstance(found, list) else [found]
    return [one for one in members if isinstance(one, dict)]


def _lines(file: IO[bytes]) -> Iterator[dict[str, Any]]:
    while line := file.readline(_LONGEST_LINE):
        if not line.endswith(b"\n") and len(line) == _LONGEST_LINE:
            while (rest := file.readline(_LONGEST_LINE)) and not rest.endswith(b"\n"):
                pass
            continue
        found = _parsed(line)
        if found is not None:
            yield found


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
