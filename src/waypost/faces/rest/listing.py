"""Pages of memories, and their cursors, which clients send back unchanged.

A cursor holds only numbers and a digest of the query. It grants no access, so it is validated but not signed.
"""

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from waypost.errors import InvalidInput
from waypost.faces.rest.problems import ProblemError
from waypost.memory.facade import Memory
from waypost.model.time import from_micros, to_micros

LONGEST_CURSOR = 200
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


@dataclass(frozen=True, slots=True)
class ListingQuery:
    kind: str | None = None
    level: int | None = None
    domain: str | None = None
    module: str | None = None
    session: str | None = None
    tags: Sequence[str] = ()  # NAME=VALUE
    archived: bool = False
    as_of: str | None = None
    known_at: str | None = None

    def to_json(self) -> Mapping[str, Any]:
        return asdict(self) | {"tags": list(self.tags)}


def page_of(
    memory: Memory, query: ListingQuery, cursor: Cursor | None, limit: int
) -> tuple[list[dict[str, Any]], Cursor | None]:
    """The rows of one page, and the cursor of the next.

    Later pages show the state at the first request, except that forgotten memories are gone.
    """
    pinned: datetime | None = from_micros(cursor.known_at) if cursor else None
    filters = asdict(query) | {"tags": _tags(query.tags), "known_at": query.known_at or pinned}
    page = memory.admin.page(**filters, before=cursor.before if cursor else None, limit=limit)
    began = cursor.known_at if cursor else to_micros(page.known_at)
    return list(page.rows), None if page.before is None else Cursor(page.before, began)


def _tags(texts: Sequence[str]) -> dict[str, str]:
    tags: dict[str, str] = {}
    for name, value in map(_tag, texts):
        if tags.setdefault(name, value) != value:
            raise InvalidInput(f"The tag {name[:40]!r} has two values.", "Ask for one value at a time.")
    return tags


def _tag(text: str) -> tuple[str, str]:
    name, mark, value = text.partition("=")
    if not mark or not name or not value:
        raise InvalidInput(f"The tag {name[:40]!r} has no value.", "Write tag=NAME=VALUE.")
    return name, value
