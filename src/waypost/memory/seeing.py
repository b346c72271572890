"""Looking at a memory from all sides, for whoever shows it to people."""

from waypost import flows
from waypost.memory.handle import OpenMemoryBase, When


class Seeing(OpenMemoryBase):
    def growth(self, points: int = 16) -> "tuple[flows.admin.growth.GrowthPoint, ...]":
        """How many memories of each collection there were, at points spread evenly from its making until now."""
        return flows.admin.growth.growth(self._current, points)

    def related(self, memory_id: str) -> "tuple[flows.recall.related.RelatedMemory, ...]":
        """What a memory is linked with: what contains it, what it contains, causes and effects, what it replaced."""
        return flows.recall.related.related(self._current, memory_id)

    def code_behind(
        self, memory_id: str, *, as_of: When = None, known_at: When = None
    ) -> "tuple[flows.links.code_changes.Behind, ...]":
        """The code that a memory points at, as it is now, and as it was where that is another; secrets masked."""
        return flows.links.code_changes.code_behind(self._current, memory_id, self._moment(as_of, known_at))
