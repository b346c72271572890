"""Reads every row that is still readable in a damaged database, and assigns it to its table.

A page belongs to the table whose tree leads to it. If the tree is broken, the checksum of a row identifies its table.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import apsw

from waypost.model.kinds import KINDS
from waypost.store.sql.rows import VERSION_COLUMNS, version_of
from waypost.store.sqlite.checksums import SUMMED, StoredText, checksum
from waypost.store.sqlite.pages import (
    INTERIOR_INDEX,
    INTERIOR_TABLE,
    LEAF_INDEX,
    LEAF_TABLE,
    BadPage,
    Cell,
    Pages,
    values_of,
)

_SCHEMA_ROOT, _SCHEMA_COLUMNS = 1, 5
_SORTS = ("table", "index", "trigger")
_VERSION = VERSION_COLUMNS.split(", ")
_JSON = {"evidence": list, "tags": dict, "details": dict}


@dataclass(frozen=True, slots=True)
class TableShape:
    """How the rows of a table are stored."""

    name: str
    columns: tuple[str, ...]  # as declared
    stored: tuple[str, ...]  # in the order of the file: without row numbers the columns of the key come first
    types: dict[str, str]
    required: frozenset[str]
    number: str | None  # the column that is the row number
    is_numbered: bool  # whether its rows have numbers at all
    key: tuple[str, ...]

    @property
    def is_summed(self) -> bool:
        return self.name in SUMMED and "checksum" in self.types


@dataclass(slots=True)
class SalvageSurvey:
    """What was read and what was lost, by table."""

    read: Counter[str] = field(default_factory=Counter)  # rows by table
    bad_rows: Counter[str] = field(default_factory=Counter)
    bad_pages: Counter[str] = field(default_factory=Counter)
    doubtful: dict[int, str] = field(default_factory=dict)  # readable versions that differ from what was written
    memory_ids: dict[int, str] = field(default_factory=dict)  # of all versions by number, according to an index
    of_trees: set[int] = field(default_factory=set)  # numbers of derived versions
    read_numbers: set[int] = field(default_factory=set)

    @property
    def lost_memories(self) -> list[str]:
        """Ids of memories of which nothing can be read."""
        return sorted(self._lost - self._readable)

    @property
    def lost_versions(self) -> list[str]:
        """Ids of memories of which some versions can be read, but not all."""
        return sorted(self._lost & self._readable)

    @property
    def unsound_ids(self) -> tuple[str, ...]:
        """Ids of memories that cannot be read, or not as they were written."""
        return tuple(dict.fromkeys([*self.lost_memories, *self.lost_versions, *self.doubtful.values()]))

    @property
    def _readable(self) -> set[str]:
        return {memory_id for number, memory_id in self.memory_ids.items() if number in self.read_numbers}

    @property
    def _lost(self) -> set[str]:
        return {
            memory_id
            for number, memory_id in self.memory_ids.items()
            if number not in self.read_numbers and number not in self.of_trees
        }


def shapes_of(connection: apsw.Connection) -> dict[str, TableShape]:
    """The tables of a database, by name."""
    names: list[Any] = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table'").fetchall()
    shapes = {}
    for name, sql in names:
        if sql.startswith("CREATE VIRTUAL"):
            continue
        info: list[Any] = connection.execute(f"PRAGMA main.table_info({name})").fetchall()
        columns = tuple(row[1] for row in info)
        key = [row[1] for row in sorted(info, key=lambda row: row[5]) if row[5]]
        bare = "WITHOUT ROWID" in sql.upper()
        stored = (*key, *(column for column in columns if column not in key)) if bare else columns
        types = {row[1]: row[2].upper() for row in info}
        number = key[0] if not bare and len(key) == 1 and types[key[0]] == "INTEGER" else None
        required = frozenset(row[1] for row in info if (row[3] or (bare and row[5])) and row[1] != number)
        shapes[name] = TableShape(name, columns, stored, types, required, number, not bare, tuple(key))
    return shapes


class Salvage:
    """Reads the pages of a database created by these migrations."""

    def __init__(self, pages: Pages, schema: apsw.Connection) -> None:
        self._pages = pages
        self._shapes = shapes_of(schema)
        names = schema.execute("SELECT name FROM sqlite_schema WHERE rootpage > 0").fetchall()
        self._names = {name for (name,) in names}
        self.survey = SalvageSurvey()
        self._owner: dict[int, str] = {}
        self._wrong: dict[int, dict[str, Any]] = {}  # versions with a wrong checksum, by number
        self._walk("sqlite_schema", _SCHEMA_ROOT)
        self.roots = self._roots()
        for name, root in self.roots.items():
            self._walk(name, root)
        self._by_width: dict[int, list[TableShape]] = {}
        for shape in self._shapes.values():
            if shape.is_summed:
                self._by_width.setdefault(len(shape.columns), []).append(shape)

    def migrations(self) -> set[str]:
        """The readable names of the migrations of the database."""
        names = set[str]()
        for number in (number for number, owner in self._owner.items() if owner == "migrations"):
            try:
                for cell in self._pages.cells(number):
                    name = _text(values_of(cell.payload)[0]) if isinstance(cell, Cell) else None
                    names |= {name} if name else set()
            except (BadPage, IndexError):
                continue
        return names

    def rows(self) -> Iterator[tuple[TableShape, dict[str, Any]]]:
        """Every row with its table, and counts losses on the way. Rows of pages outside of all trees come last."""
        for number in sorted(range(1, self._pages.count + 1), key=lambda page: page not in self._owner):
            owner = self._owner.get(number, "")
            try:
                for cell in self._pages.cells(number):
                    yield from self._row(owner, cell, self._pages.sort(number) == LEAF_TABLE)
            except BadPage:
                if owner:
                    self.survey.bad_pages[owner] += 1
        yield from self._doubtful()

    # -- which page belongs to which table

    def _roots(self) -> dict[str, int]:
        """Root pages of tables and indexes, as far as the schema is readable."""
        roots: dict[str, int] = {}
        for number in (number for number, owner in list(self._owner.items()) if owner == "sqlite_schema"):
            roots |= self._roots_on(number)
        if self._names - roots.keys():
            for number in range(2, self._pages.count + 1):  # on a leaf that the first page no longer leads to
                if number not in self._owner and self._pages.sort(number) == LEAF_TABLE:
                    roots = self._roots_on(number) | roots
        return {name: root for name, root in roots.items() if name in self._names}

    def _roots_on(self, number: int) -> dict[str, int]:
        roots: dict[str, int] = {}
        try:
            for cell in self._pages.cells(number):
                if isinstance(cell, Cell) and cell.key is not None:
                    values = values_of(cell.payload)
                    if len(values) == _SCHEMA_COLUMNS and _text(values[0]) in _SORTS and isinstance(values[3], int):
                        roots[_text(values[1]) or ""] = values[3]
        except BadPage:
            pass
        return roots

    def _walk(self, name: str, root: int) -> None:
        numbered = name == "sqlite_schema" or (name in self._shapes and self._shapes[name].is_numbered)
        sorts = (INTERIOR_TABLE, LEAF_TABLE) if numbered else (INTERIOR_INDEX, LEAF_INDEX)
        left = [root]
        while left:
            number = left.pop()
            if number in self._owner:
                continue
            try:
                sort = self._pages.sort(number)
                if sort not in sorts:
                    raise BadPage("no page of this tree")
                self._owner[number] = name
                left += self._pages.children(number)
            except BadPage:
                self.survey.bad_pages[name] += 1

    # -- rows

    def _row(self, owner: str, cell: Cell | BadPage, numbered: bool) -> Iterator[tuple[TableShape, dict[str, Any]]]:
        shape = self._shapes.get(owner)
        if owner and shape is None and isinstance(cell, Cell):
            self._note_index(owner, cell)
        try:
            if isinstance(cell, BadPage):
                raise cell
            values = values_of(cell.payload)
        except BadPage:
            if shape is not None:
                self.survey.bad_rows[shape.name] += 1
            return
        row = self._as_row(shape, cell, values) if shape is not None else None
        if shape is None or row is None:
            of_index = bool(owner) and shape is None
            shape, row = self._by_checksum(cell, values, numbered)
            if shape is None or row is None:
                if owner and not of_index:
                    self.survey.bad_rows[owner] += 1
                return
        if shape.name == "memories" and self._wrong.get(row["number"]) is row:
            return  # later, when the index is known
        self.survey.read[shape.name] += 1
        if shape.name == "memories":
            self.survey.read_numbers.add(row["number"])
        yield shape, row

    def _doubtful(self) -> Iterator[tuple[TableShape, dict[str, Any]]]:
        """Versions with a wrong checksum: corrected if a checksum proves it, else as they are."""
        shape = self._shapes["memories"]
        for number, row in self._wrong.items():
            if number in self.survey.read_numbers:
                continue
            memory_id = self.survey.memory_ids.get(number)
            right = _put_right(shape, row, memory_id)
            row["memory_id"] = memory_id or row["memory_id"]
            if right is None and (
                row["checkout_id"] is not None or not _is_version(row)
            ):  # derived memories are indexed again
                self.survey.bad_rows[shape.name] += 1
                continue
            if right is None:
                self.survey.doubtful[number] = row["memory_id"]
            self.survey.read_numbers.add(number)
            self.survey.read[shape.name] += 1
            yield shape, right or row

    def _by_checksum(
        self, cell: Cell, values: Sequence[Any], numbered: bool
    ) -> tuple[TableShape | None, dict[str, Any] | None]:
        for shape in self._by_width.get(len(values), ()):
            if shape.is_numbered == numbered:
                row = _by_column(shape, cell, values)
                if row is not None and _is_true(shape, row) and row["checksum"] is not None:
                    return shape, row
        return None, None

    def _as_row(self, shape: TableShape, cell: Cell, values: Sequence[Any]) -> dict[str, Any] | None:
        """The row as values of its table, or None if it is unusable."""
        if len(values) > len(shape.stored) or (cell.key is None) == shape.is_numbered:
            return None
        row = _by_column(shape, cell, values)
        if row is None:
            return None
        was_summed = shape.is_summed and len(values) == len(shape.stored)
        if was_summed and _is_true(shape, row):
            return row
        if was_summed and shape.name == "memories":
            self._wrong[row["number"]] = row
            return row
        return None if was_summed or (shape.name == "memories" and not _is_version(row)) else row

    def _note_index(self, name: str, cell: Cell) -> None:
        if name not in ("memories_by_id", "memories_by_checkout"):
            return
        try:
            *values, number = values_of(cell.payload)
        except BadPage:
            return
        if name == "memories_by_checkout":
            self.survey.of_trees.add(number)
        elif isinstance(number, int) and (memory_id := _text(values[0])):
            self.survey.memory_ids[number] = memory_id


def true_rows(pages: Pages, shape: TableShape) -> Iterator[list[Any]]:
    """The rows of a table with checksums, in column order, even on pages that left its tree."""
    sorts = (LEAF_TABLE,) if shape.is_numbered else (INTERIOR_INDEX, LEAF_INDEX)
    for number in range(1, pages.count + 1):
        try:
            for cell in pages.cells(number) if pages.sort(number) in sorts else ():
                row = _true_row(shape, cell)
                if row is not None:
                    yield [row[name] for name in shape.columns]
        except BadPage:
            continue


def _true_row(shape: TableShape, cell: Cell | BadPage) -> dict[str, Any] | None:
    if isinstance(cell, BadPage):
        return None
    try:
        values = values_of(cell.payload)
    except BadPage:
        return None
    row = _by_column(shape, cell, values) if len(values) == len(shape.stored) else None
    return row if row is not None and row["checksum"] is not None and _is_true(shape, row) else None


def _by_column(shape: TableShape, cell: Cell, values: Sequence[Any]) -> dict[str, Any] | None:
    """Values by column, texts as str; None if a value is impossible for its column."""
    row: dict[str, Any] = dict.fromkeys(shape.columns)
    for name, value in zip(shape.stored, values, strict=False):
        given = _given(value, shape.types[name])
        if given is None and value is not None:
            return None
        row[name] = given
    if shape.number is not None:
        row[shape.number] = cell.key
    return None if any(row[name] is None for name in shape.required) else row


def _given(value: Any, sort: str) -> Any:
    """The value as its column returns it; None if it is impossible for this type."""
    if value is None:
        return None
    if sort == "TEXT" or (not sort and isinstance(value, StoredText)):
        return _text(value)
    if sort == "REAL":
        return float(value) if type(value) in (int, float) else None
    return value if type(value) is {"INTEGER": int, "BLOB": bytes}.get(sort, type(value)) else None


def _text(value: object) -> str | None:
    if not isinstance(value, StoredText):
        return None
    try:
        return value.decode()
    except UnicodeDecodeError:
        return None


def _is_true(shape: TableShape, row: dict[str, Any]) -> bool:
    return bool(row["checksum"] == checksum(*(row[name] for name in SUMMED[shape.name].columns)))


def _put_right(shape: TableShape, row: dict[str, Any], memory_id: str | None) -> dict[str, Any] | None:
    """The row with its damaged value replaced by one known from elsewhere, if the checksum is right then."""
    changes: list[dict[str, Any]] = [{"memory_id": memory_id}] if memory_id else []
    changes += [{"kind": kind} for kind in KINDS]
    changes += [{"collection": kind.collection} for kind in KINDS.values()]
    return next((right for change in changes if _is_true(shape, right := row | change)), None)


def _is_version(row: dict[str, Any]) -> bool:
    if row["kind"] not in KINDS or KINDS[row["kind"]].collection != row["collection"]:
        return False
    try:
        version_of([row[name] for name in _VERSION], ())
        return all(isinstance(json.loads(row[name]), sort) for name, sort in _JSON.items())
    except (ValueError, TypeError, KeyError, OverflowError):
        return False
