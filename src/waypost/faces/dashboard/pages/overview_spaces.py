"""All memories of this machine, and how each is doing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from waypost.errors import WaypostError
from waypost.faces.dashboard.request_context import PageRequest
from waypost.memory.catalog import SpaceEntry
from waypost.model.kinds import KEPT_COLLECTIONS

_LOOKED_INTO = 8  # memories of which figures are shown: each has to be opened


@dataclass(frozen=True, slots=True)
class SpaceShown:
    """A memory of this machine. Without `status`, nobody looked, or `problem` says why it cannot be opened."""

    space: SpaceEntry
    is_here: bool
    status: dict[str, Any] | None = None
    problem: str = ""

    @property
    def kept(self) -> int | None:
        """How many memories; what was read out of the tree is none, here as everywhere."""
        return None if self.status is None else kept_count(self.status)

    @property
    def troubles(self) -> tuple[str, ...]:
        """What is not as it should be, in a few words each."""
        if self.status is None:
            return ()
        parts = (
            ("upkeep is late", self.status["overdue"]),
            (f"{self.status['references']['stale']} stale", self.status["references"]["stale"]),
            (f"{self.status['review']['candidates']} to review", self.status["review"]["candidates"]),
            ("not all embedded", sum(self.status["pending"].values())),
        )
        return tuple(words for words, there in parts if there)


def kept_count(status: Mapping[str, Any]) -> int:
    return sum(status["collections"].get(name, 0) for name in KEPT_COLLECTIONS)


def spaces_shown(asked: PageRequest) -> list[SpaceShown]:
    """The one at hand first."""
    opened = [one for one in asked.spaces.menu() if asked.identity.opens(one.space_id)]
    known = sorted(opened, key=lambda one: one.space_id != asked.space_id)
    return [_shown(asked, one, look=place < _LOOKED_INTO) for place, one in enumerate(known)]


def _shown(asked: PageRequest, space: SpaceEntry, *, look: bool) -> SpaceShown:
    is_here = space.space_id == asked.space_id
    if not look:
        return SpaceShown(space, is_here)
    try:
        return SpaceShown(space, is_here, asked.spaces.memory(asked.identity.caller, space.space_id).status())
    except WaypostError as error:
        return SpaceShown(space, is_here, problem=error.what)
