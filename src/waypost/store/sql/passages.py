"""Passages: the pieces of versions that keywords and vectors find."""

from collections.abc import Sequence
from typing import Any

from waypost.store.memories import PassageRow
from waypost.store.sql.database import Database
from waypost.store.sql.domains import DomainSums
from waypost.store.sql.index_writer import SearchIndex
from waypost.store.sql.vectors import VectorChanges

_UNUSED = (
    "hash IN (SELECT value FROM each_blob(?)) AND NOT EXISTS (SELECT 1 FROM passages p WHERE p.hash = {table}.hash)"
)


class Passages:
    """Writes passages with their keywords, and drops vectors that no passage needs."""

    def __init__(self, database: Database, index: SearchIndex, vectors: VectorChanges, sums: DomainSums) -> None:
        self._db = database
        self._index = index
        self._vectors = vectors
        self._sums = sums

    def load(self, passages: Sequence[tuple[int, PassageRow]], engines: Sequence[str], urgency: float = 1.0) -> None:
        """Store passages by version number."""
        numbered = list(enumerate(passages, self._db.reserve("passages", len(passages))))
        self._db.load(
            "passages",
            "passage_id, number, hash, language",
            [(passage_id, number, row.content_hash, row.language) for passage_id, (number, row) in numbered],
        )
        self._index.add_keywords([(passage_id, row) for passage_id, (_, row) in numbered])
        digests = [row.content_hash for _, row in passages if row.content_hash]
        for engine in engines:
            self._vectors.queue(engine, digests, urgency)

    def replace(
        self, number: int, passages: Sequence[PassageRow], engines: Sequence[str], *, urgency: float = 1.0
    ) -> None:
        old = self._select("number = ?", (number,))
        with self._sums.updating([number]):
            self.load([(number, row) for row in passages], engines, urgency)
            self._drop(old)

    def drop_where(self, condition: str, parameters: Sequence[Any]) -> None:
        self._drop(self._select(condition, parameters))

    def _select(self, condition: str, parameters: Sequence[Any]) -> list[Any]:
        return self._db.rows(f"SELECT passage_id, hash FROM passages WHERE {condition}", parameters)

    def _drop(self, rows: Sequence[tuple[int, bytes]]) -> None:
        ids, digests = [row[0] for row in rows], list({row[1] for row in rows})
        self._index.drop_keywords(ids)
        self._db.change("DELETE FROM passages WHERE passage_id IN (SELECT value FROM each_number(?))", (ids,))
        for table in ("vectors", "owed"):
            self._db.change(f"DELETE FROM {table} WHERE {_UNUSED.format(table=table)}", (digests,))
