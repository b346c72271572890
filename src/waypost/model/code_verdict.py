"""What became of a piece of code that a memory points at."""

from dataclasses import dataclass

from waypost.model.reference import LineRange

UNCHANGED = "unchanged"  # it says the same; its lines may be others
MOVED = "moved"  # it says the same in another file, or under another name
CHANGED = "changed"
DELETED = "deleted"
AMBIGUOUS = "ambiguous"  # it is not where it was, and several places could be it
UNCHECKED = "unchecked"  # nobody can tell: nothing was noted of it when it was pointed at, or it cannot be read


@dataclass(frozen=True, slots=True)
class CodeVerdict:
    """Where it is now, as far as that can be said, and how much of it is another."""

    state: str
    path: str | None = None  # None: nowhere
    lines: LineRange | None = None  # None with a path: the whole file
    amount: float = 0.0  # the part of it that changed, 0 to 1
    name: str = ""  # its qualified name now, where it is a symbol
    others: tuple[str, ...] = ()  # where else it could be, as `path:line`
