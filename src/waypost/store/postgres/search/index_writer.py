"""Writes the keyword indexes, vectors and row numbers of a space in PostgreSQL."""

from collections.abc import Sequence

from waypost.store.memories import PassageRow
from waypost.store.postgres.search.keyword_changes import add_keywords, drop_keywords, keep_sorted
from waypost.store.postgres.search.search import PostgresSearch
from waypost.store.postgres.search.vector_changes import index_vectors, load_vectors, put_vectors
from waypost.store.sql.database import Database


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
                self._keep_sorted()
                add_keywords(self._db, index, rows)

    def _keep_sorted(self) -> None:
        if not self._is_kept_sorted:
            keep_sorted(self._db)
            self._is_kept_sorted = True

    def drop_keywords(self, passage_ids: Sequence[int]) -> None:
        for index in ("keywords", "code_keywords"):
            drop_keywords(self._db, index, passage_ids)

    def add_vectors(self, rows: Sequence[tuple[int, bytes, str, bytes]]) -> None:
        if rows:
            put_vectors(self._db, rows)
        self._search.forget_questions()

    def load_vectors(self, rows: Sequence[tuple[int, int, bytes, str, bytes]]) -> None:
        load_vectors(self._db, rows)

    def index_vectors(self) -> int:
        """Create the vector indexes that are due. Returns how many."""
        return index_vectors(self._db)

    def last_number(self, table: str, key: str) -> int:
        rows = self._db.rows(
            f"SELECT greatest(coalesce(pg_sequence_last_value(pg_get_serial_sequence(?, ?)::regclass), 0),"
            f" (SELECT coalesce(max({key}), 0) FROM {table}))",
            (table, key),
        )
        return int(rows[0][0])

    def set_last_number(self, table: str, key: str, number: int) -> None:
        self._db.rows("SELECT setval(pg_get_serial_sequence(?, ?)::regclass, ?)", (table, key, number))
