"""Pages of memories."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from waypost.errors import InvalidInput
from waypost.faces.rest.cursors import Cursor
from waypost.memory.facade import Memory
from waypost.model.time import from_micros, to_micros


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
