"""Pagination cursors, which clients send back unchanged.

A cursor holds only numbers and a digest of the query. It grants no access, so it is validated but not signed.
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
    """`before`: upper bound of the next page. `known_at`: the time of the first page in microseconds; all pages show that
    state."""

    before: int
    known_at: int

    def encode(self, query: Mapping[str, Any]) -> str:
        text = json.dumps([1, self.before, self.known_at, _digest(query)], separators=(",", ":"))
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_cursor(text: str, query: Mapping[str, Any]) -> Cursor:
    """Raises ProblemError for an invalid cursor, or one of another query."""
    try:
        padded = text.encode("ascii") + b"=" * (-len(text) % 4)
        version, before, known_at, digest = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (ValueError, TypeError, binascii.Error, RecursionError) as error:
        raise _wrong() from error
    numbers = (before, known_at)
    if version != 1 or not all(type(number) is int and 0 <= number < _LARGEST * 8 for number in numbers):
        raise _wrong()
    if digest != _digest(query):
        raise ProblemError(422, "The cursor belongs to another query.", "Keep the other parameters as they were.")
    return Cursor(before, known_at)


def _wrong() -> ProblemError:
    return ProblemError(422, "Invalid cursor.", "Send `next` of the previous page unchanged, or leave it out.")


def _digest(query: Mapping[str, Any]) -> str:
    text = json.dumps(sorted((name, repr(value)) for name, value in query.items()))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
