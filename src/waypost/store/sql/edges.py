"""Edges between memories."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from waypost.model.time import from_micros, to_micros
from waypost.store.edges import Edge
from waypost.store.sql.database import TablePart

_COLUMNS = "kind, from_id, to_id, strength, made_at"
_INSERT = f"INSERT INTO edges ({_COLUMNS}) VALUES (?, ?, ?, ?, ?) ON CONFLICT (from_id, kind, to_id)"


class EdgeRows(TablePart):
    def of_memory(self, memory_id: str) -> list[Edge]:
        rows = self._db.rows(
            f"SELECT {_COLUMNS} FROM edges WHERE from_id = ?1 OR to_id = ?1 ORDER BY 1, 2, 3", (memory_id,)
        )
        return [_edge_of(row) for row in rows]

    def of_kinds(
        self, memory_ids: Iterable[str], kinds: Sequence[str], *, known_at: datetime | None = None
    ) -> list[Edge]:
        """Edges of these kinds that start or end at one of these memories.

        `known_at` leaves out edges that were made later.
        """
        until = "" if known_at is None else " AND (made_at IS NULL OR made_at <= ?3)"
        rows = self._db.rows(
            f"SELECT {_COLUMNS} FROM edges WHERE kind IN (SELECT value FROM each_text(?2))"
            " AND (from_id IN (SELECT value FROM each_text(?1)) OR to_id IN (SELECT value FROM each_text(?1)))"
            f"{until} ORDER BY 1, 2, 3",
            (list(memory_ids), list(kinds), *([] if known_at is None else [to_micros(known_at)])),
        )
        return [_edge_of(row) for row in rows]


class EdgeChanges(EdgeRows):
    def add(self, edge: Edge) -> None:
        # A known edge keeps the time it was made first.
        self._db.change(f"{_INSERT} DO UPDATE SET strength = excluded.strength", _parameters(edge))

    def replace(self, from_ids: Sequence[str], kinds: Sequence[str], edges: Sequence[Edge]) -> None:
        """Replace all edges of these kinds that start at these memories."""
        self._db.change(
            "DELETE FROM edges WHERE from_id IN (SELECT value FROM each_text(?))"
            " AND kind IN (SELECT value FROM each_text(?))",
            (list(from_ids), list(kinds)),
        )
        self._db.change_many(
            f"{_INSERT} DO UPDATE SET strength = excluded.strength, made_at = excluded.made_at",
            [_parameters(edge) for edge in edges],
        )


def _edge_of(row: Sequence[Any]) -> Edge:
    kind, from_id, to_id, strength, made = row
    return Edge(kind, from_id, to_id, strength, None if made is None else from_micros(made))


def _parameters(edge: Edge) -> tuple[Any, ...]:
    return edge.kind, edge.from_id, edge.to_id, edge.strength, None if edge.made_at is None else to_micros(edge.made_at)
