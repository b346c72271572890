"""Memories linked with another one: its parent and children, causes and effects, what it replaced, what is similar."""

from collections.abc import Iterable
from dataclasses import dataclass

from waypost.flows.open_space import OpenSpace
from waypost.flows.versions.current import visible_version
from waypost.model.ids import check_id
from waypost.model.kinds import KEPT_COLLECTIONS
from waypost.model.memory import Version
from waypost.model.recall import View
from waypost.model.time import Moment
from waypost.store.protocol import Reader

_MOST = 200
_CONTAINS = "contains"  # also kept for former parents; the version knows the current one


@dataclass(frozen=True, slots=True)
class RelatedMemory:
    """Another memory, and the link to it. The link leads there (`outgoing`), or from there."""

    kind: str  # "parent", "child", or the kind of an edge
    outgoing: bool
    version: Version
    is_current: bool
    strength: float = 1.0


def related(space: OpenSpace, memory_id: str) -> tuple[RelatedMemory, ...]:
    """Everything one link away. Raises NotFound when the memory is not there."""
    memory_id = check_id(memory_id)
    view = View(Moment(space.clock()), KEPT_COLLECTIONS, space.identity.checkout_id)
    with space.store.read() as reader:
        version = _latest(reader, memory_id, view)
        wanted = [("parent", True, version.parent, 1.0)] if version.parent else []
        for edge in (edge for edge in reader.edges.of_memory(memory_id) if edge.kind != _CONTAINS):
            other = edge.to_id if edge.from_id == memory_id else edge.from_id
            wanted.append((edge.kind, edge.from_id == memory_id, other, edge.strength))
        wanted = wanted[:_MOST]
        versions = _versions(reader, {other for _, _, other, _ in wanted}, view)
        memories = [
            RelatedMemory(kind, outgoing, versions[other][0], versions[other][1], strength)
            for kind, outgoing, other, strength in wanted
            if other in versions
        ]
        memories += [
            RelatedMemory("child", True, child, True) for child in reader.facts.children([memory_id], view)[:_MOST]
        ]
    return tuple(memories)


def _latest(reader: Reader, memory_id: str, view: View) -> Version:
    """The current version, or the last one."""
    versions = reader.memories.versions(memory_id)
    return versions[-1] if versions else visible_version(reader, memory_id, view.moment)


def _versions(reader: Reader, memory_ids: Iterable[str], view: View) -> dict[str, tuple[Version, bool]]:
    current = reader.memories.visible(memory_ids, view)
    by_id = {memory_id: (version, True) for memory_id, version in current.items()}
    for memory_id in memory_ids:
        if memory_id not in by_id and (versions := reader.memories.versions(memory_id)):
            by_id[memory_id] = (versions[-1], False)
    return by_id
