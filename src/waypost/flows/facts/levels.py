"""Levels of facts: 0 is the project, 1 its domains, 2 their modules, 3 code. Move facts, and list subtrees."""

from dataclasses import dataclass, replace
from typing import Any

from waypost.errors import InvalidInput, NotFound, Refused
from waypost.facts.validity import overlap
from waypost.flows.links.staleness import linked
from waypost.flows.open_space import OpenSpace
from waypost.flows.versions.authority import refuse_outranked
from waypost.flows.versions.current import audit, current_versions, nothing_new, refuse_derived, visible_version
from waypost.flows.versions.prepare import prepare_version, put
from waypost.flows.versions.row import memory_row
from waypost.flows.write.reinstate import with_same_value
from waypost.model.draft import MAX_LEVEL, Draft, check_line, check_whole
from waypost.model.ids import check_id
from waypost.model.kinds import KINDS
from waypost.model.memory import PARENT, Caller, Version
from waypost.model.recall import View
from waypost.model.receipt import Receipt
from waypost.model.time import Moment
from waypost.store.protocol import Edge, Reader

_DEEPEST = 100
_MOST_BELOW = 10_000


@dataclass(frozen=True, slots=True)
class FactPlace:
    """A place in the hierarchy. None leaves a value as it is."""

    level: int | None = None
    parent: str | None = None
    domain: str | None = None
    module: str | None = None

    @classmethod
    def of(cls, level: int | None, parent: str | None, domain: str | None, module: str | None) -> "FactPlace":
        if level is None and parent is None and domain is None and module is None:
            raise InvalidInput("Nothing says where it should stand.", "Give a level, a parent, a domain or a module.")
        return cls(
            None if level is None else check_whole(level, "level", 0, MAX_LEVEL),
            check_id(parent) if parent else parent,
            check_line(domain, "domain") if domain else domain,
            check_line(module, "module") if module else module,
        )

    def on(self, version: Version) -> Version:
        details = dict(version.details)
        if self.parent is not None:
            details.pop(PARENT, None)
            details |= {PARENT: self.parent} if self.parent else {}
        return replace(
            version,
            level=version.level if self.level is None else self.level,
            domain=version.domain if self.domain is None else self.domain,
            module=version.module if self.module is None else self.module,
            details=details,
        )


def promote(space: OpenSpace, memory_id: str, place: FactPlace, caller: Caller) -> Receipt:
    """Move a fact to another place. Its text stays, and its history keeps the old place."""
    memory_id = check_id(memory_id)
    key = space.tombstone_key()
    with space.store.write() as writer:
        now = space.clock()
        current = visible_version(writer, memory_id, Moment(now))
        refuse_derived(current)
        if KINDS[current.kind].is_journal:
            raise InvalidInput("Entries of the journal have no level.", "`waypost remember` a fact about it.")
        if place.on(current) == current:
            return Receipt(memory_id, "duplicate", current.key, reason="it already stands there")
        _check_place(writer, place.on(current), Moment(now), is_new_parent=bool(place.parent))
        before = current_versions(writer, memory_id)
        refuse_outranked(caller, before, "give it another place")
        moved = [replace(place.on(version), recorded_at=now) for version in before]
        items = [prepare_version(Draft(version.text, kind=version.kind), version, (), key) for version in moved]
        if writer.tombstones.matching([item.tombstone for item in items]):
            raise Refused("This value was rejected in that domain.", "A person can lift that.")
        for version, item in zip(before, items, strict=True):
            if item.version.domain != version.domain:
                for same in with_same_value(writer, item.version):
                    if overlap(same.period, item.version.period):
                        raise InvalidInput(f"{same.memory_id} says exactly this there.", "Retract one of them.")
        for version, item in zip(before, items, strict=True):
            writer.memories.supersede(version.number, now)
            put(writer, item.version, item.passages, nothing_new(space, writer))
        if place.parent:
            writer.edges.add(Edge("contains", place.parent, memory_id, made_at=now))
        stands = {"level": place.level, "parent": place.parent, "domain": place.domain is not None}
        audit(space, writer, "promote", memory_id, caller, {k: v for k, v in stands.items() if v is not None})
    return Receipt(memory_id, "added", current.key, reason=_change_text(current, place), replaces=memory_id)


def _change_text(before: Version, place: FactPlace) -> str:
    after = place.on(before)
    if after.level == before.level:
        return f"it stands on level {after.level}"
    way = "promoted" if (after.level or 0) < (before.level or 0) else "demoted"
    return f"{way} from level {before.level} to {after.level}"


def _check_place(reader: Reader, moved: Version, moment: Moment, *, is_new_parent: bool) -> None:
    """A fact must be under one of its own or a more general level, and never under itself.

    `is_new_parent`: the parent must exist.
    """
    above, seen = moved.parent, {moved.memory_id}
    for _ in range(_DEEPEST):
        if above is None:
            break
        if above in seen:
            raise InvalidInput("It would stand under itself.", "Move the other one out first (--parent none).")
        seen.add(above)
        try:
            parent = visible_version(reader, above, moment)
        except NotFound:
            if is_new_parent and above == moved.parent:
                raise
            break  # an ancestor is gone: the chain ends there
        if above == moved.parent and (parent.level or 0) > (moved.level or 0):
            raise InvalidInput(
                f"Level {moved.level} cannot stand under level {parent.level}.", "Choose another level or parent."
            )
        above = parent.parent
    for child in reader.facts.children([moved.memory_id], View(moment)):
        if child.level is not None and child.level < (moved.level or 0):
            raise InvalidInput(
                f"{child.memory_id} stands under it on level {child.level}.",
                "Move that one first, or choose its level.",
            )


def subtree(space: OpenSpace, memory_id: str, view: View, *, depth: int = _DEEPEST) -> list[dict[str, Any]]:
    """A fact and everything below it, depth first, with depths."""
    memory_id = check_id(memory_id)
    check_whole(depth, "depth", 0, _DEEPEST)
    with space.store.read() as reader:
        root = visible_version(reader, memory_id, view.moment)
        below = _below(reader, root, view, depth)
        order = list(_walk(root, 0, below))
        memories = linked(space, reader, [version for version, _ in order])
    return [memory_row(version, memories[version.number].state) | {"depth": deep} for version, deep in order]


def _below(reader: Reader, root: Version, view: View, depth: int) -> dict[str, list[Version]]:
    below: dict[str, list[Version]] = {}
    seen, generation = {root.memory_id}, [root.memory_id]
    for _ in range(depth):
        children = [v for v in reader.facts.children(generation, view) if v.memory_id not in seen][
            : _MOST_BELOW - len(seen)
        ]
        if not children:
            break
        for version in children:
            below.setdefault(version.parent or "", []).append(version)
        generation = [version.memory_id for version in children]
        seen.update(generation)
    return below


def _walk(version: Version, depth: int, below: dict[str, list[Version]]) -> list[tuple[Version, int]]:
    ordered = [(version, depth)]
    for child in below.get(version.memory_id, ()):
        ordered += _walk(child, depth + 1, below)
    return ordered


def family(reader: Reader, version: Version, view: View) -> tuple[Version | None, list[Version]]:
    parent = reader.memories.version(version.parent, view.moment) if version.parent else None
    return parent, reader.facts.children([version.memory_id], view)
