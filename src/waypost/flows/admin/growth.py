"""How a memory has grown: what was known at points of its life."""

from dataclasses import dataclass
from datetime import datetime

from waypost.flows.open_space import OpenSpace
from waypost.model.draft import check_whole
from waypost.model.kinds import KEPT_COLLECTIONS
from waypost.model.recall import View
from waypost.model.time import Moment
from waypost.space.metadata import read_metadata

_MOST_POINTS = 100


@dataclass(frozen=True, slots=True)
class GrowthPoint:
    """How many memories of each collection were held at a moment; what is read out of the tree does not count."""

    at: datetime
    counts: dict[str, int]


def growth(space: OpenSpace, points: int) -> tuple[GrowthPoint, ...]:
    """Evenly spread from its making until now, the earliest first."""
    points = check_whole(points, "points", 2, _MOST_POINTS)
    now = space.clock()
    made = min(read_metadata(space.folder).created, now)
    moments = [made + (now - made) * place / (points - 1) for place in range(points)]
    with space.store.read() as reader:
        return tuple(
            GrowthPoint(
                at,
                reader.memories.counts(
                    View(Moment(at, at, explicit=True), KEPT_COLLECTIONS, space.identity.checkout_id)
                ),
            )
            for at in moments
        )
