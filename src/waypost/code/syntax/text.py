"""The bytes of a file: lines and the text of nodes."""

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

Captures = dict[str, list["Node"]]  # of one query match, by name


class Ranges:
    """Byte ranges that support `position in ranges`."""

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in sorted(ranges):
            if self._ends and start <= self._ends[-1]:
                self._ends[-1] = max(self._ends[-1], end)
            else:
                self._starts.append(start)
                self._ends.append(end)

    def __contains__(self, position: int) -> bool:
        number = bisect_right(self._starts, position) - 1
        return number >= 0 and position < self._ends[number]


class Text:
    """The bytes of a file, and where its lines begin.

    Waypost counts lines itself: in tree-sitter 0.26.0, reading `Point.row` frees memory that is in use.
    """

    __slots__ = ("_starts", "data")

    def __init__(self, data: bytes) -> None:
        self.data = data
        # Where each line except the first begins.
        self._starts = list(accumulate(len(line) + 1 for line in data.split(b"\n")))
        self._starts.pop()

    def row(self, position: int) -> int:
        """The line of a byte, from 0."""
        return bisect_right(self._starts, position)

    def row_start(self, row: int) -> int:
        return self._starts[row - 1] if row else 0

    @property
    def line_count(self) -> int:
        """Lines as an editor counts them: a final line end does not begin another line."""
        return len(self._starts) + (not self.data.endswith(b"\n") if self.data else 0)

    def between(self, start: int, end: int) -> str:
        return self.data[start:end].decode("utf-8", "replace")

    def of(self, node: "Node") -> str:
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def line_of(self, node: "Node") -> int:
        return self.row(node.start_byte) + 1
