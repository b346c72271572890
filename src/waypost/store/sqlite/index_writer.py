"""Writes the FTS5 keyword indexes, vectors and row numbers of a SQLite file."""

from collections.abc import Sequence

from waypost.store.memories import PassageRow
from waypost.store.sqlite.database import SqliteDatabase

INDEXES = ("keywords", "code_keywords")
_MERGE_EVERY = 64  # passages of one transaction
_PAGES_MERGED = 256  # at most, each time: a few milliseconds
_COUNTED = ("memories", "passages", "vectors", "audit")  # tables whose numbers are never reused


class SqliteIndex:
    def __init__(self, database: SqliteDatabase) -> None:
        self._db = database
        self._added = 0  # passages with keywords since the last merge

    def add_keywords(self, passages: Sequence[tuple[int, PassageRow]]) -> None:
        prose = [(passage_id, row.terms) for passage_id, row in passages if row.code_terms is None and row.terms]
        self._db.change_many("INSERT INTO keywords (rowid, terms) VALUES (?, ?)", prose)
        self._added += len(prose)
        if self._added >= _MERGE_EVERY:
            self._added = 0
            self._merge_segments()
        self._db.change_many(
            "INSERT INTO code_keywords (rowid, name, path, doc, body) VALUES (?, ?, ?, ?, ?)",
            [(passage_id, *row.code_terms) for passage_id, row in passages if row.code_terms is not None],
        )

    def drop_keywords(self, passage_ids: Sequence[int]) -> None:
        for index in INDEXES:
            self._db.change_many(f"DELETE FROM {index} WHERE rowid = ?", [(passage_id,) for passage_id in passage_ids])

    def _merge_segments(self) -> None:
        """Merge some of what batches have written. A question looks its terms up in every segment: with twelve of them
        it takes twice as long as with one."""
        self._db.change("INSERT INTO keywords (keywords, rank) VALUES ('merge', ?)", (-_PAGES_MERGED,))

    def compact_keywords(self) -> None:
        """Merge each index into one segment, so that terms of deleted rows are gone from the file."""
        for index in INDEXES:
            self._db.change(f"INSERT INTO {index} ({index}) VALUES ('optimize')")

    def add_vectors(self, rows: Sequence[tuple[int, bytes, str, bytes]]) -> None:
        self._db.change_many(
            "INSERT INTO vectors (engine_id, hash, language, packed) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", rows
        )

    def load_vectors(self, rows: Sequence[tuple[int, int, bytes, str, bytes]]) -> None:
        self._db.load("vectors", "vector_id, engine_id, hash, language, packed", rows)

    def drop_unused_vectors(self) -> None:
        """Drop vectors of texts that no passage has, as a repair may leave them."""
        self._db.change("DELETE FROM vectors WHERE hash NOT IN (SELECT hash FROM passages)")

    def engine_ids(self) -> list[int]:
        return [row[0] for row in self._db.rows("SELECT engine_id FROM engines")]

    def last_number(self, table: str, key: str) -> int:
        counted = self._db.rows("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,))
        stored = self._db.rows(f"SELECT coalesce(max({key}), 0) FROM {table}")
        return max(int(row[0]) for row in (*counted, *stored))

    def set_last_number(self, table: str, key: str, number: int) -> None:  # noqa: ARG002  SQLite counts by table
        if table in _COUNTED:
            self._db.change("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
            self._db.change("INSERT INTO sqlite_sequence VALUES (?, ?)", (table, number))
