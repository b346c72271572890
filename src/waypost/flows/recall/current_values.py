"""One current value in an answer: of memories that contradict each other, the one that counts speaks for all."""

from collections.abc import Sequence
from dataclasses import replace

from waypost.flows.links.hits import hit_of
from waypost.flows.links.staleness import looked_at
from waypost.flows.open_space import OpenSpace
from waypost.flows.versions.conflicts import COMPARED_KINDS, conflicts_of
from waypost.model.recall import Hit
from waypost.model.time import Moment
from waypost.store.protocol import Reader


def with_current_values(space: OpenSpace, reader: Reader, hits: Sequence[Hit], moment: Moment) -> list[Hit]:
    """The hits, with each conflict as one hit: the memory that counts, at the best place that one of them has."""
    own = [hit.id for hit in hits if hit.project is None and hit.kind in COMPARED_KINDS]
    conflicts = conflicts_of(reader, own, moment)
    if not conflicts:
        return list(hits)
    by_id = {hit.id: hit for hit in hits}
    current: dict[str, Hit] = {}
    for hit in hits:
        conflict = conflicts.get(hit.id) if hit.project is None else None
        if conflict is None:
            current[hit.id] = hit
        elif conflict.id not in current:
            first = by_id.get(conflict.id) or _hit_in_place_of(space, reader, conflict.id, hit, moment)
            certainty = max((each.certainty for each in (first, hit) if each.certainty is not None), default=None)
            best = max(first.score, hit.score)
            current[conflict.id] = replace(first, score=best, certainty=certainty, conflict=conflict)
    return list(current.values())


def _hit_in_place_of(space: OpenSpace, reader: Reader, memory_id: str, hit: Hit, moment: Moment) -> Hit:
    version = reader.memories.version(memory_id, moment)
    if version is None:
        return hit
    current = hit_of(looked_at(space, reader, [version])[version.number], hit.score, dict(hit.why))
    return replace(current, evidence=hit.evidence, certainty=hit.certainty)
