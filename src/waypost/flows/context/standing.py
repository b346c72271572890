"""What people stated for every task: rules about the whole project (level 0), and preferences."""

from collections.abc import Mapping

from waypost.context.render import BriefingEntry
from waypost.flows.links.hits import hit_of
from waypost.flows.links.staleness import looked_at
from waypost.flows.open_space import OpenSpace
from waypost.model.recall import Hit, View
from waypost.store.protocol import Filter, Reader

MOST_STANDING = 200  # of each sort, the latest
EXTRACTOR = "extractor"  # the source of first facts about a project
_MATCHES = 0.6  # the score of a memory that is about the task


def standing_rules(
    space: OpenSpace, reader: Reader, view: View, scores: Mapping[str, float], most: int = MOST_STANDING
) -> list[BriefingEntry]:
    """Rules, then preferences: those about the task first, then people's before agents', the newest first."""
    rules = [hit for hit in latest_hits(space, reader, view, Filter(level=0), most) if hit.source != EXTRACTOR]
    preferences = latest_hits(space, reader, view, Filter(kinds=("preference",)), most)

    def order(hit: Hit) -> tuple[bool, bool]:
        return scores.get(hit.id, 0.0) < _MATCHES, hit.source != "person"

    entries: dict[str, BriefingEntry] = {}
    for section, hits in (("rules", rules), ("preferences", preferences)):
        for hit in sorted(hits, key=order):  # stable: equal ones keep their order
            entries.setdefault(hit.id, BriefingEntry(section, hit))
    return list(entries.values())


def latest_hits(space: OpenSpace, reader: Reader, view: View, chosen: Filter, limit: int) -> list[Hit]:
    """The newest first, compared with the tree."""
    versions = reader.memories.latest(view, chosen, limit)
    memories = looked_at(space, reader, versions)
    return [hit_of(memories[version.number], 1.0, {}) for version in reversed(versions)]
