"""One side of a changed file: its text without secrets, its symbols and their meanings."""

import hashlib
from array import array
from collections import Counter
from collections.abc import Iterable
from copy import copy
from functools import cached_property, lru_cache

from waypost.code.changes.visibility import Visibility
from waypost.code.files.content import written_by_machine
from waypost.code.files.decoding import decode
from waypost.code.files.languages import language_of_path
from waypost.code.parse import parse
from waypost.code.shape.build import shape_of
from waypost.code.source import FUNCTIONS, Parsed, SourceFile, Symbol
from waypost.model.shape import FileShape
from waypost.text.secrets.masking import mask

_MOST_SYMBOLS = 3_000
_KEPT_SIDES = 64  # the new side of one commit is the old side of a later one


class Side:
    """A file before or after a change. Its syntax tree is walked only when needed."""

    def __init__(self, path: str, text: str, by_machine: bool) -> None:
        self.path = path
        self.language = language_of_path(path, text)
        self.by_machine = by_machine
        self.text = mask(text).text
        self.lines = self.text.split("\n")
        self.source = SourceFile(path, self.language, self.text)
        self._walked = self.source
        self._hidden: tuple[int, ...] = ()  # first lines of hidden symbols

    @cached_property
    def parsed(self) -> Parsed:
        if self.by_machine:
            return Parsed(self.path, self.language, len(self.lines))
        return parse(self.source)

    @cached_property
    def shape(self) -> FileShape:
        return shape_of(self._walked, self.parsed, typed=True)

    def without(self, places: Iterable[int]) -> "Side":
        """The same side with these symbols hidden: their lines are blank when meanings are computed.

        Walking the syntax tree is most of the work, and most of a changed file is unchanged.
        """
        lines = list(self.lines)
        hidden = tuple(places)
        for place in hidden:
            symbol = self.symbols[place]
            lines[symbol.first_line - 1 : symbol.lines.end] = [""] * (symbol.lines.end - symbol.first_line + 1)
        other = copy(self)
        for name in ("shape", "all_meaning"):
            vars(other).pop(name, None)
        other._hidden = tuple(self.symbols[place].first_line for place in hidden)
        other._walked = SourceFile(self.path, self.language, "\n".join(lines))
        return other

    @cached_property
    def visibility(self) -> Visibility:
        return Visibility(self.parsed, self.lines)

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """The first symbols of the file, up to a limit. Places are indices into `parsed.symbols`."""
        return self.parsed.symbols[:_MOST_SYMBOLS]

    @cached_property
    def places(self) -> tuple[int, ...]:
        """Places of symbols visible from outside: not those local to a function."""
        local: set[int] = set()
        for place, symbol in enumerate(self.symbols):
            above = symbol.parent
            if above is not None and (above in local or self.symbols[above].kind in FUNCTIONS):
                local.add(place)
        return tuple(place for place in range(len(self.symbols)) if place not in local)

    @cached_property
    def children(self) -> dict[int, list[int]]:
        nested: dict[int, list[int]] = {}
        for place in self.places:
            above = self.symbols[place].parent
            if above is not None and self._encloses(above, place):
                nested.setdefault(above, []).append(place)
        return nested

    def _encloses(self, above: int, place: int) -> bool:
        """Whether a symbol is within the lines of another. Rust and Go methods are outside their type."""
        around, inner = self.symbols[above], self.symbols[place]
        return around.first_line <= inner.first_line and inner.lines.end <= around.lines.end

    @cached_property
    def members(self) -> dict[int, list[int]]:
        """The symbols that belong to another one, wherever they are."""
        members_by_owner: dict[int, list[int]] = {}
        for place in self.places:
            above = self.symbols[place].parent
            if above is not None:
                members_by_owner.setdefault(above, []).append(place)
        return members_by_owner

    def written(self, place: int) -> tuple[str, ...]:
        """The symbol's own lines as written, without nested symbols."""
        symbol = self.symbols[place]
        lines: list[str] = []
        line = symbol.first_line
        for inner in self.children.get(place, ()):
            child = self.symbols[inner]
            lines += self.lines[line - 1 : child.first_line - 1]
            line = max(line, child.lines.end + 1)
        lines += self.lines[line - 1 : symbol.lines.end]
        return tuple(lines)

    def whole(self, place: int) -> list[str]:
        symbol = self.symbols[place]
        return self.lines[symbol.first_line - 1 : symbol.lines.end]

    def meaning(self, place: int) -> bytes:
        """A hash of the symbol's meaning, independent of its name."""
        first, behind = self._words(place)
        define = self.shape.between(self.shape.landmarks[place].define, self.shape.line_count)[0]
        return self.shape.meaning(first, behind, self.symbols[place].name, define)

    def own_meaning(self, place: int) -> bytes:
        """The meaning without nested symbols, but with its name."""
        if not self.children.get(place):
            return self.shape.meaning(*self._words(place))
        return hashlib.blake2b(self.own_words(place).tobytes(), digest_size=12).digest()

    def own_words(self, place: int) -> "array[int]":
        first, behind = self._words(place)
        words: array[int] = array("Q")
        for inner in self.children.get(place, ()):
            begin, end = self._words(inner)
            words.extend(self.shape.words[first : max(first, begin)])
            first = max(first, end)
        words.extend(self.shape.words[first : max(first, behind)])
        return words

    def words(self, place: int) -> "Counter[int]":
        first, behind = self._words(place)
        return Counter(self.shape.words[first:behind])

    def size(self, place: int) -> int:
        """In words."""
        first, behind = self._words(place)
        return behind - first

    def _words(self, place: int) -> tuple[int, int]:
        landmark = self.shape.landmarks[place]  # symbols come first there, in the same order
        return self.shape.between(landmark.start, landmark.end)

    @cached_property
    def all_meaning(self) -> bytes:
        """A hash of the whole file's meaning and of the positions of hidden symbols."""
        hidden = array("Q", (self.shape.between(0, line - 1)[1] for line in self._hidden))
        return self.shape.meaning(0, len(self.shape.words)) + hashlib.blake2b(hidden.tobytes(), digest_size=12).digest()


def side_of(path: str, content: bytes | None) -> Side | None:
    """The side with this content, or None if it is absent or not text."""
    return None if content is None else _side(path, content)


@lru_cache(maxsize=_KEPT_SIDES)
def _side(path: str, content: bytes) -> Side | None:
    decoded = decode(content)
    if decoded is None:
        return None
    text = decoded.text
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return Side(path, text, written_by_machine(path, text) is not None)
