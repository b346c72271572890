"""Identifiers that sort by creation time: 48 bits of milliseconds, then 80 random bits.

Written in 26 characters of lower-case Crockford base 32, the layout of a ULID.
"""

import hashlib
import re
import secrets
import threading
from collections.abc import Mapping
from datetime import datetime

from waypost.errors import InvalidInput
from waypost.model.time import Clock, to_micros

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
LAST_SIGN = _ALPHABET[-1]
ID_LENGTH = 26
_FORM = re.compile(r"[0-7][0-9a-hjkmnp-tv-z]{25}")
_BEGINNING = re.compile(r"[0-7][0-9a-hjkmnp-tv-z]{3,24}")
_IN_TEXT = re.compile(r"(?<![0-9A-Za-z])[0-7][0-9a-hjkmnp-tv-z]{25}(?![0-9A-Za-z])")
_SHORTEST = 10  # characters of a short id: they count milliseconds, so memories of a later call begin with others
_RANDOM_BITS = 80
_STEP_BITS = 68  # between ids of one millisecond: they differ within a few characters, and a thousand fit in


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
            self._last = fresh if fresh > self._last else self._last + 1 + secrets.randbits(_STEP_BITS)
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
            "Give an id or its unique beginning; `waypost list` shows them.",
        )
    return candidate


def id_beginning(text: object) -> str:
    """The beginning of an id that a text is, in lower case; empty if it is a whole id or something else."""
    candidate = text.strip().lower() if isinstance(text, str) else ""
    return candidate if _BEGINNING.fullmatch(candidate) else ""


def short_id(memory_id: str, before: str, after: str) -> str:
    """The beginning of an id that no other has. `before` and `after`: its neighbours in alphabetical order."""
    length = _SHORTEST
    while length < ID_LENGTH and any(other.startswith(memory_id[:length]) for other in (before, after)):
        length += 1
    return memory_id[:length]


def ids_in(text: str) -> list[str]:
    """What looks like an id in a text, each once."""
    return list(dict.fromkeys(_IN_TEXT.findall(text)))


def with_short_ids(text: str, short_ids: Mapping[str, str]) -> str:
    """The text with short ids in the place of these ids."""
    return _IN_TEXT.sub(lambda match: short_ids.get(match[0], match[0]), text) if short_ids else text
