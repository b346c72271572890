"""All memories on this machine and their state."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from waypost.errors import WaypostError
from waypost.faces.dashboard.request_context import PageRequest
from waypost.memory.catalog import SpaceEntry
from waypost.model.kinds import KEPT_COLLECTIONS

_LOOKED_INTO = 8  # memories whose figures are shown: each must be opened


@dataclass(frozen=True, slots=True)
class SpaceSummary:
    """A memory on this machine. Without `status` it was not opened, or `problem` says why it cannot be."""

    space: SpaceEntry
    is_here: bool
    status: dict[str, Any] | None = None
    problem: str = ""

    @property
    def kept(self) -> int | None:
        """The number of memories, without indexed code."""
        return None if self.status is None else kept_count(self.status)

    @property
    def troubles(self) -> tuple[str, ...]:
        """Problems in a few words each."""
        if self.status is None:
            return ()
        parts = (
            ("maintenance is late", self.status["overdue"]),
            (f"{self.status['references']['stale']} stale", self.status["references"]["stale"]),
            (f"{self.status['review']['candidates']} to review", self.status["review"]["candidates"]),
            ("not all embedded", sum(self.status["pending"].values())),
        )
        return tuple(text for text, value in parts if value)


def kept_count(status: Mapping[str, Any]) -> int:
    return sum(status["collections"].get(name, 0) for name in KEPT_COLLECTIONS)


def space_summaries(request: PageRequest) -> list[SpaceSummary]:
    """The current one first."""
    readable = [entry for entry in request.spaces.menu() if request.identity.opens(entry.space_id)]
    ordered = sorted(readable, key=lambda entry: entry.space_id != request.space_id)
    return [_summary(request, entry, look=index < _LOOKED_INTO) for index, entry in enumerate(ordered)]


def _summary(request: PageRequest, space: SpaceEntry, *, look: bool) -> SpaceSummary:
    is_here = space.space_id == request.space_id
    if not look:
        return SpaceSummary(space, is_here)
    try:
        return SpaceSummary(space, is_here, request.spaces.memory(request.identity.caller, space.space_id).status())
    except WaypostError as error:
        return SpaceSummary(space, is_here, problem=error.what)
