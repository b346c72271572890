"""Reads the JSON objects of a transcript file: JSON lines, or one JSON document.

The file is untrusted, and its agent may still be writing it. Only plain files are opened; links are not followed.
Invalid lines are skipped. Only one line is kept in memory.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from waypost.flows.move.user_file import open_plain_file

LARGEST_FILE = 1 << 30  # bytes; sessions with many pictures have some hundred million
_LONGEST_LINE = 32 << 20  # a longer one holds a file or picture, not text
_LARGEST_DOCUMENT = 128 << 20


def records(path: Path) -> Iterator[dict[str, Any]]:
    """All readable objects of the file. Raises InvalidInput if it is not a plain file of acceptable size."""
    with open_plain_file(path, LARGEST_FILE) as file:
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
