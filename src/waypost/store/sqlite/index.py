"""Writing: inside one immediate transaction, on the only connection that may write at this moment."""

from collections.abc import Sequence

import apsw

from waypost.store.protocol import PassageRow
from waypost.store.sql.writer import SqlWriter
from waypost.store.sqlite.search import SqliteSearchRows

_INDEXES = ("keywords", "code_keywords")
_COUNTED = ("memories", "passages", "vectors", "audit")  # whose numbers never come back


class SqliteWriter(SqlWriter, SqliteSearchRows):
    """All that is written, with the keyword indexes of FTS5."""

    def _index_keywords(self, passages: Sequence[tuple[int, PassageRow]]) -> None:
        self._db.change_many(
            "INSERT INTO keywords (rowid, terms) VALUES (?, ?)",
            [(at, row.terms) for at, row in passages if row.code_terms is None and row.terms],
        )
        self._db.change_many(
            "INSERT INTO code_keywords (rowid, name, path, doc, body) VALUES (?, ?, ?, ?, ?)",
            [(at, *row.code_terms) for at, row in passages if row.code_terms is not None],
        )

    def _drop_keywords(self, passage_ids: Sequence[int]) -> None:
        for index in _INDEXES:
            self._db.change_many(f"DELETE FROM {index} WHERE rowid = ?", [(one,) for one in passage_ids])

    def drop_damaged_keywords(self) -> None:
        for index in _INDEXES:
            try:
                self._db.change(f"INSERT INTO {index} ({index}) VALUES ('integrity-check')")
            except apsw.CorruptError:
                self._db.change(f"INSERT INTO {index} ({index}) VALUES ('delete-all')")

    def _load_vectors(self, rows: Sequence[tuple[int, bytes, str, bytes]]) -> None:
        self._db.change_many(
            "INSERT INTO vectors (engine_id, hash, language, packed) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", rows
        )

    def _make_room(self, engine_id: int, dimensions: int) -> None:
        """Rows of any length go into the one table."""

    def _load_numbered_vectors(self, rows: Sequence[tuple[int, int, bytes, str, bytes]]) -> None:
        self._db.load("vectors", "vector_id, engine_id, hash, language, packed", rows)

    def _last_number(self, table: str, key: str) -> int:
        told = self._rows("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,))
        there = self._rows(f"SELECT coalesce(max({key}), 0) FROM {table}")
        return max(int(row[0]) for row in (*told, *there))

    def _set_last_number(self, table: str, key: str, number: int) -> None:  # noqa: ARG002  it counts by the table
        if table in _COUNTED:
            self._db.change("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
            self._db.change("INSERT INTO sqlite_sequence VALUES (?, ?)", (table, number))

    def engine_ids(self) -> list[int]:
        return [row[0] for row in self._rows("SELECT engine_id FROM engines")]

    def drop_unsaid_vectors(self) -> None:
        """Of texts that no passage says, as a repair may leave them."""
        self._db.change("DELETE FROM vectors WHERE hash NOT IN (SELECT hash FROM passages)")

    def compact_keywords(self) -> None:
        """Merge the indexes into one segment each: terms of deleted rows are gone from the file afterwards."""
        for index in _INDEXES:
            self._db.change(f"INSERT INTO {index} ({index}) VALUES ('optimize')")
