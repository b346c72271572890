"""Reading tables that are damaged: a temporary copy of what can be read stands in for one until the transaction ends.

SQLite finds a temporary table before the one of the file, so every statement works as it is. The copy goes with the
transaction; nothing is written to the file.
"""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw

from waypost.store.sqlite.database import SqliteDatabase
from waypost.store.sqlite.file_copy import pages_of
from waypost.store.sqlite.salvage import TableShape, shapes_of, true_rows

_NAME = re.compile(r"\w+")
_INDEX = re.compile(r"^(CREATE (?:UNIQUE )?INDEX) ")
# Large ones, which an answer can do without: keywords stand in for embeddings.
_NEVER_COPIED = frozenset({"vectors", "migrations", "sqlite_sequence"})
MEMORIES = "memories"  # the largest; most of it is read where it is (`reader.py`)


@dataclass(frozen=True, slots=True)
class TableCopy:
    """What can be read of a damaged table, and how to make another one of it."""

    shape: TableShape
    rows: Sequence[Sequence[Any]]
    indexes: Sequence[str]


class ReadableDatabase(SqliteDatabase):
    """A connection in a read transaction that goes on where a table is damaged."""

    def __init__(self, connection: apsw.Connection) -> None:
        super().__init__(connection)
        self._copies: dict[str, TableCopy] = {}

    @property
    def copied(self) -> frozenset[str]:
        """The tables that a copy stands in for."""
        return frozenset(self._copies)

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        try:
            return super().rows(sql, parameters)
        except apsw.CorruptError:
            if not self.copy_damaged(set(_NAME.findall(sql)) - {MEMORIES}):
                raise
            return super().rows(sql, parameters)

    def copy_damaged(self, names: Iterable[str]) -> bool:
        """Put a copy in the place of each of these tables that is damaged. False: none is, or none that was not copied."""
        shapes = shapes_of(self.connection)
        wanted = (set(names) & shapes.keys()) - self._copies.keys() - _NEVER_COPIED
        damaged = [name for name in sorted(wanted) if not is_whole(self.connection, name)]
        if damaged:
            self._copies |= {name: self._copy(shapes[name]) for name in damaged}
            self._put_in_place()
        return bool(damaged)

    def _copy(self, shape: TableShape) -> TableCopy:
        rows: list[Any] = self.connection.execute(
            "SELECT sql FROM main.sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL",
            (shape.name,),
        ).fetchall()
        return TableCopy(shape, self._readable(shape), [made_by for (made_by,) in rows])

    def _readable(self, shape: TableShape) -> list[Sequence[Any]]:
        if shape.is_summed:
            with pages_of(Path(self.connection.db_filename("main"))) as pages:
                return list(true_rows(pages, shape))
        # From both ends up to what is damaged: these tables can be made again, so what is between may be left out.
        found = list[Sequence[Any]]()
        for order in ("", " DESC"):
            key = ", ".join(f"{name}{order}" for name in shape.key) or f"rowid{order}"
            sql = f"SELECT {', '.join(shape.columns)} FROM main.{shape.name} NOT INDEXED ORDER BY {key}"
            with suppress(apsw.CorruptError, UnicodeDecodeError):
                for row in self.connection.execute(sql):
                    found.append(row)
                break
        return found

    def _put_in_place(self) -> None:
        """In a transaction that begins anew: once one has met damage, SQLite writes nothing in it, not even into memory."""
        self.connection.execute("ROLLBACK")
        self.connection.execute("BEGIN")
        for name, copy in self._copies.items():
            columns, places = ", ".join(copy.shape.columns), ", ".join("?" * len(copy.shape.columns))
            self.connection.execute(f"CREATE TEMP TABLE {name} ({_declared(copy.shape)}){_ending(copy.shape)}")
            self.connection.executemany(f"INSERT OR IGNORE INTO temp.{name} ({columns}) VALUES ({places})", copy.rows)
            for made_by in copy.indexes:
                self.connection.execute(_INDEX.sub(r"\1 temp.", made_by))


def is_whole(connection: apsw.Connection, table: str) -> bool:
    """Whether every row of a table of the file can be reached, by its number and by its indexes."""
    try:
        found: list[Any] = connection.execute(f"PRAGMA main.integrity_check({table})").fetchall()
    except apsw.Error:
        return False
    return found == [("ok",)]


def _declared(shape: TableShape) -> str:
    key = f", PRIMARY KEY ({', '.join(shape.key)})" if shape.key else ""
    return ", ".join(f"{name} {shape.types[name]}" for name in shape.columns) + key


def _ending(shape: TableShape) -> str:
    return "" if shape.is_numbered else " WITHOUT ROWID"
