"""Reading what facts have beside their words: parents, lifetimes, and candidates for approval."""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from waypost.model.candidate import CandidateRow
from waypost.model.memory import PARENT, Version
from waypost.model.recall import View
from waypost.model.time import from_micros, to_micros
from waypost.store.fact_protocol import LifetimeRow
from waypost.store.protocol import Edge
from waypost.store.sql.reference_rows import ReferenceRows
from waypost.store.sql.rows import visible

EDGE = "kind, from_id, to_id, strength, made_at"
_MIDDLE = ("confidence", "origin", "topic", "reason", "fingerprint", "tombstone")
_CANDIDATE = f"candidate_id, made_at, {', '.join(_MIDDLE)}, draft, declined_at"


def edge_of(row: Sequence[Any]) -> Edge:
    kind, from_id, to_id, strength, made = row
    return Edge(kind, from_id, to_id, strength, None if made is None else from_micros(made))


def edge_parameters(edge: Edge) -> tuple[Any, ...]:
    return edge.kind, edge.from_id, edge.to_id, edge.strength, None if edge.made_at is None else to_micros(edge.made_at)


class FactRows(ReferenceRows):
    """The part of the reader that knows facts."""

    if TYPE_CHECKING:

        def _versions(self, sql: str, parameters: Sequence[Any]) -> list[Version]: ...

    def edges_of(
        self, memory_ids: Iterable[str], kinds: Sequence[str], *, known_at: datetime | None = None
    ) -> list[Edge]:
        known = "" if known_at is None else " AND (made_at IS NULL OR made_at <= ?3)"
        rows = self._rows(
            f"SELECT {EDGE} FROM edges WHERE kind IN (SELECT value FROM each_text(?2))"
            " AND (from_id IN (SELECT value FROM each_text(?1)) OR to_id IN (SELECT value FROM each_text(?1)))"
            f"{known} ORDER BY 1, 2, 3",
            (list(memory_ids), list(kinds), *([] if known_at is None else [to_micros(known_at)])),
        )
        return [edge_of(row) for row in rows]

    def children(self, memory_ids: Iterable[str], view: View) -> list[Version]:
        condition, parameters = visible(view)
        return self._versions(
            "JOIN edges e ON e.to_id = m.memory_id AND e.kind = 'contains'"
            f" WHERE e.from_id IN (SELECT value FROM each_text(?)) AND {condition}"
            f" AND field(m.details, {PARENT}) = e.from_id ORDER BY m.level NULLS FIRST, m.number",
            [list(memory_ids), *parameters],
        )

    def lifetimes(
        self,
        *,
        expired_by: datetime | None = None,
        refreshed: bool = False,
        protected: bool = False,
        archived: bool = False,
    ) -> list[LifetimeRow]:
        held = "EXISTS (SELECT 1 FROM memories m WHERE m.memory_id = s.memory_id AND m.superseded_at IS NULL)"
        conditions = [
            "s.expires_at IS NOT NULL",
            *(["s.expires_at <= ?"] if expired_by is not None else []),
            *([] if protected else ["NOT s.protected"]),
            *([] if archived else ["s.archived_at IS NULL"]),
            *(["s.refresh IS NOT NULL", held] if refreshed else [f"(s.on_expire = 'delete' OR {held})"]),
        ]
        rows = self._rows(
            "SELECT s.memory_id, s.expires_at, coalesce(s.on_expire, 'stale'), s.ttl_seconds, s.refresh, s.is_stale,"
            f" s.protected FROM states s WHERE {' AND '.join(conditions)} ORDER BY 2, 1",
            () if expired_by is None else (to_micros(expired_by),),
        )
        return [
            LifetimeRow(one, from_micros(end), action, ttl, tuple(json.loads(globs or "[]")), bool(stale), bool(kept))
            for one, end, action, ttl, globs, stale, kept in rows
        ]

    def candidates(self, *, after: str = "", limit: int = 100) -> list[CandidateRow]:
        return self._candidates(
            "WHERE declined_at IS NULL AND candidate_id > ? ORDER BY candidate_id LIMIT ?", (after, limit)
        )

    def candidate(self, candidate_id: str, *, declined: bool = False) -> CandidateRow | None:
        found = self._candidates(f"WHERE {_is(declined)} AND candidate_id = ?", (candidate_id,))
        return found[0] if found else None

    def candidates_like(
        self, fingerprints: Sequence[bytes], topics: Sequence[str], *, declined: bool = False
    ) -> list[CandidateRow]:
        return self._candidates(
            f"WHERE {_is(declined)} AND (fingerprint IN (SELECT value FROM each_blob(?))"
            " OR (topic <> '' AND topic IN (SELECT value FROM each_text(?)))) ORDER BY candidate_id",
            (list(fingerprints), list(topics)),
        )

    def declined_candidates(self, limit: int) -> list[CandidateRow]:
        return self._candidates(
            "WHERE declined_at IS NOT NULL ORDER BY declined_at DESC, candidate_id LIMIT ?", (limit,)
        )

    def count_candidates(self) -> int:
        return int(self._rows("SELECT count(*) FROM candidates WHERE declined_at IS NULL")[0][0])

    def _candidates(self, sql: str, parameters: Sequence[Any]) -> list[CandidateRow]:
        rows = self._rows(f"SELECT {_CANDIDATE} FROM candidates {sql}", parameters)
        return [
            CandidateRow(
                row[0],
                from_micros(row[1]),
                **dict(zip(_MIDDLE, row[2:8], strict=True)),
                draft=json.loads(row[8]),
                declined_at=None if row[9] is None else from_micros(row[9]),
            )
            for row in rows
        ]


def _is(declined: bool) -> str:
    return f"declined_at IS {'NOT ' if declined else ''}NULL"
