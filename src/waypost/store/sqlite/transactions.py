"""Transactions on a SQLite file: reads, and immediate writes on the only connection that may write at the moment.

Where the file is damaged, a reader leaves out what cannot be read, and `damage` names the tables. A writer does not do
this: its decisions must rest on complete data.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import apsw

from waypost.model.kinds import KINDS
from waypost.store.code import CodeSketch
from waypost.store.sql.code import CodeRows
from waypost.store.sql.meta import SELECT_NOTES
from waypost.store.sql.transactions import SqlReader, SqlWriter
from waypost.store.sql.vectors import VectorRows
from waypost.store.sql.versions import VersionRows
from waypost.store.sqlite.database import SqliteDatabase
from waypost.store.sqlite.index_writer import SqliteIndex
from waypost.store.sqlite.readable_tables import ReadableDatabase
from waypost.store.sqlite.search import ReadableSearch, SqliteWriterSearch
from waypost.store.sqlite.versions import CheckedVersionRows, ReadableVersionRows

if TYPE_CHECKING:
    from waypost.store.sql.moving import TableRows
    from waypost.store.sqlite.search import OpenVectors


class SqliteReader(SqlReader):
    def __init__(self, connection: apsw.Connection, vectors: "OpenVectors") -> None:
        self._readable = ReadableDatabase(connection)
        versions = ReadableVersionRows(self._readable)
        super().__init__(self._readable, versions)
        self.search = ReadableSearch(self._readable, vectors, versions)
        self.code = ReadableCodeRows(self._readable)
        self.vectors = ReadableVectorRows(self._readable, versions)

    def damage(self) -> list[str]:
        return sorted(self._readable.damaged | self._readable.copied)

    @property
    def copied(self) -> frozenset[str]:
        """The tables that could not be read in place: nobody may write based on what is left of them."""
        return self._readable.copied

    def tables(self) -> "TableRows":
        """To move a memory: nothing may be missing."""
        from waypost.store.sql.moving import TableRows  # only to move a memory

        return TableRows(SqliteDatabase(self._readable.connection))

    def moved_notes(self) -> list[Any]:
        return self._readable.lasting_rows(SELECT_NOTES)


class ReadableCodeRows(CodeRows):
    def __init__(self, database: ReadableDatabase) -> None:
        super().__init__(database)
        self._readable = database

    def sketches(self, numbers: Iterable[int]) -> dict[int, CodeSketch]:
        sketches = super().sketches(numbers)
        sound = {
            number: sketch for number, sketch in sketches.items() if type(sketch.traits) is int and sketch.kind in KINDS
        }
        if len(sound) < len(sketches):
            self._readable.damaged.add("memories")
        return sound


class ReadableVectorRows(VectorRows):
    def __init__(self, database: ReadableDatabase, versions: VersionRows) -> None:
        super().__init__(database, versions)
        self._readable = database

    def pending(self, least: float = 0.0) -> dict[str, int]:
        try:
            return super().pending(least)
        except apsw.CorruptError:
            self._readable.damaged.add("vectors")
            return {}


class SqliteWriter(SqlWriter):
    def __init__(self, connection: apsw.Connection, vectors: "OpenVectors") -> None:
        database = SqliteDatabase(connection)
        self.index = SqliteIndex(database)
        super().__init__(database, CheckedVersionRows(database), self.index)
        self.search = SqliteWriterSearch(database, vectors)
