"""Writing what facts have beside their words."""

from collections.abc import Iterable

from waypost.model.candidate import CandidateRow
from waypost.model.time import to_micros
from waypost.store.sql.code_changes import CodeChanges
from waypost.store.sql.rows import as_json

_REST = ("made_at", "confidence", "origin", "topic", "reason", "fingerprint", "tombstone", "draft", "declined_at")


class FactChanges(CodeChanges):
    """The part of the writer that knows facts."""

    def put_candidate(self, row: CandidateRow) -> None:
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
        return self._db.change(
            "DELETE FROM candidates WHERE candidate_id IN (SELECT value FROM each_text(?))", (list(candidate_ids),)
        )
