"""Pages of a listing, the newest first, that stay as they are while others write."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from waypost.flows.links.staleness import linked
from waypost.flows.open_space import OpenSpace
from waypost.flows.versions.row import memory_row
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
            found = reader.memories.latest(view, chosen, limit + 1)[::-1]
        else:
            found = _before(reader, view, chosen, min(before, reader.memories.last_number() + 1), limit + 1)
        memories = linked(space, reader, found[:limit])
    rows = tuple(
        memory_row(one.version, one.state) | {"code_refs": [link.to_json() for link in one.links]}
        for one in (memories[version.number] for version in found[:limit])
    )
    return ListingPage(rows, found[limit - 1].number if len(found) > limit else None, known_at)


def _before(reader: Reader, view: View, chosen: Filter, before: int, limit: int) -> list[Version]:
    """The latest so many visible versions with a smaller number, newest first.

    The store reads onwards from a number; so stretches are read, each before the last and wider, until there are enough.
    """
    found: list[Version] = []
    width = limit * 2
    while before > 1 and len(found) < limit:
        start = max(0, before - 1 - width)
        stretch = reader.memories.listing(view, chosen, after=start, limit=before - 1 - start)
        found += [version for version in reversed(stretch) if version.number < before]
        before, width = start + 1, min(width * _WIDER, _WIDEST)
    return found[:limit]
