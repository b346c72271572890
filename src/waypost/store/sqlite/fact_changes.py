"""Writing what facts have beside their words."""

from collections.abc import Iterable

from waypost.model.time import to_micros
from waypost.store.fact_protocol import CandidateRow
from waypost.store.sqlite.code_changes import CodeChanges
from waypost.store.sqlite.rows import as_json


class FactChanges(CodeChanges):
    """The part of the writer that knows facts."""

    def put_candidate(self, row: CandidateRow) -> None:
        self._db.execute(
            "INSERT OR REPLACE INTO candidates (candidate_id, made_at, confidence, origin, topic, reason, fingerprint,"
            " tombstone, draft) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
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
            ),
        )

    def drop_candidates(self, candidate_ids: Iterable[str]) -> int:
        before = self._db.total_changes()
        self._db.executemany("DELETE FROM candidates WHERE candidate_id = ?", [(one,) for one in candidate_ids])
        return int(self._db.total_changes() - before)
