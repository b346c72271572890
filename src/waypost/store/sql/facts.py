"""Facts: their tree, lifetimes, domains, and candidates for approval."""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from waypost.model.candidate import CandidateRow
from waypost.model.memory import PARENT, Version
from waypost.model.recall import View
from waypost.model.time import from_micros, to_micros
from waypost.store.facts import LifetimeRow
from waypost.store.sql.database import Database
from waypost.store.sql.domains import DomainMeans, DomainSums
from waypost.store.sql.rows import as_json, visible
from waypost.store.sql.versions import VersionRows

if TYPE_CHECKING:
    from waypost.store.vectors import Vector

_MIDDLE = ("confidence", "origin", "topic", "reason", "fingerprint", "tombstone")
_CANDIDATE = f"candidate_id, made_at, {', '.join(_MIDDLE)}, draft, declined_at"
_REST = ("made_at", "confidence", "origin", "topic", "reason", "fingerprint", "tombstone", "draft", "declined_at")


class FactRows:
    def __init__(self, database: Database, versions: VersionRows, means: DomainMeans) -> None:
        self._db = database
        self._versions = versions
        self._means = means

    def children(self, memory_ids: Iterable[str], view: View) -> list[Version]:
        """The visible versions whose parent is one of these."""
        condition, parameters = visible(view)
        return self._versions.select(
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
        """Memories with a lifetime, soonest end first.

        `expired_by` keeps those that have expired by then; `refreshed` keeps those whose TTL a file restarts.
        Protected and archived memories are left out by default. So are memories without a current version,
        except those to be deleted on expiry: their history goes too.
        """
        has_current = "EXISTS (SELECT 1 FROM memories m WHERE m.memory_id = s.memory_id AND m.superseded_at IS NULL)"
        conditions = [
            "s.expires_at IS NOT NULL",
            *(["s.expires_at <= ?"] if expired_by is not None else []),
            *([] if protected else ["NOT s.protected"]),
            *([] if archived else ["s.archived_at IS NULL"]),
            *(["s.refresh IS NOT NULL", has_current] if refreshed else [f"(s.on_expire = 'delete' OR {has_current})"]),
        ]
        rows = self._db.rows(
            "SELECT s.memory_id, s.expires_at, coalesce(s.on_expire, 'stale'), s.ttl_seconds, s.refresh, s.is_stale,"
            f" s.protected FROM states s WHERE {' AND '.join(conditions)} ORDER BY 2, 1",
            () if expired_by is None else (to_micros(expired_by),),
        )
        return [
            LifetimeRow(
                memory_id, from_micros(end), action, ttl, tuple(json.loads(globs or "[]")), bool(stale), bool(kept)
            )
            for memory_id, end, action, ttl, globs, stale, kept in rows
        ]

    def candidates(self, *, after: str = "", limit: int = 100) -> list[CandidateRow]:
        """Pending candidates with an id above `after`, oldest first."""
        return self._candidates(
            "WHERE declined_at IS NULL AND candidate_id > ? ORDER BY candidate_id LIMIT ?", (after, limit)
        )

    def candidate(self, candidate_id: str, *, declined: bool = False) -> CandidateRow | None:
        """The waiting candidate with this id, or the declined one."""
        candidates = self._candidates(f"WHERE {_declined_condition(declined)} AND candidate_id = ?", (candidate_id,))
        return candidates[0] if candidates else None

    def candidates_like(
        self, fingerprints: Sequence[bytes], topics: Sequence[str], *, declined: bool = False
    ) -> list[CandidateRow]:
        """Waiting (or declined) candidates with one of these fingerprints or topics."""
        return self._candidates(
            f"WHERE {_declined_condition(declined)} AND (fingerprint IN (SELECT value FROM each_blob(?))"
            " OR (topic <> '' AND topic IN (SELECT value FROM each_text(?)))) ORDER BY candidate_id",
            (list(fingerprints), list(topics)),
        )

    def declined_candidates(self, limit: int) -> list[CandidateRow]:
        """The candidates declined last, newest first."""
        return self._candidates(
            "WHERE declined_at IS NOT NULL ORDER BY declined_at DESC, candidate_id LIMIT ?", (limit,)
        )

    def count_candidates(self) -> int:
        return int(self._db.rows("SELECT count(*) FROM candidates WHERE declined_at IS NULL")[0][0])

    def _candidates(self, sql: str, parameters: Sequence[Any]) -> list[CandidateRow]:
        rows = self._db.rows(f"SELECT {_CANDIDATE} FROM candidates {sql}", parameters)
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

    def domains(self, engine: str, view: View) -> "dict[str, tuple[int, Vector]]":
        """For each domain the number of facts with a vector of this engine, and the unit mean of these vectors.

        A fact counts by its first passage. Facts without a domain are under "". For the current moment these are the
        current facts, for another moment the visible ones.
        """
        return self._means.means(engine, view)

    def domains_of(self, numbers: Iterable[int]) -> dict[int, str]:
        """The domains of these versions."""
        return dict(
            self._db.rows(
                "SELECT m.number, m.domain FROM each_number(?) asked THEN JOIN memories m ON m.number = asked.value",
                (list(numbers),),
            )
        )


class FactChanges(FactRows):
    def __init__(self, database: Database, versions: VersionRows, sums: DomainSums) -> None:
        super().__init__(database, versions, sums)
        self._sums = sums

    def put_candidate(self, row: CandidateRow) -> None:
        """Add it, or replace the one with the same id."""
        self._db.change(
            f"INSERT INTO candidates (candidate_id, {', '.join(_REST)}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            f" ON CONFLICT (candidate_id) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _REST)}",
            (
                row.candidate_id,
                to_micros(row.made_at),
                row.confidence,
                row.origin,
                row.topic,
                row.reason,
                row.fingerprint,
                row.tombstone,
                as_json(row.draft),
                None if row.declined_at is None else to_micros(row.declined_at),
            ),
        )

    def drop_candidates(self, candidate_ids: Iterable[str]) -> int:
        """Remove candidates and, as far as the file goes, their text. Returns how many there were."""
        return self._db.change(
            "DELETE FROM candidates WHERE candidate_id IN (SELECT value FROM each_text(?))", (list(candidate_ids),)
        )

    def recount_domains(self, engine: str) -> None:
        """Compute the means of the domains again from the facts. Writes keep them up to date; this repairs them."""
        self._sums.recount(engine)


def _declined_condition(declined: bool) -> str:
    return f"declined_at IS {'NOT ' if declined else ''}NULL"
