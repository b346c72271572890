"""Identifiers that sort by creation time: 48 bits of milliseconds, then 80 random bits.

Written in 26 characters of lower-case Crockford base 32, the layout of a ULID.
"""

import hashlib
import re
import secrets
import threading
from datetime import datetime

from waypost.errors import InvalidInput
from waypost.model.time import Clock, to_micros

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_FORM = re.compile(r"[0-7][0-9a-hjkmnp-tv-z]{25}")
_RANDOM_BITS = 80


class IdMaker:
    """Makes ids that increase strictly within one process, even if the clock stands still or steps back."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last = 0
        self._lock = threading.Lock()

    def __call__(self) -> str:
        millis = to_micros(self._clock()) // 1000
        with self._lock:
            fresh = (millis << _RANDOM_BITS) | secrets.randbits(_RANDOM_BITS)
            self._last = fresh if fresh > self._last else self._last + 1 + secrets.randbits(32)
            return _encode(self._last)


_PAIRS = tuple(first + second for first in _ALPHABET for second in _ALPHABET)


def _encode(number: int) -> str:
    return "".join([_PAIRS[(number >> shift) & 1023] for shift in range(120, -1, -10)])


def stable_id(at: datetime, text: str) -> str:
    """The same id for the same time and text, with a hash in place of the random bits."""
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_RANDOM_BITS // 8).digest()
    millis = max(0, min(to_micros(at) // 1000, (1 << 48) - 1))
    return _encode((millis << _RANDOM_BITS) | int.from_bytes(digest, "big"))


def check_id(text: str) -> str:
    """The id in lower case. Raises InvalidInput if it cannot be an id."""
    candidate = text.strip().lower() if isinstance(text, str) else ""
    if not _FORM.fullmatch(candidate):
        raise InvalidInput(
            f"{str(text)[:60]!r} is not the id of a memory.",
            "Ids have 26 characters; `waypost list` shows them.",
        )
    return candidate
