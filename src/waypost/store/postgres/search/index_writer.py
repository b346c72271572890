"""Writes the keyword indexes, vectors and row numbers of a space in PostgreSQL."""

from collections.abc import Sequence
from typing import Any

from waypost.store.memories import PassageRow
from waypost.store.postgres.search.halfvec import HalfVector, Halves
from waypost.store.postgres.search.keyword_changes import add_keywords, drop_keywords, keep_sorted
from waypost.store.postgres.search.search import PostgresSearch
from waypost.store.postgres.search.vector_rows import index_name
from waypost.store.sql.database import Database

# Vectors of code or of prose; fewer are compared one by one, which is exact and takes ten milliseconds.
INDEX_FROM = 10_000
_AT_ONCE = 2000
_FEW = 16  # stored one by one, without looking up a type id
_MANY = 1000  # stored at once when a whole memory is moved: `compact` indexes them at the end

_PUT = """
INSERT INTO vectors (engine_id, hash, language, packed) VALUES (?, ?, ?, ?::halfvec) ON CONFLICT DO NOTHING
"""
_PUT_MANY = """
INSERT INTO vectors (engine_id, hash, language, packed)
SELECT * FROM unnest(?::integer[], ?::bytea[], ?::text[], ?::halfvec[]) ON CONFLICT DO NOTHING
"""
_LOAD = """
INSERT INTO vectors (vector_id, engine_id, hash, language, packed)
SELECT * FROM unnest(?::bigint[], ?::integer[], ?::bytea[], ?::text[], ?::halfvec[])
"""
_DUE = """
SELECT e.engine_id, e.dimensions, c.language LIKE 'code%' AS of_code
FROM engines e JOIN vector_counts c ON c.engine_id = e.engine_id
WHERE e.dimensions > 0 GROUP BY 1, 2, 3 HAVING sum(c.vectors) >= ?
    AND to_regclass('vectors_near_' || e.engine_id || '_' || e.dimensions
        || CASE WHEN c.language LIKE 'code%' THEN '_code' ELSE '_prose' END) IS NULL
"""


class PostgresIndex:
    def __init__(self, database: Database, search: PostgresSearch) -> None:
        self._db = database
        self._search = search
        self._is_kept_sorted = False

    def add_keywords(self, passages: Sequence[tuple[int, PassageRow]]) -> None:
        prose = [(passage_id, (row.terms,)) for passage_id, row in passages if row.code_terms is None and row.terms]
        code = [(passage_id, row.code_terms) for passage_id, row in passages if row.code_terms is not None]
        for index, rows in (("keywords", prose), ("code_keywords", code)):
            if rows:
                if not self._is_kept_sorted:
                    keep_sorted(self._db)
                    self._is_kept_sorted = True
                add_keywords(self._db, index, rows)

    def drop_keywords(self, passage_ids: Sequence[int]) -> None:
        for index in ("keywords", "code_keywords"):
            drop_keywords(self._db, index, passage_ids)

    def add_vectors(self, rows: Sequence[tuple[int, bytes, str, bytes]]) -> None:
        if 0 < len(rows) <= _FEW:
            self._db.change_many(_PUT, [(*row[:3], HalfVector(row[3])) for row in rows])
        elif rows:
            self._insert_vectors(_PUT_MANY, rows)
        if 0 < len(rows) < _MANY:
            self.index_vectors()
        self._search.forget_questions()

    def load_vectors(self, rows: Sequence[tuple[int, int, bytes, str, bytes]]) -> None:
        self._insert_vectors(_LOAD, rows)

    def _insert_vectors(self, sql: str, rows: Sequence[tuple[Any, ...]]) -> None:
        type_id = self._db.rows("SELECT 'halfvec'::regtype::oid::bigint")[0][0]
        for start in range(0, len(rows), _AT_ONCE):
            *columns, vectors = zip(*rows[start : start + _AT_ONCE], strict=True)
            self._db.change(sql, (*map(list, columns), Halves(vectors, type_id)))

    def index_vectors(self) -> int:
        """Create the vector indexes that are due. Returns how many. Others can read meanwhile, but not write."""
        due = self._db.rows(_DUE, (INDEX_FROM,))
        if due:
            self._db.rows("SELECT set_config('statement_timeout', '0', true)")  # a million take many minutes
        for engine_id, dimensions, of_code in due:
            # Writers do not own the tables; this function does.
            self._db.rows(
                "SELECT index_vectors(?, ?, ?, ?)",
                (engine_id, dimensions, of_code, index_name(engine_id, dimensions, of_code)),
            )
        return len(due)

    def last_number(self, table: str, key: str) -> int:
        rows = self._db.rows(
            f"SELECT greatest(coalesce(pg_sequence_last_value(pg_get_serial_sequence(?, ?)::regclass), 0),"
            f" (SELECT coalesce(max({key}), 0) FROM {table}))",
            (table, key),
        )
        return int(rows[0][0])

    def set_last_number(self, table: str, key: str, number: int) -> None:
        self._db.rows("SELECT setval(pg_get_serial_sequence(?, ?)::regclass, ?)", (table, key, number))
