"""The shape of a file: its tokens and symbols by line, without layout.

Words are the meaningful tokens, as 64-bit hashes. Marks group words: `(a + b) * c` and `a + b * c` differ, while
redundant brackets do not count. Notes are the words of comments and docstrings. A shape contains no text of the file.
"""

import sys
from array import array
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

MEANING_BYTES = 12
OWN_NAME = 1  # replaces the name of a symbol in its own code, so that a rename changes nothing
LIST = 1  # a bit in the kind of a mark: it can have any number of items, like a block or brackets
PREFIX = 2  # a bit in the kind of a mark: annotations can be put before it, on lines of their own
_NEAR_MARKS = 64  # marks before some words in which their modifiers may begin
SECTION = "section"  # the kind of a landmark in a document

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
    first: int  # line of the comment above, the decorators or the definition
    start: int  # line of the decorators or the definition, without the comment
    define: int  # line of the definition itself
    end: int


@dataclass(frozen=True, slots=True, eq=False)
class FileShape:
    path: str
    language: str
    line_count: int
    landmarks: tuple[Landmark, ...] = ()
    words: "array[int]" = field(default_factory=lambda: array("Q"))
    rows: "array[int]" = field(default_factory=lambda: array("I"))  # line of each word
    # One item for each mark, outer marks before inner ones.
    opens: "array[int]" = field(default_factory=lambda: array("I"))  # its first word
    closes: "array[int]" = field(default_factory=lambda: array("I"))  # the first word behind it
    kinds: "array[int]" = field(default_factory=lambda: array("Q"))  # its kind, with the bits `LIST` and `PREFIX`
    parents: "array[int]" = field(default_factory=lambda: array("i"))  # the mark around it; -1: none
    notes: "array[int]" = field(default_factory=lambda: array("Q"))  # words of comments
    note_rows: "array[int]" = field(default_factory=lambda: array("I"))
    texts: "array[int]" = field(default_factory=lambda: array("Q"))  # hash of each line without white space; 0: blank
    imports: tuple[tuple[int, int], ...] = ()  # words of each import, as half-open ranges
    broken: bool = False  # parts could not be parsed, so their marks are unreliable
    typed: bool = False  # type annotations are among the words
    _meanings: "dict[tuple[int, int, str, int | None], bytes]" = field(default_factory=dict, init=False, repr=False)

    def between(self, start: int, end: int) -> tuple[int, int]:
        """The words on these lines, as a half-open range of indices."""
        return bisect_left(self.rows, start), bisect_right(self.rows, end)

    def notes_between(self, start: int, end: int) -> tuple[int, int]:
        return bisect_left(self.note_rows, start), bisect_right(self.note_rows, end)

    def is_blank(self, line: int) -> bool:
        return not 1 <= line <= len(self.texts) or not self.texts[line - 1]

    def texts_between(self, start: int, end: int) -> "array[int]":
        """The hashes of these lines, without blank ones."""
        return array("Q", [text for text in self.texts[start - 1 : end] if text])

    def symbol_words(self, first: int, behind: int, own_name: str = "", only: int | None = None) -> "array[int]":
        """These words, with `OWN_NAME` in place of the symbol's own name.

        With `only`, just the first occurrence at or behind that word is replaced.
        """
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
        """A hash of the meaning of a symbol or a whole file."""
        key = (first, behind, own_name, only)
        meaning = self._meanings.get(key)
        if meaning is None:  # cached: every reference into this file compares with each symbol
            meaning = self._hash(self.symbol_words(first, behind, own_name, only), first, self._inside(first, behind))
            self._meanings[key] = meaning
        return meaning

    def part_meaning(self, first: int, behind: int) -> bytes:
        """A hash of the meaning of any words, whatever stands before and behind them in the same list or block."""
        return self._part_meaning(first, behind, self._inside(first, behind))

    def part_meanings(self, first: int, behind: int) -> list[bytes]:
        """The meanings of these words, also as if an annotation on the line before were gone, or new."""
        marks = self._inside(first, behind)
        meanings = [self._part_meaning(first, behind, marks)]
        inner = [mark for mark in marks if self.kinds[mark] & PREFIX and self.opens[mark] == first]
        if inner:
            meanings.append(self._part_meaning(first, behind, [mark for mark in marks if mark not in inner]))
        elif (around := self._prefix_around(first, behind)) is not None:
            meanings.append(self._part_meaning(first, behind, [around, *marks]))
        return meanings

    def _prefix_around(self, first: int, behind: int) -> int | None:
        """The mark of modifiers that begin before these words and end in them."""
        last = bisect_left(self.opens, first) - 1
        for mark in range(last, max(-1, last - _NEAR_MARKS), -1):
            if self.kinds[mark] & PREFIX:
                return mark if first < self.closes[mark] <= behind else None
        return None

    def _part_meaning(self, first: int, behind: int, marks: list[int]) -> bytes:
        inside = set(marks)
        for mark in marks:
            # A list at the edge may continue outside, so its end is not part of the meaning.
            around = mark if self.kinds[mark] & LIST and self._is_at_edge(mark, first, behind) else -1
            while around in inside:
                inside.discard(around)
                around = self.parents[around]
        return self._hash(self.words[first:behind], first, [mark for mark in marks if mark in inside])

    def count_closing_marks(self, first: int, behind: int) -> int:
        """How many marks end with these words, except lists that begin with the first word.

        While the number stays the same, nothing was appended to a block, call or statement that begins in these words.
        """
        return sum(
            self.closes[mark] == behind and (self.opens[mark] > first or not self.kinds[mark] & LIST)
            for mark in self._inside(first, behind)
        )

    def _hash(self, words: "array[int]", first: int, marks: list[int]) -> bytes:
        shifts = self._import_shifts(words, first)
        if shifts:
            ordered = words[:]
            for start, end, shift in shifts:
                ordered[start + shift : end + shift] = words[start:end]
            words = ordered
        digest = blake2b(word_bytes(words), digest_size=MEANING_BYTES)
        groups = [
            (self.kinds[mark] & ~(LIST | PREFIX), max(0, self.opens[mark] - first), self.closes[mark] - first)
            for mark in marks
            if self.opens[mark] > first or self.closes[mark] < first + len(words)
        ]
        if shifts:
            groups = sorted((_shifted(group, shifts) for group in groups), key=lambda group: group[1])
        digest.update(word_bytes(array("Q", [number for group in groups for number in group])))
        return digest.digest()

    def _import_shifts(self, words: "array[int]", first: int) -> list[tuple[int, int, int]]:
        """Where imports among these words go when adjacent ones are sorted: start, end, and how far they move."""
        begin = bisect_left(self.imports, (first, 0))
        spans = [
            (start - first, end - first)
            for start, end in self.imports[begin : bisect_left(self.imports, (first + len(words), 0))]
            if end <= first + len(words)
        ]
        shifts: list[tuple[int, int, int]] = []
        while spans:
            size = next((place for place in range(1, len(spans)) if spans[place][0] != spans[place - 1][1]), len(spans))
            run, spans = spans[:size], spans[size:]
            target = run[0][0]
            for start, end in sorted(run, key=lambda span: words[span[0] : span[1]].tolist()):
                if start != target:
                    shifts.append((start, end, target - start))
                target += end - start
        return shifts

    def _inside(self, first: int, behind: int) -> list[int]:
        """The marks inside these words. An empty mark at the edge is inside if its parent is."""
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


def _shifted(group: tuple[int, int, int], shifts: list[tuple[int, int, int]]) -> tuple[int, int, int]:
    kind, opens, closes = group
    for start, end, shift in shifts:
        if start <= opens and closes <= end and opens < end:
            return kind, opens + shift, closes + shift
    return group


def words_hash(words: "array[int]") -> bytes:
    """A hash of words without their marks."""
    return blake2b(word_bytes(words), digest_size=MEANING_BYTES).digest()


@lru_cache(16_000)
def word_code(text: bytes) -> int:
    """The hash of a word. Values below 256 are reserved for stand-ins such as `OWN_NAME`."""
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "little") & ~0xFF | 1 << 8


def family(kind: str) -> str:
    """A group of kinds that a symbol may change between: a function may become a method or a property."""
    return _FAMILIES.get(kind, "type")


def word_bytes(words: "array[int]") -> bytes:
    """Eight little-endian bytes for each word, on every machine."""
    if sys.byteorder == "big":
        words = words[:]
        words.byteswap()
    return words.tobytes()
