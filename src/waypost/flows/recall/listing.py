"""Pages of a listing, newest first. They stay the same while others write."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from waypost.flows.links.staleness import linked
from waypost.flows.open_space import OpenSpace
from waypost.flows.versions.conflicts import conflicts_of
from waypost.flows.versions.row import memory_row
from waypost.model.memory import Version
from waypost.model.recall import View
from waypost.store.protocol import Filter, Reader

_WIDER = 4  # factor by which the range of numbers grows if too few of it are visible
_WIDEST = 16_384  # numbers in one range: limits the memories that are loaded at once


@dataclass(frozen=True, slots=True)
class ListingPage:
    """One page. Pass `before` to get the next page; the last page has no `before`. Pass `known_at` to all pages of a listing:
    so they show what was known when the first was requested."""

    rows: tuple[dict[str, Any], ...]
    before: int | None
    known_at: datetime


def page(
    space: OpenSpace, view: View, chosen: Filter, limit: int, before: int | None, known_at: datetime
) -> ListingPage:
    """At most `limit` memories with a number below `before`, or the newest."""
    with space.store.read() as reader:
        if before is None:
            versions = reader.memories.latest(view, chosen, limit + 1)[::-1]
        else:
            versions = _before(reader, view, chosen, min(before, reader.memories.last_number() + 1), limit + 1)
        memories = linked(space, reader, versions[:limit])
        conflicts = conflicts_of(reader, [version.memory_id for version in versions[:limit]], view.moment)
    rows = tuple(
        memory_row(memory.version, memory.state)
        | {"code_refs": [link.to_json() for link in memory.links]}
        | ({"conflict": conflicts[memory.id].to_json()} if memory.id in conflicts else {})
        for memory in (memories[version.number] for version in versions[:limit])
    )
    return ListingPage(rows, versions[limit - 1].number if len(versions) > limit else None, known_at)


def _before(reader: Reader, view: View, chosen: Filter, before: int, limit: int) -> list[Version]:
    """The latest `limit` visible versions with a smaller number, newest first.

    The store only reads forward from a number. So ranges are read backwards, each wider, until there are enough.
    """
    versions: list[Version] = []
    width = limit * 2
    while before > 1 and len(versions) < limit:
        start = max(0, before - 1 - width)
        stretch = reader.memories.listing(view, chosen, after=start, limit=before - 1 - start)
        versions += [version for version in reversed(stretch) if version.number < before]
        before, width = start + 1, min(width * _WIDER, _WIDEST)
    return versions[:limit]
