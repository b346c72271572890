"""Ending memories, and giving what they had replaced its place back."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from waypost.facts.ageing import has_run_out
from waypost.facts.identity import tombstones
from waypost.facts.succession import what_returns
from waypost.facts.validity import Period
from waypost.flows.open_space import OpenSpace
from waypost.flows.recall.versions import audit, held_versions, nothing_new
from waypost.flows.write.prepare import put
from waypost.model.memory import Caller, State, Version
from waypost.retrieve.passages import passages_of
from waypost.store.protocol import Reader, Writer

SUPERSEDES = "supersedes"


def end(
    space: OpenSpace, writer: Writer, held: Sequence[Version], caller: Caller, key: bytes, now: datetime
) -> list[str]:
    """Hold these versions no longer. Returns the memories that hold again because one of these had replaced them."""
    regions: dict[str, list[Period]] = {}
    for version in held:
        writer.memories.supersede(version.number, now)
        regions.setdefault(version.memory_id, []).append(version.period)
    back: dict[str, None] = {}
    for memory_id, region in regions.items():
        if not held_versions(writer, memory_id):  # one that goes on holding was only cut
            back |= dict.fromkeys(_give_back(space, writer, memory_id, region, caller, key, now, {memory_id}))
    return list(back)


def _give_back(
    space: OpenSpace,
    writer: Writer,
    ended: str,
    region: Sequence[Period],
    caller: Caller,
    key: bytes,
    now: datetime,
    seen: set[str],
) -> list[str]:
    """What `ended` had replaced holds again for that time. Where that was retracted or rejected itself, what it had
    replaced does."""
    back = []
    for memory_id in replaced_by(writer, ended):
        if memory_id in seen:
            continue
        if _hold_again(space, writer, memory_id, region, key, now):
            audit(space, writer, "reinstate", memory_id, caller, {"replaced_by": ended})
            back.append(memory_id)
        elif not held_versions(writer, memory_id):
            back += _give_back(space, writer, memory_id, region, caller, key, now, seen | {memory_id})
    return back


def _hold_again(
    space: OpenSpace, writer: Writer, memory_id: str, region: Sequence[Period], key: bytes, now: datetime
) -> bool:
    versions = writer.memories.versions(memory_id)
    state = writer.memories.states([memory_id]).get(memory_id, State())
    if not versions or (has_run_out(state, now) and state.on_expire == "delete"):
        return False
    taken = [*taken_from(writer, memory_id), *said_elsewhere(writer, versions[-1])]
    found = what_returns(versions, _replaced_at(writer, memory_id), region, taken)
    if any(writer.tombstones.matching(tombstones(key, version)) for version in found.versions):
        return False
    for version in found.absorbed:
        writer.memories.supersede(version.number, now)
    for version in found.versions:
        put_again(space, writer, version, now)
    return bool(found.versions)


def put_again(space: OpenSpace, writer: Writer, version: Version, now: datetime) -> None:
    """Write a version once more, as it was: its author, places and all. A key that another has meanwhile stays there."""
    owner = writer.memories.with_key(version.key) if version.key is not None else None
    key = version.key if owner is None or owner.memory_id == version.memory_id else None
    again = replace(version, recorded_at=now, superseded_at=None, key=key)
    put(writer, again, passages_of(again), nothing_new(space, writer))


def replaced_by(reader: Reader, memory_id: str) -> list[str]:
    """The memories that this one replaced."""
    return sorted(
        {
            edge.to_id
            for edge in reader.edges.of_memory(memory_id)
            if (edge.kind, edge.from_id) == (SUPERSEDES, memory_id)
        }
    )


def replacers(reader: Reader, memory_id: str) -> list[str]:
    """The memories that replaced this one, and those that replaced them, and so on."""
    found: dict[str, None] = {}
    queue = [memory_id]
    while queue:
        above = queue.pop()
        for edge in reader.edges.of_memory(above):
            if edge.kind == SUPERSEDES and edge.to_id == above and edge.from_id not in (*found, memory_id):
                found[edge.from_id] = None
                queue.append(edge.from_id)
    return list(found)


def taken_from(reader: Reader, memory_id: str) -> list[Period]:
    """The time for which others hold in its place."""
    return [version.period for other in replacers(reader, memory_id) for version in held_versions(reader, other)]


def said_elsewhere(reader: Reader, version: Version) -> list[Period]:
    """The time for which another memory says the same."""
    return [
        same.period
        for same in reader.memories.with_fingerprint(version.fingerprint)
        if same.superseded_at is None and same.memory_id != version.memory_id
    ]


def _replaced_at(reader: Reader, memory_id: str) -> set[datetime]:
    """When memories of which nothing holds any more took its place: for the first time, and when they were restored."""
    found: set[datetime] = set()
    for edge in reader.edges.of_memory(memory_id):
        if edge.kind == SUPERSEDES and edge.to_id == memory_id and not held_versions(reader, edge.from_id):
            found |= set(_beginnings(reader.memories.versions(edge.from_id)))
            found |= {edge.made_at} if edge.made_at is not None else set()
    return found


def _beginnings(versions: Sequence[Version]) -> Iterator[datetime]:
    """When a memory began to hold, or held again after nothing of it did."""
    for place, version in enumerate(versions):
        if all(one.superseded_at is not None and one.superseded_at < version.recorded_at for one in versions[:place]):
            yield version.recorded_at
