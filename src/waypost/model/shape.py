"""The shape of a file: what it says without its layout, by lines, and the symbols in it.

Words are the tokens that carry meaning, as numbers of 64 bits; marks say how they are grouped, so that `(a + b) * c`
and `a + b * c` differ though redundant brackets do not count. Notes are the words of comments and docstrings. A shape
holds no text of the file.
"""

import sys
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple

MEANING_BYTES = 12
OWN_NAME = 1  # stands for the name of a symbol in its own code, so that a rename changes nothing
SECTION = "section"  # the kind of a landmark that is a part of a document

_FAMILIES = {
    "function": "code",
    "method": "code",
    "property": "code",
    "macro": "code",
    "constant": "value",
    SECTION: SECTION,
}


class Landmark(NamedTuple):
    """A symbol, or a section of a document, and its lines."""

    name: str  # the last part of `qualified`
    qualified: str
    kind: str
    symbol_id: str  # SCIP; empty for a section
    first: int  # with decorators, attributes and the comment above
    start: int  # with decorators and attributes, without the comment
    define: int  # of the definition itself
    end: int


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    path: str
    language: str
    line_count: int
    landmarks: tuple[Landmark, ...] = ()
    words: "array[int]" = field(default_factory=lambda: array("Q"))
    rows: "array[int]" = field(default_factory=lambda: array("I"))  # line of each word
    opens: "array[int]" = field(default_factory=lambda: array("I"))  # marks, outer before inner: the first word in it,
    closes: "array[int]" = field(default_factory=lambda: array("I"))  # the first word behind it,
    kinds: "array[int]" = field(default_factory=lambda: array("Q"))  # what it is,
    parents: "array[int]" = field(default_factory=lambda: array("i"))  # and the mark around it; -1: none
    notes: "array[int]" = field(default_factory=lambda: array("Q"))  # words of comments
    note_rows: "array[int]" = field(default_factory=lambda: array("I"))
    blanks: frozenset[int] = frozenset()  # lines without anything on them

    def between(self, start: int, end: int) -> tuple[int, int]:
        """The words on these lines, as the first one and the one behind the last."""
        return bisect_left(self.rows, start), bisect_right(self.rows, end)

    def notes_between(self, start: int, end: int) -> tuple[int, int]:
        return bisect_left(self.note_rows, start), bisect_right(self.note_rows, end)

    def spoken(self, first: int, behind: int, own_name: str = "", only: int | None = None) -> "array[int]":
        """These words, with a stand-in for the own name of a symbol: everywhere, or `only` from there on, once."""
        words = self.words[first:behind]
        if not own_name:
            return words
        code = word_code(own_name.encode("utf-8", "replace"))
        if only is None:
            return array("Q", [OWN_NAME if word == code else word for word in words])
        for place in range(max(0, only - first), len(words)):
            if words[place] == code:
                words[place] = OWN_NAME
                break
        return words

    def meaning(self, first: int, behind: int, own_name: str = "", only: int | None = None) -> bytes:
        """A hash of what these words say. It does not depend on what is around them."""
        digest = blake2b(_bytes(self.spoken(first, behind, own_name, only)), digest_size=MEANING_BYTES)
        digest.update(_bytes(array("Q", self._marks(first, behind))))
        return digest.digest()

    def _marks(self, first: int, behind: int) -> Iterator[int]:
        """The marks inside. One around all of the words may as well belong to what is around them, and says nothing.

        An empty mark at the edge is inside if the one around it is.
        """
        inside = set()
        for mark in range(bisect_left(self.opens, first), bisect_right(self.opens, behind)):
            opens, closes = self.opens[mark], self.closes[mark]
            if closes > behind or (opens == closes and opens in (first, behind) and self.parents[mark] not in inside):
                continue
            inside.add(mark)
            if opens > first or closes < behind:
                yield self.kinds[mark]
                yield opens - first
                yield closes - first


def words_hash(words: "array[int]") -> bytes:
    """A hash of words alone."""
    return blake2b(_bytes(words), digest_size=MEANING_BYTES).digest()


def word_code(text: bytes) -> int:
    """The number of a word. The lowest ones are kept for what is no text."""
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "little") | 1 << 8


def family(kind: str) -> str:
    """Kinds that one and the same symbol may have in its life: a function may become a method or a property."""
    return _FAMILIES.get(kind, "type")


def _bytes(words: "array[int]") -> bytes:
    if sys.byteorder == "big":
        words = words[:]
        words.byteswap()
    return words.tobytes()
