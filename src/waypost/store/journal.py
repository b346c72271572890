"""The journal: which files have been read, and which entries they contain."""

from datetime import datetime
from typing import NamedTuple


class FileStamp(NamedTuple):
    """Size and time of a file, which show whether it has changed since it was last read or written."""

    size: int
    mtime: int  # nanoseconds
    gzipped: bool = False


class PlacedEntry(NamedTuple):
    """An entry in a file."""

    path: str
    memory_id: str
    place: int  # from 0, in the order of the file
    digest: bytes
    since: datetime
    by_hand: bool = False
