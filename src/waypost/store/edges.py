"""Edges between memories: relations of facts and of code."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Edge:
    kind: str
    from_id: str
    to_id: str
    strength: float = 1.0
    made_at: datetime | None = None  # None: not recorded

    def is_known_at(self, known_at: datetime | None) -> bool:
        return known_at is None or self.made_at is None or self.made_at <= known_at


class EdgeReader(Protocol):
    def of_memory(self, memory_id: str) -> list[Edge]: ...

    def of_kinds(
        self, memory_ids: Iterable[str], kinds: Sequence[str], *, known_at: datetime | None = None
    ) -> list[Edge]:
        """Edges of these kinds that start or end at one of these memories.

        `known_at` leaves out edges that were made later.
        """


class EdgeWriter(EdgeReader, Protocol):
    def add(self, edge: Edge) -> None: ...

    def replace(self, from_ids: Sequence[str], kinds: Sequence[str], edges: Sequence[Edge]) -> None:
        """Replace all edges of these kinds that start at these memories."""
