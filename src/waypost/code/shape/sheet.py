"""The words, marks and notes of a file while it is read."""

import re
from array import array

from waypost.model.shape import word_code

_NOTE_WORD = re.compile(rb"[\w\x80-\xff]+")


class ShapeSheet:
    """The arrays of a shape while they are filled, from the start of a line on."""

    def __init__(self, data: bytes, line: int = 1, begin: int = 0) -> None:
        self.data = data
        self.words, self.rows = array("Q"), array("I")
        self.opens, self.closes, self.kinds, self.parents = array("I"), array("I"), array("Q"), array("i")
        self.notes, self.note_rows = array("Q"), array("I")
        self._codes: dict[bytes, int] = {}
        self._row = line
        self._break = data.find(b"\n", begin)

    def word(self, text: bytes, position: int) -> None:
        code = self._codes.get(text)
        if code is None:
            code = self._codes[text] = word_code(text)
        self.words.append(code)
        self.rows.append(self._row if self._break < 0 or position <= self._break else self._line(position))

    def note(self, start: int, end: int) -> None:
        for match in _NOTE_WORD.finditer(self.data, start, end):
            self.notes.append(word_code(match[0]))
            self.note_rows.append(self._line(match.start()))

    def open(self, kind: int, parent: int) -> int:
        self.opens.append(len(self.words))
        self.closes.append(len(self.words))
        self.kinds.append(kind)
        self.parents.append(parent)
        return len(self.opens) - 1

    def append(self, other: "ShapeSheet") -> None:
        """Append the words, marks and notes of what follows."""
        words, marks = len(self.words), len(self.opens)
        self.words += other.words
        self.rows += other.rows
        self.opens.extend(words + place for place in other.opens)
        self.closes.extend(words + place for place in other.closes)
        self.kinds += other.kinds
        self.parents.extend(marks + parent if parent >= 0 else parent for parent in other.parents)
        self.notes += other.notes
        self.note_rows += other.note_rows

    def _line(self, position: int) -> int:
        """The line of a position. Positions must ascend."""
        while -1 < self._break < position:
            self._row += 1
            self._break = self.data.find(b"\n", self._break + 1)
        return self._row
