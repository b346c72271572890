"""The shape of a file: what it says without its layout, by lines, and the symbols in it.

Words are the tokens that carry meaning, as numbers of 64 bits; marks say how they are grouped, so that `(a + b) * c`
and `a + b * c` differ though redundant brackets do not count. Notes are the words of comments and docstrings. A shape
holds no text of the file.
"""

import sys
from array import array
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple

MEANING_BYTES = 12
OWN_NAME = 1  # stands for the name of a symbol in its own code, so that a rename changes nothing
LIST = 1  # in the kind of a mark: more of the same may stand in it, as in a block or in brackets
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
class FileShape:
    path: str
    language: str
    line_count: int
    landmarks: tuple[Landmark, ...] = ()
    words: "array[int]" = field(default_factory=lambda: array("Q"))
    rows: "array[int]" = field(default_factory=lambda: array("I"))  # line of each word
    opens: "array[int]" = field(default_factory=lambda: array("I"))  # marks, outer before inner: the first word in it,
    closes: "array[int]" = field(default_factory=lambda: array("I"))  # the first word behind it,
    kinds: "array[int]" = field(default_factory=lambda: array("Q"))  # what it is (and `LIST`),
    parents: "array[int]" = field(default_factory=lambda: array("i"))  # and the mark around it; -1: none
    notes: "array[int]" = field(default_factory=lambda: array("Q"))  # words of comments
    note_rows: "array[int]" = field(default_factory=lambda: array("I"))
    texts: "array[int]" = field(default_factory=lambda: array("Q"))  # of each line, without white space; 0: blank
    broken: bool = False  # parts of it could not be parsed: how words are grouped there says little
    _meanings: "dict[tuple[int, int, str, int | None], bytes]" = field(default_factory=dict, init=False, repr=False)

    def between(self, start: int, end: int) -> tuple[int, int]:
        """The words on these lines, as the first one and the one behind the last."""
        return bisect_left(self.rows, start), bisect_right(self.rows, end)

    def notes_between(self, start: int, end: int) -> tuple[int, int]:
        return bisect_left(self.note_rows, start), bisect_right(self.note_rows, end)

    def is_blank(self, line: int) -> bool:
        return not 1 <= line <= len(self.texts) or not self.texts[line - 1]

    def texts_between(self, start: int, end: int) -> "array[int]":
        """The lines as they are written, without blank ones and without white space."""
        return array("Q", [text for text in self.texts[start - 1 : end] if text])

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
        """A hash of what a symbol, or a whole file, says."""
        key = (first, behind, own_name, only)
        found = self._meanings.get(key)
        if found is None:  # of one symbol it is asked by everything that is looked for in this file
            found = self._hash(self.spoken(first, behind, own_name, only), first, self._inside(first, behind))
            self._meanings[key] = found
        return found

    def part_meaning(self, first: int, behind: int) -> bytes:
        """A hash of what any words say. What stands before and behind them, in the same list or block, is left out."""
        marks = self._inside(first, behind)
        inside = set(marks)
        for mark in marks:
            # A list at the edge may go on outside: whether it ends here says nothing of what is in here.
            around = mark if self.kinds[mark] & LIST and self._is_at_edge(mark, first, behind) else -1
            while around in inside:
                inside.discard(around)
                around = self.parents[around]
        return self._hash(self.words[first:behind], first, [mark for mark in marks if mark in inside])

    def closing(self, first: int, behind: int) -> int:
        """How many marks end with these words. A list that was there before the first of them is left out.

        As long as they all end here, nothing was added to a block, a call or a statement that began in these words.
        """
        return sum(
            self.closes[mark] == behind and (self.opens[mark] > first or not self.kinds[mark] & LIST)
            for mark in self._inside(first, behind)
        )

    def _hash(self, words: "array[int]", first: int, marks: list[int]) -> bytes:
        digest = blake2b(word_bytes(words), digest_size=MEANING_BYTES)
        told = array("Q")
        for mark in marks:
            if self.opens[mark] > first or self.closes[mark] < first + len(words):
                told.extend((self.kinds[mark] & ~LIST, self.opens[mark] - first, self.closes[mark] - first))
        digest.update(word_bytes(told))
        return digest.digest()

    def _inside(self, first: int, behind: int) -> list[int]:
        """The marks inside. An empty one at the edge is inside if the one around it is.

        One around all of the words is inside, but says nothing: it may as well belong to what is around them.
        """
        marks: list[int] = []
        inside: set[int] = set()
        for mark in range(bisect_left(self.opens, first), bisect_right(self.opens, behind)):
            opens, closes = self.opens[mark], self.closes[mark]
            if closes <= behind and (first < opens < behind or opens < closes or self.parents[mark] in inside):
                marks.append(mark)
                inside.add(mark)
        return marks

    def _is_at_edge(self, mark: int, first: int, behind: int) -> bool:
        return self.opens[mark] == first or self.closes[mark] == behind


def words_hash(words: "array[int]") -> bytes:
    """A hash of words alone."""
    return blake2b(word_bytes(words), digest_size=MEANING_BYTES).digest()


def word_code(text: bytes) -> int:
    """The number of a word. The lowest ones are kept for what is no text."""
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "little") & ~0xFF | 1 << 8


def family(kind: str) -> str:
    """Kinds that one and the same symbol may have in its life: a function may become a method or a property."""
    return _FAMILIES.get(kind, "type")


def word_bytes(words: "array[int]") -> bytes:
    """Eight bytes for each word, the lowest first, on every machine."""
    if sys.byteorder == "big":
        words = words[:]
        words.byteswap()
    return words.tobytes()
