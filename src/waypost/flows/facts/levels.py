"""The tree of facts: level 0 is the project, 1 its domains, 2 their modules, 3 code. Moving in it, and walking down."""

from dataclasses import dataclass, replace
from typing import Any

from waypost.errors import InvalidInput, NotFound, Refused
from waypost.facts.validity import overlap
from waypost.flows.links.staleness import linked
from waypost.flows.move.export import memory_row
from waypost.flows.open_space import OpenSpace
from waypost.flows.recall.versions import audit, held_versions, nothing_new, refuse_derived, visible_version
from waypost.flows.write.authority import refuse_outranked
from waypost.flows.write.prepare import finish, put
from waypost.model.draft import MAX_LEVEL, Draft, check_line, check_whole
from waypost.model.ids import check_id
from waypost.model.kinds import KINDS
from waypost.model.memory import PARENT, Caller, Version
from waypost.model.recall import View
from waypost.model.receipt import Receipt
from waypost.model.time import Moment
from waypost.store.protocol import Edge, Reader

NOWHERE = ""  # as a parent, a domain or a module: none from now on
_DEEPEST = 100
_MOST_BELOW = 10_000


@dataclass(frozen=True, slots=True)
class FactPlace:
    """Where a fact stands; None leaves it as it is."""

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
    """Give a fact another place. Its words stay; where it stood before stays in its history."""
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
        _check_place(writer, place.on(current), Moment(now), told=bool(place.parent))
        held = held_versions(writer, memory_id)
        refuse_outranked(caller, held, "give it another place")
        moved = [replace(place.on(version), recorded_at=now) for version in held]
        items = [finish(Draft(one.text, kind=one.kind), one, (), key) for one in moved]
        if writer.tombstones.matching([item.tombstone for item in items]):
            raise Refused("This value was rejected in that domain.", "A person can lift that.")
        for version, item in zip(held, items, strict=True):
            if item.version.domain != version.domain:
                _refuse_double(writer, item.version)
        for version, item in zip(held, items, strict=True):
            writer.memories.supersede(version.number, now)
            put(writer, item.version, item.passages, nothing_new(space, writer))
        if place.parent:
            writer.edges.add(Edge("contains", place.parent, memory_id, made_at=now))
        stands = {"level": place.level, "parent": place.parent, "domain": place.domain is not None}
        audit(space, writer, "promote", memory_id, caller, {k: v for k, v in stands.items() if v is not None})
    return Receipt(memory_id, "added", current.key, reason=_told(current, place), replaces=memory_id)


def _refuse_double(reader: Reader, moved: Version) -> None:
    for same in reader.memories.with_fingerprint(moved.fingerprint):
        if same.memory_id != moved.memory_id and same.superseded_at is None and overlap(same.period, moved.period):
            raise InvalidInput(f"{same.memory_id} says exactly this there.", "Retract one of them.")


def _told(before: Version, place: FactPlace) -> str:
    after = place.on(before)
    if after.level == before.level:
        return f"it stands on level {after.level}"
    way = "promoted" if (after.level or 0) < (before.level or 0) else "demoted"
    return f"{way} from level {before.level} to {after.level}"


def _check_place(reader: Reader, moved: Version, moment: Moment, *, told: bool) -> None:
    """A fact stands under one of its own level or a more general one, and never under itself. `told`: its parent is new."""
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
            if told and above == moved.parent:
                raise
            break  # of one further up nothing is left: the chain ends there
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
    """A fact and all that stands under it, each followed by what is below it, with its depth."""
    memory_id = check_id(memory_id)
    check_whole(depth, "depth", 0, _DEEPEST)
    with space.store.read() as reader:
        root = visible_version(reader, memory_id, view.moment)
        below = _below(reader, root, view, depth)
        order = list(_walk(root, 0, below))
        known = linked(space, reader, [version for version, _ in order])
    return [memory_row(version, known[version.number].state) | {"depth": deep} for version, deep in order]


def _below(reader: Reader, root: Version, view: View, depth: int) -> dict[str, list[Version]]:
    """The children of each, a generation at a time."""
    below: dict[str, list[Version]] = {}
    seen, generation = {root.memory_id}, [root.memory_id]
    for _ in range(depth):
        found = [v for v in reader.facts.children(generation, view) if v.memory_id not in seen][
            : _MOST_BELOW - len(seen)
        ]
        if not found:
            break
        for version in found:
            below.setdefault(version.parent or "", []).append(version)
        generation = [version.memory_id for version in found]
        seen.update(generation)
    return below


def _walk(version: Version, depth: int, below: dict[str, list[Version]]) -> list[tuple[Version, int]]:
    found = [(version, depth)]
    for child in below.get(version.memory_id, ()):
        found += _walk(child, depth + 1, below)
    return found


def family(reader: Reader, version: Version, view: View) -> tuple[Version | None, list[Version]]:
    """The one that it stands under, and those that stand under it."""
    parent = reader.memories.version(version.parent, view.moment) if version.parent else None
    return parent, reader.facts.children([version.memory_id], view)
