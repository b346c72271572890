"""Undecided conflicts: memories that contradict each other, and which of them counts."""

from collections.abc import Iterable, Mapping, Sequence

from waypost.model.memory import EarlierValue, ValueConflict, Version
from waypost.model.time import Moment
from waypost.store.protocol import Edge, Reader

CONFLICTS = "conflicts"  # the kind of an edge from the fact that counts to the one that it contradicts
COMPARED_KINDS = frozenset(("fact", "decision", "constraint", "learning"))
_MOST_STEPS = 8  # of conflicts that lead to further conflicts
_SURELY = 1.0  # they were similar enough when the conflict was recorded


def conflict_edges(reader: Reader, memory_ids: Iterable[str]) -> list[Edge]:
    return reader.edges.of_kinds(list(memory_ids), [CONFLICTS])


def conflicts_of(reader: Reader, memory_ids: Iterable[str], moment: Moment) -> dict[str, ValueConflict]:
    """The undecided conflict of each of these memories that has one, and of the memories in it."""
    edges = _connected(reader, memory_ids, moment)
    if not edges:
        return {}
    ids = {memory_id for edge in edges for memory_id in (edge.from_id, edge.to_id)}
    versions = {memory_id: version for memory_id in ids if (version := reader.memories.version(memory_id, moment))}
    edges = [edge for edge in edges if edge.from_id in versions and edge.to_id in versions]
    groups: dict[str, list[str]] = {}
    for memory_id in {memory_id for edge in edges for memory_id in (edge.from_id, edge.to_id)}:
        groups.setdefault(_first(memory_id, edges, versions), []).append(memory_id)
    conflicts: dict[str, ValueConflict] = {}
    for first, members in groups.items():
        others = [versions[memory_id] for memory_id in members if memory_id != first]
        if others:
            conflict = _conflict(versions[first], others)
            conflicts |= dict.fromkeys(members, conflict)
    return conflicts


def _connected(reader: Reader, memory_ids: Iterable[str], moment: Moment) -> list[Edge]:
    """All conflicts of these memories, and those of the memories that they conflict with."""
    edges: dict[tuple[str, str], Edge] = {}
    new = set(memory_ids)
    for _ in range(_MOST_STEPS):
        more = [edge for edge in conflict_edges(reader, new) if edge.is_known_at(moment.known_at)] if new else []
        read = {memory_id for pair in edges for memory_id in pair} | new
        edges |= {(edge.from_id, edge.to_id): edge for edge in more}
        new = {memory_id for edge in more for memory_id in (edge.from_id, edge.to_id)} - read
        if not new:
            break
    return list(edges.values())


def _first(memory_id: str, edges: Sequence[Edge], versions: Mapping[str, Version]) -> str:
    """The memory that counts before this one: from conflict to conflict, the newest each time."""
    seen = {memory_id}
    while True:
        before = {edge.from_id for edge in edges if edge.to_id == memory_id} - seen
        if not before:
            return memory_id
        memory_id = max(before, key=lambda other: (versions[other].valid_from, versions[other].number))
        seen.add(memory_id)


def _conflict(first: Version, others: Sequence[Version]) -> ValueConflict:
    newest_first = sorted(others, key=lambda version: (version.valid_from, version.number), reverse=True)
    values = [_values(first, other) for other in newest_first]
    earlier = tuple(
        EarlierValue(other.memory_id, value, other.text, other.valid_from, other.source)
        for other, (_, value) in zip(newest_first, values, strict=True)
    )
    return ValueConflict(first.memory_id, values[0][0], first.valid_from, earlier)


def _values(first: Version, other: Version) -> tuple[str, str]:
    """What the two state differently, or their texts if a value alone says something else: "Thursdays, never on Fridays"."""
    from waypost.facts.contradictions import contradiction  # reads word lists; few answers have conflicts
    from waypost.facts.lexicon import LANGUAGES
    from waypost.facts.wordings import negates

    is_newer = (first.valid_from, first.number) >= (other.valid_from, other.number)
    texts = (other.text, first.text) if is_newer else (first.text, other.text)
    difference = contradiction(*texts, _SURELY)
    if difference is None or difference.current == difference.former:
        return first.text, other.text
    newer, older = difference.current, difference.former
    languages = [version.language if version.language in LANGUAGES else "en" for version in (first, other)]
    if negates(first.text, languages[0]) or negates(other.text, languages[1]):
        return first.text, other.text
    return (newer, older) if is_newer else (older, newer)
