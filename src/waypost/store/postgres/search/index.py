"""Keeping what is searched in PostgreSQL: the part of the writer that is not shared."""

from collections.abc import Sequence

from waypost.store.postgres.search.keyword_changes import add_keywords, drop_keywords, keep_sorted
from waypost.store.postgres.search.keyword_rows import is_damaged
from waypost.store.postgres.search.search import PostgresSearchRows
from waypost.store.postgres.search.vector_changes import index_vectors, load_vectors, put_vectors
from waypost.store.protocol import PassageRow
from waypost.store.sql.passages import PassageChanges


class SearchChanges(PassageChanges, PostgresSearchRows):
    """The part of the writer that knows the indexes of keywords and vectors."""

    _is_kept_sorted = False

    def _index_keywords(self, passages: Sequence[tuple[int, PassageRow]]) -> None:
        prose = [(at, (row.terms,)) for at, row in passages if row.code_terms is None and row.terms]
        code = [(at, row.code_terms) for at, row in passages if row.code_terms is not None]
        for index, rows in (("keywords", prose), ("code_keywords", code)):
            if rows:
                self._keep_sorted()
                add_keywords(self._db, index, rows)

    def _keep_sorted(self) -> None:
        if not self._is_kept_sorted:
            keep_sorted(self._db)
            self._is_kept_sorted = True

    def _drop_keywords(self, passage_ids: Sequence[int]) -> None:
        for index in ("keywords", "code_keywords"):
            drop_keywords(self._db, index, passage_ids)

    def drop_damaged_keywords(self) -> None:
        for index in ("keywords", "code_keywords"):
            if is_damaged(self._db, index):
                self._db.change(f"DELETE FROM {index}")
                self._db.change(f"DELETE FROM {index}_terms")
                self._db.change(f"UPDATE {index}_totals SET passages = 0, tokens = 0")

    def _load_vectors(self, rows: Sequence[tuple[int, bytes, str, bytes]]) -> None:
        if rows:
            put_vectors(self._db, rows)
        self._asked.clear()

    def _load_numbered_vectors(self, rows: Sequence[tuple[int, int, bytes, str, bytes]]) -> None:
        load_vectors(self._db, rows)

    def _last_number(self, table: str, key: str) -> int:
        rows = self._rows(
            f"SELECT greatest(coalesce(pg_sequence_last_value(pg_get_serial_sequence(?, ?)::regclass), 0),"
            f" (SELECT coalesce(max({key}), 0) FROM {table}))",
            (table, key),
        )
        return int(rows[0][0])

    def _set_last_number(self, table: str, key: str, number: int) -> None:
        self._rows("SELECT setval(pg_get_serial_sequence(?, ?)::regclass, ?)", (table, key, number))

    def _make_room(self, engine_id: int, dimensions: int) -> None:
        """Vectors of any length go into the one table; an index is of one length."""

    def index_vectors(self) -> int:
        """Make the indexes of vectors that are due. Returns how many."""
        return index_vectors(self._db)
