"""The verdict on a piece of code that a memory refers to: unchanged, moved, changed, deleted and so on."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from waypost.model.json_row import json_row
from waypost.model.reference import LineRange

UNCHANGED = "unchanged"  # the same code in the same file; its lines may have shifted
MOVED = "moved"  # the same code in another file, or under another name
CHANGED = "changed"
DELETED = "deleted"
AMBIGUOUS = "ambiguous"  # not where it was, and several places could be it
UNCHECKED = "unchecked"  # nothing was recorded to compare with, or the code cannot be read


@dataclass(frozen=True, slots=True)
class CodeVerdict:
    """Where the code is now, if that is known, and how much of it changed."""

    state: str
    path: str | None = None  # None: deleted or not located
    lines: LineRange | None = None  # None with a path: the whole file
    amount: float = 0.0  # the part of it that changed, 0 to 1
    name: str = ""  # its current qualified name, if it is a symbol
    others: tuple[str, ...] = ()  # where else it could be, as `path:line`
    searched: bool = field(default=False, compare=False)  # other files were searched: the verdict rests on all of them


@dataclass(frozen=True, slots=True)
class CausingCommit:
    """The commit that changed or removed the code."""

    commit: str
    at: datetime
    author: str
    added: int  # lines in the files concerned
    removed: int

    def __str__(self) -> str:
        return f"{self.commit[:7]} ({', '.join(part for part in (self.at.date().isoformat(), self.author) if part)})"

    def to_json(self) -> dict[str, Any]:
        return json_row(self)
