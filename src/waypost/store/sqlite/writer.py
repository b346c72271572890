"""One immediate transaction, on the only connection that may write at the moment."""

from typing import TYPE_CHECKING

import apsw

from waypost.store.sql.writer import SqlWriter
from waypost.store.sqlite.database import SqliteDatabase
from waypost.store.sqlite.index_writer import SqliteIndex
from waypost.store.sqlite.search import SqliteWriterSearch
from waypost.store.sqlite.versions import CheckedVersionRows

if TYPE_CHECKING:
    from waypost.store.sqlite.search import OpenVectors


class SqliteWriter(SqlWriter):
    def __init__(self, connection: apsw.Connection, vectors: "OpenVectors") -> None:
        database = SqliteDatabase(connection)
        self.index = SqliteIndex(database)
        super().__init__(database, CheckedVersionRows(database), self.index)
        self.search = SqliteWriterSearch(database, vectors)
