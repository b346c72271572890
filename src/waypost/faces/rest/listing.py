"""Pages of a listing, as an address asks for them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from waypost.errors import InvalidInput
from waypost.faces.rest.cursors import Cursor
from waypost.memory.facade import Memory
from waypost.model.time import from_micros, to_micros


@dataclass(frozen=True, slots=True)
class ListingQuery:
    """Which memories a page shows."""

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
        return {
            "kind": self.kind, "level": self.level, "domain": self.domain, "module": self.module,
            "session": self.session, "tags": list(self.tags), "archived": self.archived,
            "as_of": self.as_of, "known_at": self.known_at,
        }  # fmt: skip


def page_of(
    memory: Memory, asked: ListingQuery, cursor: Cursor | None, limit: int
) -> tuple[list[dict[str, Any]], Cursor | None]:
    """The rows of one page, and where the next one begins.

    A later page shows what was known when the first one was asked for: what was written or corrected since moves
    nothing. What was forgotten since is gone.
    """
    pinned: datetime | None = from_micros(cursor.known_at) if cursor else None
    found = memory.admin.page(
        kind=asked.kind,
        level=asked.level,
        domain=asked.domain,
        module=asked.module,
        session=asked.session,
        tags=_tags(asked.tags),
        archived=asked.archived,
        as_of=asked.as_of,
        known_at=asked.known_at or pinned,
        before=cursor.before if cursor else None,
        limit=limit,
    )
    began = cursor.known_at if cursor else to_micros(found.known_at)
    return list(found.rows), None if found.before is None else Cursor(found.before, began)


def _tags(texts: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in map(_tag, texts):
        if found.setdefault(name, value) != value:
            raise InvalidInput(f"The tag {name[:40]!r} has two values.", "A memory has one; ask for them one by one.")
    return found


def _tag(text: str) -> tuple[str, str]:
    name, mark, value = text.partition("=")
    if not mark or not name or not value:
        raise InvalidInput(f"The tag {name[:40]!r} has no value.", "Write tag=NAME=VALUE.")
    return name, value
