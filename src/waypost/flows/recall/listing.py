"""Pages of a listing, the newest first, that stay as they are while others write."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from waypost.flows.links.staleness import linked
from waypost.flows.move.export import memory_row
from waypost.flows.open_space import OpenSpace
from waypost.model.memory import Version
from waypost.model.recall import View
from waypost.store.protocol import Filter, Reader

_WIDER = 4  # by which a stretch of numbers grows when too few of it are shown
_WIDEST = 16_384  # numbers of one stretch: no more memories than that are held at a time, wherever a page begins


@dataclass(frozen=True, slots=True)
class ListingPage:
    """`before`: the number that the next page stays below; None where there is none. `known_at`: when the first page was
    asked for; given to all, they show what was known then."""

    rows: tuple[dict[str, Any], ...]
    before: int | None
    known_at: datetime


def page(
    space: OpenSpace, view: View, chosen: Filter, limit: int, before: int | None, known_at: datetime
) -> ListingPage:
    """At most `limit` memories with a number below `before`, or the newest."""
    with space.store.read() as reader:
        if before is None:
            versions = reader.latest(view, chosen, limit + 1)[::-1]
        else:
            versions = _before(reader, view, chosen, min(before, reader.last_number() + 1), limit + 1)
        memories = linked(space, reader, versions[:limit])
    rows = tuple(
        memory_row(memory.version, memory.state) | {"code_refs": [link.to_json() for link in memory.links]}
        for memory in (memories[version.number] for version in versions[:limit])
    )
    return ListingPage(rows, versions[limit - 1].number if len(versions) > limit else None, known_at)


def _before(reader: Reader, view: View, chosen: Filter, before: int, limit: int) -> list[Version]:
    """The latest so many visible versions with a smaller number, newest first.

    The store reads onwards from a number; so stretches are read, each before the last and wider, until there are enough.
    """
    versions: list[Version] = []
    width = limit * 2
    while before > 1 and len(versions) < limit:
        start = max(0, before - 1 - width)
        stretch = reader.listing(view, chosen, after=start, limit=before - 1 - start)
        versions += [version for version in reversed(stretch) if version.number < before]
        before, width = start + 1, min(width * _WIDER, _WIDEST)
    return versions[:limit]
