"""End memories, and reinstate what they had replaced."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from waypost.facts.ageing import has_expired
from waypost.facts.identity import tombstones
from waypost.facts.reinstatement import reinstated_versions
from waypost.facts.validity import Period
from waypost.flows.open_space import OpenSpace
from waypost.flows.versions.current import audit, current_versions, nothing_new
from waypost.flows.versions.prepare import put
from waypost.flows.write.conflicts import end_conflicts
from waypost.model.memory import Caller, State, Version
from waypost.retrieve.passages import passages_of
from waypost.store.protocol import Reader, Writer

SUPERSEDES = "supersedes"


def end_versions(
    space: OpenSpace, writer: Writer, versions: Sequence[Version], caller: Caller, key: bytes, now: datetime
) -> list[str]:
    """End these versions. Returns the ids of memories that are valid again because one of these had replaced them."""
    regions: dict[str, list[Period]] = {}
    for version in versions:
        writer.memories.supersede(version.number, now)
        regions.setdefault(version.memory_id, []).append(version.period)
    end_conflicts(writer, regions)
    reinstated: dict[str, None] = {}
    for memory_id, region in regions.items():
        if not current_versions(writer, memory_id):  # one that goes on holding was only cut
            reinstated |= dict.fromkeys(
                _reinstate_replaced(space, writer, memory_id, region, caller, key, now, {memory_id})
            )
    return list(reinstated)


def _reinstate_replaced(
    space: OpenSpace,
    writer: Writer,
    ended: str,
    region: Sequence[Period],
    caller: Caller,
    key: bytes,
    now: datetime,
    seen: set[str],
) -> list[str]:
    """Reinstate what `ended` had replaced for that time. If that is ended itself, reinstate what it had replaced."""
    reinstated = []
    for memory_id in replaced_ids(writer, ended):
        if memory_id in seen:
            continue
        if _reinstate(space, writer, memory_id, region, key, now):
            audit(space, writer, "reinstate", memory_id, caller, {"replaced_by": ended})
            reinstated.append(memory_id)
        elif not current_versions(writer, memory_id):
            reinstated += _reinstate_replaced(space, writer, memory_id, region, caller, key, now, seen | {memory_id})
    return reinstated


def _reinstate(
    space: OpenSpace, writer: Writer, memory_id: str, region: Sequence[Period], key: bytes, now: datetime
) -> bool:
    versions = writer.memories.versions(memory_id)
    state = writer.memories.states([memory_id]).get(memory_id, State())
    if not versions or (has_expired(state, now) and state.on_expire == "delete"):
        return False
    taken = [*periods_replaced(writer, memory_id), *(same.period for same in with_same_value(writer, versions[-1]))]
    returning = reinstated_versions(versions, _replaced_at(writer, memory_id), region, taken)
    if any(writer.tombstones.matching(tombstones(key, version)) for version in returning.versions):
        return False
    for version in returning.absorbed:
        writer.memories.supersede(version.number, now)
    for version in returning.versions:
        store_again(space, writer, version, now)
    return bool(returning.versions)


def store_again(space: OpenSpace, writer: Writer, version: Version, now: datetime) -> None:
    """Write a version once more as it was. A key that another memory has by now stays there."""
    owner = writer.memories.with_key(version.key) if version.key is not None else None
    key = version.key if owner is None or owner.memory_id == version.memory_id else None
    again = replace(version, recorded_at=now, superseded_at=None, key=key)
    put(writer, again, passages_of(again), nothing_new(space, writer))


def replaced_ids(reader: Reader, memory_id: str) -> list[str]:
    return sorted(
        {
            edge.to_id
            for edge in reader.edges.of_memory(memory_id)
            if (edge.kind, edge.from_id) == (SUPERSEDES, memory_id)
        }
    )


def replacer_ids(reader: Reader, memory_id: str) -> list[str]:
    """Ids of the memories that replaced this one, transitively."""
    ids: dict[str, None] = {}
    queue = [memory_id]
    while queue:
        above = queue.pop()
        for edge in reader.edges.of_memory(above):
            if edge.kind == SUPERSEDES and edge.to_id == above and edge.from_id not in (*ids, memory_id):
                ids[edge.from_id] = None
                queue.append(edge.from_id)
    return list(ids)


def periods_replaced(reader: Reader, memory_id: str) -> list[Period]:
    """The periods in which others are valid in its place."""
    return [version.period for other in replacer_ids(reader, memory_id) for version in current_versions(reader, other)]


def with_same_value(reader: Reader, version: Version) -> list[Version]:
    """The current versions of other memories with the same value."""
    return [
        same
        for same in reader.memories.with_fingerprint(version.fingerprint)
        if same.superseded_at is None and same.memory_id != version.memory_id
    ]


def _replaced_at(reader: Reader, memory_id: str) -> set[datetime]:
    """When memories that are ended now took its place, for the first time or after a restore."""
    moments: set[datetime] = set()
    for edge in reader.edges.of_memory(memory_id):
        if edge.kind == SUPERSEDES and edge.to_id == memory_id and not current_versions(reader, edge.from_id):
            moments |= set(_beginnings(reader.memories.versions(edge.from_id)))
            moments |= {edge.made_at} if edge.made_at is not None else set()
    return moments


def _beginnings(versions: Sequence[Version]) -> Iterator[datetime]:
    for place, version in enumerate(versions):
        if all(
            earlier.superseded_at is not None and earlier.superseded_at < version.recorded_at
            for earlier in versions[:place]
        ):
            yield version.recorded_at
