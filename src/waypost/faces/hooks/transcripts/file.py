"""Reads the JSON objects of a transcript file: JSON lines, or one JSON document.

The file is untrusted, and its agent may still be writing it. Only plain files are opened; links are not followed.
Invalid lines are skipped. Only one line is kept in memory.
"""

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from waypost.errors import InvalidInput
from waypost.store.open_databases import refuse_open_database

LARGEST_FILE = 1 << 30  # bytes; sessions with many pictures have some hundred million
_LONGEST_LINE = 32 << 20  # a longer one holds a file or picture, not text
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
    """All readable objects of the file. Raises InvalidInput if it is not a plain file of acceptable size."""
    with _open(path) as file:
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


def _open(path: Path) -> IO[bytes]:
    refuse_open_database(path)
    try:
        if stat.S_ISLNK(os.lstat(path).st_mode):  # for systems without O_NOFOLLOW
            raise InvalidInput(f"{path} is a link.", "A transcript is a plain file.")
        handle = os.open(path, _FLAGS)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InvalidInput(f"{str(path)[:200]!r} cannot be read: {reason}.", "Check the path.") from error
    try:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode) or state.st_size > LARGEST_FILE:
            raise InvalidInput(f"{path} is not a plain file of at most {LARGEST_FILE:,} bytes.", "Check the path.")
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def _document(file: IO[bytes]) -> list[dict[str, Any]] | None:
    """The objects of a JSON document, or None if the file is not one or is incomplete."""
    content = file.read(_LARGEST_DOCUMENT + 1)
    try:
        document = json.loads(content.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None
    members = document if isinstance(document, list) else [document]
    return [member for member in members if isinstance(member, dict)]


def _lines(file: IO[bytes]) -> Iterator[dict[str, Any]]:
    while line := file.readline(_LONGEST_LINE):
        if not line.endswith(b"\n") and len(line) == _LONGEST_LINE:
            while (rest := file.readline(_LONGEST_LINE)) and not rest.endswith(b"\n"):
                pass
            continue
        record = _parsed(line)
        if record is not None:
            yield record


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
