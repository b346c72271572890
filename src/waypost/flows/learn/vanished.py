"""What a tree said of itself once and does not say any more: true until now."""

from collections.abc import Collection
from dataclasses import replace

from waypost.facts.rejection import LEARNED
from waypost.flows.open_space import OpenSpace
from waypost.flows.recall.versions import audit, nothing_new
from waypost.flows.write.insert import ENDED
from waypost.flows.write.prepare import put
from waypost.model.kinds import KEPT_COLLECTIONS
from waypost.model.memory import Caller, Version
from waypost.model.recall import View
from waypost.model.time import Moment
from waypost.retrieve.passages import passages_of
from waypost.store.protocol import Filter, Reader

_MOST = 1_000


def end_vanished(space: OpenSpace, origin: str, found: Collection[str], caller: Caller) -> int:
    """End the extractor's own facts of this origin whose keys are not among those found. Returns how many.

    What a person said or approved, and what is protected, stays. Should the tree say it again, it is a fact again.
    """
    with space.store.read() as reader:
        gone = _gone(space, reader, origin, found)
    if not gone:
        return 0
    with space.store.write() as writer:
        now = space.clock()
        gone = _gone(space, writer, origin, found)
        for version in gone:
            writer.memories.supersede(version.number, now)
            if version.valid_from < now:
                until = replace(
                    version,
                    recorded_at=now,
                    valid_until=now,
                    key=None,
                    details={**version.details, ENDED: caller.source},
                )
                put(writer, until, passages_of(until), nothing_new(space, writer))
            audit(space, writer, "end", version.memory_id, caller, {"kind": version.kind})
    return len(gone)


def _gone(space: OpenSpace, reader: Reader, origin: str, found: Collection[str]) -> list[Version]:
    view = View(Moment(space.clock()), KEPT_COLLECTIONS, archived=True)
    known = [
        version
        for version in reader.memories.latest(view, Filter(tags=(("origin", origin),)), _MOST)
        if version.source == "extractor"
        and version.valid_until is None
        and (version.key or "").startswith(LEARNED)
        and version.key not in found
    ]
    states = reader.memories.states([version.memory_id for version in known])
    return [one for one in known if one.memory_id not in states or not states[one.memory_id].protected]
