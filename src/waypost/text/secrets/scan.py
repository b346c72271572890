"""One text, prepared for many plain searches.

One wide character, such as an emoji, makes searching and lower-casing a text several times slower than bytes. So the
searches run on a copy with exactly one byte per character, which keeps the offsets.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import AnyStr

Span = tuple[int, int, str]
"""Start, end and rule name of a value to mask."""


@dataclass(frozen=True, slots=True)
class Scan:
    """A text with its one-byte copy. `low` has ASCII letters in lower case."""

    text: str
    raw: bytes
    low: bytes

    @classmethod
    def of(cls, text: str) -> "Scan":
        raw = text.encode("latin-1", "replace")
        return cls(text, raw, raw.lower())

    def places(self, literal: str) -> Iterable[int]:
        """Positions of the literal, in exactly this case."""
        wanted = _encoded(literal)
        return _positions(self.raw, wanted) if wanted in self.raw else ()

    def places_in_any_case(self, literal: str) -> Iterable[int]:
        """Positions of a lower-case literal, in any case."""
        if literal.isascii():
            wanted = _encoded(literal)
            return _positions(self.low, wanted) if wanted in self.low else ()
        if self.text.isascii():
            return ()
        forms = (literal, literal.capitalize(), literal.upper())
        return (at for form in forms for at in _positions(self.text, form))


@cache
def _encoded(literal: str) -> bytes:
    """The literals come from the code and its data file."""
    return literal.encode("latin-1")


def _positions(text: AnyStr, literal: AnyStr) -> Iterator[int]:
    at = text.find(literal)
    while at >= 0:
        yield at
        at = text.find(literal, at + len(literal))
