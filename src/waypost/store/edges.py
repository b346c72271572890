"""Edges between memories: relations of facts and of code."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Edge:
    kind: str
    from_id: str
    to_id: str
    strength: float = 1.0
    made_at: datetime | None = None  # None: not recorded
    lines: tuple[int, ...] = ()  # of relations in code: where the first symbol uses the second

    def is_known_at(self, known_at: datetime | None) -> bool:
        return known_at is None or self.made_at is None or self.made_at <= known_at
