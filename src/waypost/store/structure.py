"""The structure of the code: symbols, and the relations between them."""

from typing import NamedTuple


class SymbolSketch(NamedTuple):
    """A symbol or a file of a checkout."""

    id: str
    kind: str  # "symbol" or "file"
    qualified: str  # a file's path
    path: str
    line: int
    end_line: int
    traits: int
    type: str = ""  # "method", "class", "file" …; empty in relations
    signature: str = ""
    first_line: int = 0  # with decorators and comments; 0 in relations


class RelationSketch(NamedTuple):
    """A relation between two symbols, seen from one of them."""

    near: str  # the id from which it was read
    kind: str
    strength: float
    lines: tuple[int, ...]  # where the first symbol uses the second
    other: SymbolSketch
