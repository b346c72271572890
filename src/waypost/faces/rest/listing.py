"""Pages of a listing that stay as they are while others write."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from waypost.errors import InvalidInput
from waypost.faces.rest.cursors import Cursor
from waypost.flows.references import linked
from waypost.flows.transfer import memory_row
from waypost.memory.reading import Reading
from waypost.memory.whole import Memory
from waypost.model.draft import MAX_LEVEL, check_line, check_whole
from waypost.model.kinds import KEPT_COLLECTIONS, kind_of
from waypost.model.memory import Version
from waypost.model.recall import View
from waypost.model.time import from_micros, to_micros
from waypost.store.protocol import Filter, Reader

_WIDER = 4  # by which a stretch of numbers grows when too few of it are shown


@dataclass(frozen=True, slots=True)
class Asked:
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

    @property
    def chosen(self) -> Filter:
        return Filter(
            (kind_of(self.kind).name,) if self.kind else (),
            None if self.level is None else check_whole(self.level, "level", 0, MAX_LEVEL),
            check_line(self.domain, "domain") if self.domain else None,
            check_line(self.session, "session") if self.session else None,
            tuple(_tag(one) for one in self.tags),
            check_line(self.module, "module") if self.module else None,
        )


def _tag(text: str) -> tuple[str, str]:
    name, mark, value = text.partition("=")
    if not mark or not name or not value:
        raise InvalidInput(f"The tag {name[:40]!r} has no value.", "Write tag=NAME=VALUE.")
    return check_line(name, "tag name"), check_line(value, "tag")


class Shelf(Reading):
    """A memory, read page by page, the newest first."""

    @classmethod
    def of(cls, memory: Memory) -> "Shelf":
        return cls(memory._identity, memory._settings, memory._caller, memory._clock)

    def page(self, asked: Asked, cursor: Cursor | None, limit: int) -> tuple[list[dict[str, Any]], Cursor | None]:
        """The rows of one page, and where the next one begins.

        A later page shows what was known when the first one was asked for: what was written or corrected since moves
        nothing. What was forgotten since is gone.
        """
        chosen, space = asked.chosen, self._current
        pinned: datetime | None = from_micros(cursor.known_at) if cursor else None
        view = self._view("all", asked.as_of, asked.known_at or pinned, archived=asked.archived)
        if asked.kind is None:
            view = replace(view, collections=KEPT_COLLECTIONS)
        began = cursor.known_at if cursor else to_micros(space.clock())
        with space.store.read() as reader:
            found = (
                reader.latest(view, chosen, limit + 1)[::-1]
                if cursor is None
                else _before(reader, view, chosen, cursor.before, limit + 1)
            )
            memories = linked(space, reader, found[:limit])
        following = Cursor(found[limit - 1].number, began) if len(found) > limit else None
        rows = [
            memory_row(one.version, one.state) | {"code_refs": [link.to_json() for link in one.links]}
            for one in (memories[version.number] for version in found[:limit])
        ]
        return rows, following


def _before(reader: Reader, view: View, chosen: Filter, before: int, limit: int) -> list[Version]:
    """The latest so many visible versions with a smaller number, newest first.

    The store reads onwards from a number; so stretches are read, each before the last and wider, until there are enough.
    """
    found: list[Version] = []
    width = limit * 2
    while before > 1 and len(found) < limit:
        start = max(0, before - 1 - width)
        stretch = reader.listing(view, chosen, after=start, limit=before - 1 - start)
        found += [version for version in reversed(stretch) if version.number < before]
        before, width = start + 1, width * _WIDER
    return found[:limit]
