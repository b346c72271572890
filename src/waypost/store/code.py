"""Code: checkouts, their files, and the memories derived from them."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple


class CodeSketch(NamedTuple):
    """What ranking needs of a derived memory: everything but its text."""

    number: int
    memory_id: str
    kind: str
    type: str  # "method", "class", "section" …
    name: str
    path: str
    line: int
    end_line: int
    language: str
    traits: int
    referrers: int  # other files that use something of its file


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file of a checkout as it was when it was indexed."""

    path: str
    size: int
    mtime_ns: int
    hash: str  # SHA-256 of its bytes, in hexadecimal digits
    language: str
    lines: int
    changed_at: datetime


class DerivedRow(NamedTuple):
    """What indexing needs of a derived memory."""

    number: int
    memory_id: str
    kind: str
    name: str
    path: str
    fingerprint: bytes
    line: int  # where it is defined; 0 for a file
