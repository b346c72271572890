"""The journal: which files have been read, and which entries they contain."""

from datetime import datetime
from typing import NamedTuple


class KnownFile(NamedTuple):
    """A file as it was when it was last read or written."""

    size: int
    mtime: int
    gzipped: bool


class PlacedEntry(NamedTuple):
    """An entry in a file."""

    path: str
    memory_id: str
    place: int  # from 0, in the order of the file
    digest: bytes
    since: datetime
    by_hand: bool = False
