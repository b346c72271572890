"""Edges between memories, and the structure of the code: its symbols and the relations between them."""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any

from waypost.model.time import from_micros, to_micros
from waypost.store.edges import Edge
from waypost.store.sql.database import TablePart
from waypost.store.structure import RelationSketch, SymbolSketch

_COLUMNS = "kind, from_id, to_id, strength, made_at, lines"
_INSERT = f"INSERT INTO edges ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (from_id, kind, to_id)"

_PLACE = "m.memory_id, m.kind, coalesce(m.name, ''), r.path, coalesce(r.first, 0), coalesce(r.last, 0), m.traits"
_SYMBOL = f"{_PLACE}, coalesce(field(m.details, type), m.kind), coalesce(field(m.details, signature), ''),"
_SYMBOL += " field(m.details, first_line)"
_REFERENCE = "THEN JOIN code_refs r ON r.number = m.number AND r.place = 0"
_HERE = "coalesce(m.checkout_id, '') = ?"  # so that SQLite searches by the id, not by the checkout
_CODE = "(m.kind = 'symbol' OR (m.kind = 'file' AND m.name = r.path))"  # no sections of documents


class EdgeRows(TablePart):
    def of_memory(self, memory_id: str) -> list[Edge]:
        rows = self._db.rows(
            f"SELECT {_COLUMNS} FROM edges WHERE from_id = ?1 OR to_id = ?1 ORDER BY 1, 2, 3", (memory_id,)
        )
        return [_edge_of(row) for row in rows]

    def of_kinds(
        self, memory_ids: Iterable[str], kinds: Sequence[str], *, known_at: datetime | None = None
    ) -> list[Edge]:
        """Edges of these kinds that start or end at one of these memories.

        `known_at` leaves out edges that were made later.
        """
        until = "" if known_at is None else " AND (made_at IS NULL OR made_at <= ?3)"
        rows = self._db.rows(
            f"SELECT {_COLUMNS} FROM edges WHERE kind IN (SELECT value FROM each_text(?2))"
            " AND (from_id IN (SELECT value FROM each_text(?1)) OR to_id IN (SELECT value FROM each_text(?1)))"
            f"{until} ORDER BY 1, 2, 3",
            (list(memory_ids), list(kinds), *([] if known_at is None else [to_micros(known_at)])),
        )
        return [_edge_of(row) for row in rows]


class EdgeChanges(EdgeRows):
    def add(self, edge: Edge) -> None:
        # A known edge keeps the time it was made first.
        self._db.change(f"{_INSERT} DO UPDATE SET strength = excluded.strength", _parameters(edge))

    def replace(self, from_ids: Sequence[str], kinds: Sequence[str], edges: Sequence[Edge]) -> None:
        """Replace all edges of these kinds that start at these memories."""
        self._db.change(
            "DELETE FROM edges WHERE from_id IN (SELECT value FROM each_text(?))"
            " AND kind IN (SELECT value FROM each_text(?))",
            (list(from_ids), list(kinds)),
        )
        self._db.change_many(
            f"{_INSERT} DO UPDATE SET strength = excluded.strength, made_at = excluded.made_at, lines = excluded.lines",
            sorted(map(_parameters, edges), key=itemgetter(1, 0, 2)),  # in the order of the key: its pages are filled
        )


class StructureRows(TablePart):
    def named(self, checkout_id: str, names: Sequence[str]) -> list[SymbolSketch]:
        """Symbols whose name after the last dot is one of these, in any case."""
        rows = self._db.rows(
            f"SELECT {_SYMBOL} FROM each_text(?) asked THEN JOIN memories m ON last_name(m.name) = asked.value"
            f" AND m.checkout_id = ? AND m.kind = 'symbol' {_REFERENCE} ORDER BY 4, 5, 3",
            ([name.lower() for name in names], checkout_id),
        )
        return [_symbol(row) for row in rows]

    def placed(self, checkout_id: str, places: Iterable[tuple[str, str]]) -> list[SymbolSketch]:
        """The symbols with these paths and qualified names. Far fewer rows than all of a file, or all with such a name."""
        wanted = set(places)
        names, paths = sorted({name for _, name in wanted}), sorted({path for path, _ in wanted})
        rows = self._db.rows(
            f"SELECT {_SYMBOL} FROM each_text(?1) asked THEN JOIN memories m ON last_name(m.name) = asked.value"
            " AND m.checkout_id = ?2 AND m.kind = 'symbol' AND m.name IN (SELECT value FROM each_text(?3))"
            " THEN JOIN code_refs r ON r.number = m.number AND r.place = 0 AND r.path IN (SELECT value FROM each_text(?4))"
            " ORDER BY 4, 5, 3",
            (sorted({name.rpartition(".")[2].lower() for name in names}), checkout_id, names, paths),
        )
        symbols = [_symbol(row) for row in rows]
        return [symbol for symbol in symbols if (symbol.path, symbol.qualified) in wanted]

    def in_files(self, checkout_id: str, paths: Sequence[str]) -> list[SymbolSketch]:
        """These files and their symbols, in order."""
        rows = self._db.rows(
            f"SELECT {_SYMBOL} FROM each_text(?) asked THEN JOIN code_refs r ON r.path = asked.value AND r.place = 0"
            f" THEN JOIN memories m ON m.number = r.number AND m.checkout_id = ? AND {_CODE} ORDER BY 4, 5, 6 DESC, 3",
            (list(paths), checkout_id),
        )
        return [_symbol(row) for row in rows]

    def with_ids(self, checkout_id: str, ids: Iterable[str]) -> list[SymbolSketch]:
        rows = self._db.rows(
            f"SELECT {_SYMBOL} FROM each_text(?) asked THEN JOIN memories m ON m.memory_id = asked.value"
            f" AND {_HERE} {_REFERENCE} WHERE {_CODE} ORDER BY 4, 5, 3",
            (list(ids), checkout_id),
        )
        return [_symbol(row) for row in rows]

    def every(self, checkout_id: str) -> list[SymbolSketch]:
        """All symbols and files of a checkout, in order."""
        rows = self._db.rows(
            f"SELECT {_SYMBOL} FROM memories m {_REFERENCE} WHERE m.checkout_id = ? AND {_CODE} ORDER BY 4, 5, 3",
            (checkout_id,),
        )
        return [_symbol(row) for row in rows]

    def names_starting(self, checkout_id: str, start: str) -> set[str]:
        """Qualified names of symbols whose last part starts with this, in any case."""
        rows = self._db.rows(
            "SELECT m.name FROM memories m WHERE last_name_starts(m.name, ?1) AND m.checkout_id IS NOT NULL"
            " AND coalesce(m.checkout_id, '') = ?2 AND m.kind = 'symbol'",
            (start.lower(), checkout_id),
        )
        return {row[0] for row in rows}

    def decorators(self, checkout_id: str) -> dict[str, list[str]]:
        """The decorators of symbols that have some, by id."""
        return self._lists(checkout_id, "decorators")

    def tables(self, checkout_id: str) -> dict[str, list[str]]:
        """The tables that symbols name in SQL, by id."""
        return self._lists(checkout_id, "tables")

    def _lists(self, checkout_id: str, name: str) -> dict[str, list[str]]:
        rows = self._db.rows(
            f"SELECT m.memory_id, field(m.details, {name}) FROM memories m"
            f" WHERE m.checkout_id = ? AND m.kind = 'symbol' AND field(m.details, {name}) IS NOT NULL",
            (checkout_id,),
        )
        return {memory_id: json.loads(names) for memory_id, names in rows}

    def relation_ids(self, checkout_id: str, kinds: Sequence[str]) -> list[tuple[str, str]]:
        """The ids of both ends of all relations of these kinds."""
        rows = self._db.rows(
            "SELECT e.from_id, e.to_id FROM memories m THEN JOIN edges e ON e.from_id = m.memory_id"
            f" WHERE m.checkout_id = ? AND e.kind IN ({_constants(kinds)})",
            (checkout_id,),
        )
        return [(from_id, to_id) for from_id, to_id in rows]

    def called_names(self, ids: Iterable[str]) -> set[str]:
        """Names of everything that these symbols call, known or not."""
        rows = self._db.rows(
            "SELECT field(m.details, calls) FROM memories m WHERE m.memory_id IN (SELECT value FROM each_text(?))",
            (list(ids),),
        )
        return {name for (names,) in rows if names for name in json.loads(names)}

    def into(self, checkout_id: str, ids: Iterable[str], kinds: Sequence[str]) -> list[RelationSketch]:
        """Relations of these kinds that end at these symbols."""
        return self._related("to_id", "from_id", checkout_id, ids, kinds)

    def out_of(self, checkout_id: str, ids: Iterable[str], kinds: Sequence[str]) -> list[RelationSketch]:
        """Relations of these kinds that start at these symbols."""
        return self._related("from_id", "to_id", checkout_id, ids, kinds)

    def _related(
        self, near: str, other: str, checkout_id: str, ids: Iterable[str], kinds: Sequence[str]
    ) -> list[RelationSketch]:
        rows = self._db.rows(
            f"SELECT e.{near}, e.kind, e.strength, e.lines, {_PLACE} FROM each_text(?) asked"
            f" THEN JOIN edges e ON e.{near} = asked.value AND e.kind IN ({_constants(kinds)})"
            f" THEN JOIN memories m ON m.memory_id = e.{other} AND {_HERE} {_REFERENCE}",
            (list(ids), checkout_id),
        )
        return [_relation(row) for row in rows]


def _constants(kinds: Sequence[str]) -> str:
    """Kinds of relations for a statement: they are constants of the program, and a list of values costs more."""
    assert all(kind.isidentifier() for kind in kinds)
    return ", ".join(f"'{kind}'" for kind in kinds)


def _lines_of(stored: str | None) -> tuple[int, ...]:
    """The line numbers of a stored edge."""
    return tuple(map(int, stored.split(","))) if stored else ()


def _edge_of(row: Sequence[Any]) -> Edge:
    kind, from_id, to_id, strength, made, lines = row
    return Edge(kind, from_id, to_id, strength, None if made is None else from_micros(made), _lines_of(lines))


def _parameters(edge: Edge) -> tuple[Any, ...]:
    made = None if edge.made_at is None else to_micros(edge.made_at)
    return edge.kind, edge.from_id, edge.to_id, edge.strength, made, ",".join(map(str, edge.lines)) or None


def _symbol(row: Sequence[Any]) -> SymbolSketch:
    *values, first_line = row
    return SymbolSketch._make([*values, int(first_line or 0)])


def _relation(row: Sequence[Any]) -> RelationSketch:
    near, kind, strength, lines, *other = row
    return RelationSketch(near, kind, strength, _lines_of(lines), SymbolSketch(*other))
