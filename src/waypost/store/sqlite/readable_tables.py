"""Reads damaged tables: until the transaction ends, a temporary copy of the readable rows replaces a damaged table.

SQLite finds a temporary table before the one in the file, so statements work unchanged. The copy is dropped with the
transaction. Nothing is written to the file.
"""

import re
import weakref
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw

from waypost.model.recall import View
from waypost.store.memories import VersionSketch
from waypost.store.sql.rows import IS_STEADY, view_condition, visible
from waypost.store.sqlite.database import SqliteDatabase
from waypost.store.sqlite.files import pages_of
from waypost.store.sqlite.salvage import TableShape, shapes_of, true_rows

_NAME = re.compile(r"\w+")
_INDEX = re.compile(r"^(CREATE (?:UNIQUE )?INDEX) ")
# A statement whose result depends on all given values together cannot be run for some of them at a time.
_WHOLE = re.compile(r"\bNOT IN\b|\bLIMIT\b|\bGROUP BY\b|\bUNION\b|\b(count|sum|min|max|avg|total)\s*\(", re.IGNORECASE)
# Large tables that an answer can do without: keywords replace vectors.
_NEVER_COPIED = frozenset({"vectors", "migrations", "sqlite_sequence"})
MEMORIES = "memories"  # the largest; most of it is read in place (`versions.py`)
MOST_PROBES = 500  # failed reads in one transaction; after more, the table is copied
_MOST_IN_VIEW = 50_000  # ids whose rows a connection keeps for a view: 10 MB
UNREADABLE = (apsw.CorruptError, apsw.SQLError, apsw.IOError)


@dataclass(frozen=True, slots=True)
class TableCopy:
    """The readable rows of a damaged table, and how to create it again."""

    shape: TableShape
    rows: Sequence[Sequence[Any]]
    indexes: Sequence[str]


class ReadableDatabase(SqliteDatabase):
    """A connection in a read transaction that leaves out what cannot be read."""

    def __init__(self, connection: apsw.Connection) -> None:
        super().__init__(connection)
        self.damaged: set[str] = set()  # tables of which something was left out
        self.probes = 0  # failed reads
        self._copies: dict[str, TableCopy] = {}
        self._lasting: dict[Any, Any] | None = None

    @property
    def copied(self) -> frozenset[str]:
        """The tables that a copy replaces."""
        return frozenset(self._copies)

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        try:
            return self.whole_rows(sql, parameters)
        except apsw.CorruptError:
            rows = None if _WHOLE.search(sql) else self._readable_rows(sql, list(parameters))
            if rows:
                return rows
            if not self.copy_damaged([MEMORIES]):
                if rows is None:
                    raise
                return rows
        return self.whole_rows(sql, parameters)

    def lasting_rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        kept, key = self.lasting(), (sql, parameters)
        rows: list[Any] | None = kept.get(key)
        if rows is None:
            rows = self.rows(sql, parameters)
            if self.is_sound:
                kept[key] = rows
        return rows

    def rows_in_view(self, sql: str, columns: str, ids: list[int], view: View) -> list[Any]:
        """The rows of a statement for ids and for versions `m` that a view shows. The id is the first column.

        A connection keeps what it has read until somebody writes. Versions that begin, end or expire as time goes by are
        read each time.
        """
        moment = view.moment
        if moment.explicit or moment.known_at is not None or view.domains is not None or view.levels is not None:
            return self._rows_now(sql, columns, ids, view)
        chosen = (view.collections, view.checkout_id, view.archived, view.journal)
        kept: dict[int, list[Any]] = self.lasting().setdefault((sql, columns, chosen), {})
        missing = [each for each in ids if each not in kept]
        if len(kept) + len(missing) > _MOST_IN_VIEW:
            return self._rows_now(sql, columns, ids, view)
        if not missing:
            return [row for each in ids for row in kept[each]]
        new: dict[int, list[Any]] = {each: [] for each in missing}
        condition, parameters = view_condition(view)
        with_steady = sql.format(columns=f"{columns}, {IS_STEADY}", visible=f"m.superseded_at IS NULL{condition}")
        for *row, is_steady in self.rows(with_steady, [missing, *parameters]):
            if is_steady and row[0] in new:
                new[row[0]].append(row)
            else:
                new.pop(row[0], None)
        if self.is_sound:
            kept |= new
        rows = [row for each in ids for row in (new.get(each) or kept.get(each) or ())]
        changing = [each for each in missing if each not in new]
        return [*rows, *self._rows_now(sql, columns, changing, view)] if changing else rows

    def _rows_now(self, sql: str, columns: str, ids: list[int], view: View) -> list[Any]:
        condition, parameters = visible(view)
        return self.rows(sql.format(columns=columns, visible=condition), [ids, *parameters])

    @property
    def is_sound(self) -> bool:
        """Whether this transaction has met no damage."""
        return not self.damaged and not self._copies

    def lasting(self) -> dict[Any, Any]:
        """What readers on this connection keep until somebody writes. Damaged tables must leave no trace in it."""
        if self._lasting is None:
            self._lasting = _lasting(self.connection)
        return self._lasting

    def kept_sketches(self) -> dict[int, VersionSketch]:
        """Sketches of versions by number, also of versions that are no longer visible or were erased meanwhile."""
        return _sketches.setdefault(self.connection, {})

    def whole_rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        """All rows, or CorruptError. Only tables other than `memories` may be copied for it."""
        try:
            return super().rows(sql, parameters)
        except apsw.CorruptError:
            if not self.copy_damaged(set(_NAME.findall(sql)) - {MEMORIES}):
                raise
            return super().rows(sql, parameters)

    def _readable_rows(self, sql: str, parameters: list[Any]) -> list[Any] | None:
        """Run a statement for fewer and fewer values of a list, until only unreadable ones are left out.

        None: no parameter is a list, or too much is unreadable.
        """
        lists = [at for at, value in enumerate(parameters) if type(value) is list]
        if not lists or self.probes > MOST_PROBES:
            return None
        longest = max(lists, key=lambda at: len(parameters[at]))
        values, rows = parameters[longest], list[Any]()
        if len(values) <= 1:
            self.damaged.add(MEMORIES)
            return rows
        for part in (values[: len(values) // 2], values[len(values) // 2 :]):
            with_part = [*parameters[:longest], part, *parameters[longest + 1 :]]
            try:
                rows += self.whole_rows(sql, with_part)
            except apsw.CorruptError:
                self.probes += 1
                rest = self._readable_rows(sql, with_part)
                if rest is None:
                    return None
                rows += rest
        return rows

    def copy_damaged(self, names: Iterable[str]) -> bool:
        """Replace each damaged one of these tables by a copy. False: none is damaged, or all were copied before."""
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
        # From both ends up to the damage: these tables can be rebuilt, so what is between may be left out.
        rows = list[Sequence[Any]]()
        for order in ("", " DESC"):
            key = ", ".join(f"{name}{order}" for name in shape.key) or f"rowid{order}"
            sql = f"SELECT {', '.join(shape.columns)} FROM main.{shape.name} NOT INDEXED ORDER BY {key}"
            with suppress(apsw.CorruptError, UnicodeDecodeError):
                for row in self.connection.execute(sql):
                    rows.append(row)
                break
        return rows

    def _put_in_place(self) -> None:
        """In a new transaction: once one has met damage, SQLite writes nothing in it, not even into memory."""
        self.connection.execute("ROLLBACK")
        self.connection.execute("BEGIN")
        for name, copy in self._copies.items():
            columns, places = ", ".join(copy.shape.columns), ", ".join("?" * len(copy.shape.columns))
            self.connection.execute(f"CREATE TEMP TABLE {name} ({_declared(copy.shape)}){_ending(copy.shape)}")
            self.connection.executemany(f"INSERT OR IGNORE INTO temp.{name} ({columns}) VALUES ({places})", copy.rows)
            for made_by in copy.indexes:
                self.connection.execute(_INDEX.sub(r"\1 temp.", made_by))


_kept: "weakref.WeakKeyDictionary[apsw.Connection, tuple[tuple[int, int], dict[Any, Any]]]"
_kept = weakref.WeakKeyDictionary()
_sketches: "weakref.WeakKeyDictionary[apsw.Connection, dict[int, VersionSketch]]" = weakref.WeakKeyDictionary()


def _lasting(connection: apsw.Connection) -> dict[Any, Any]:
    # The first number counts the writes of others that this transaction sees, the second our own.
    state = (connection.pragma("data_version"), connection.total_changes())
    kept = _kept.get(connection)
    if kept is None or kept[0] != state:
        kept = _kept[connection] = (state, {})
    return kept[1]


def is_whole(connection: apsw.Connection, table: str) -> bool:
    """Whether every row of a table in the file can be reached, by its number and by its indexes."""
    try:
        rows: list[Any] = connection.execute(f"PRAGMA main.integrity_check({table})").fetchall()
    except apsw.Error:
        return False
    return rows == [("ok",)]


def _declared(shape: TableShape) -> str:
    key = f", PRIMARY KEY ({', '.join(shape.key)})" if shape.key else ""
    return ", ".join(f"{name} {shape.types[name]}" for name in shape.columns) + key


def _ending(shape: TableShape) -> str:
    return "" if shape.is_numbered else " WITHOUT ROWID"
