"""A change as git has it: names and bytes, before anything is parsed."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class RawFile:
    path: str  # where it is now; where it was, if it is gone
    change: str  # ADDED, REMOVED, MODIFIED or RENAMED of waypost.model.change
    path_before: str = ""  # of a renamed file
    before: bytes | None = None  # None: it was not there, or is nothing to read
    after: bytes | None = None
    skipped: str = ""  # why its contents were not read: too large, binary, a secret


@dataclass(frozen=True, slots=True)
class RawCommit:
    """One commit, or with an empty `commit` what is not committed yet."""

    files: tuple[RawFile, ...]
    commit: str = ""
    time: datetime | None = None
    author: str = ""
    subject: str = ""
    body: str = ""
    is_merge: bool = False  # then it has no files: what came in is in the commits that were merged
    is_cut: bool = False  # its parent is not in this shallow clone: what it did cannot be known, it has no files
