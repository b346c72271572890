"""Cursors: where the next page begins, for clients to hand back as it is.

A cursor holds numbers only, and a digest of what was asked: it opens nothing that its bearer could not ask for anyway,
so it is checked, not signed.
"""

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from waypost.faces.rest.problems import ProblemError

LONGEST = 200
_LARGEST = 1 << 53


@dataclass(frozen=True, slots=True)
class Cursor:
    """`before`: the number that the next page stays below. `known_at`: when the first page was asked for, in microseconds;
    all pages show what was known then."""

    before: int
    known_at: int

    def written(self, asked: Mapping[str, Any]) -> str:
        text = json.dumps([1, self.before, self.known_at, _digest(asked)], separators=(",", ":"))
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_cursor(text: str, asked: Mapping[str, Any]) -> Cursor:
    """Raises ProblemError for what `written` did not make, or made for another question."""
    try:
        padded = text.encode("ascii") + b"=" * (-len(text) % 4)
        version, before, known_at, digest = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (ValueError, TypeError, binascii.Error, RecursionError) as error:
        raise _wrong() from error
    numbers = (before, known_at)
    if version != 1 or not all(type(one) is int and 0 <= one < _LARGEST * 8 for one in numbers):
        raise _wrong()
    if digest != _digest(asked):
        raise ProblemError(422, "The cursor belongs to another question.", "Keep the other parameters as they were.")
    return Cursor(before, known_at)


def _wrong() -> ProblemError:
    return ProblemError(422, "This is no cursor.", "Hand back `next` of the page before as it is, or none.")


def _digest(asked: Mapping[str, Any]) -> str:
    text = json.dumps(sorted((name, repr(value)) for name, value in asked.items()))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
