"""One text, prepared for many plain searches.

A search in a text with a single wide character (an emoji is enough) is several times slower than in bytes, and so is
making it small. So the searches run on a copy with exactly one byte for each character, and offsets are the same.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import AnyStr

Span = tuple[int, int, str]
"""Start, end and rule name of a value to mask."""


@dataclass(frozen=True, slots=True)
class Scan:
    """A text with its one-byte copy; `low` has ASCII letters in small."""

    text: str
    raw: bytes
    low: bytes

    @classmethod
    def of(cls, text: str) -> "Scan":
        raw = text.encode("latin-1", "replace")
        return cls(text, raw, raw.lower())

    def places(self, literal: str) -> Iterator[int]:
        """Where the literal stands, in these very letters."""
        return _each(self.raw, literal.encode("latin-1"))

    def places_in_any_case(self, literal: str) -> Iterator[int]:
        """Where a literal given in small letters stands, in small, capital or both."""
        if literal.isascii():
            yield from _each(self.low, literal.encode("ascii"))
        elif not self.text.isascii():
            for form in (literal, literal.capitalize(), literal.upper()):
                yield from _each(self.text, form)


def _each(text: AnyStr, literal: AnyStr) -> Iterator[int]:
    at = text.find(literal)
    while at >= 0:
        yield at
        at = text.find(literal, at + len(literal))
