"""A change as git has it: names and bytes, before parsing."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class RawFile:
    path: str  # current path, or the last one if it is removed
    change: str  # ADDED, REMOVED, MODIFIED or RENAMED of waypost.model.change
    path_before: str = ""  # of a renamed file
    before: bytes | None = None  # None: it did not exist, or cannot be read
    after: bytes | None = None
    skipped: str = ""  # why its content was not read: too large, binary, a secret


@dataclass(frozen=True, slots=True)
class RawCommit:
    """One commit. An empty `commit` means uncommitted changes."""

    files: tuple[RawFile, ...]
    commit: str = ""
    time: datetime | None = None
    author: str = ""
    subject: str = ""
    body: str = ""
    is_merge: bool = False  # has no files: they are in the merged commits
    is_cut: bool = False  # its parent is missing in this shallow clone, so it has no files
