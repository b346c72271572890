"""Reading: everything inside one read transaction, so that an answer never mixes two states.

Where the database is damaged, an answer is without what cannot be read, and `damage` tells so. A writer does not do this: what
it decides must rest on all that is there.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import apsw

from waypost.model.kinds import KINDS
from waypost.model.memory import Version
from waypost.model.recall import View
from waypost.store.protocol import CodeSketch, FoundPassage, Twin, VectorAnswer, VersionSketch
from waypost.store.sql.memories import M_COLUMNS
from waypost.store.sql.moved import SELECT_NOTES
from waypost.store.sql.rows import version_of, visible
from waypost.store.sqlite.checksums import FUNCTION, SUMMED
from waypost.store.sqlite.database import SqliteDatabase
from waypost.store.sqlite.readable_tables import MEMORIES, ReadableDatabase
from waypost.store.sqlite.search import SqliteSearchRows
from waypost.store.sqlite.text_search import search_texts

if TYPE_CHECKING:
    from waypost.store.protocol import Vector
    from waypost.store.sql.moving import TableRows
    from waypost.store.sql.scores import VectorScores
    from waypost.store.sqlite.vectors import EngineVectors

# What depends on all asked-for values together: it cannot be asked for some of them at a time.
_WHOLE = re.compile(r"\bNOT IN\b|\bLIMIT\b|\bGROUP BY\b|\bUNION\b|\b(count|sum|min|max|avg|total)\s*\(", re.IGNORECASE)
_FALSE = (
    "SELECT number FROM memories WHERE number IN (SELECT value FROM each_number(?))"
    f" AND checksum IS NOT {FUNCTION}({', '.join(SUMMED['memories'].columns)})"
)
_UNREADABLE = (apsw.CorruptError, apsw.SQLError, apsw.IOError)
_MOST_PROBES = 500  # that fail in one transaction: with more of it damaged, a copy of what is readable is made
_LIMIT = re.compile(r"LIMIT (\?|\d+)\s*$")


class SqliteReader(SqliteSearchRows):
    """All that is read."""

    def __init__(
        self, connection: apsw.Connection, vectors: "Callable[[apsw.Connection, str], EngineVectors | None]"
    ) -> None:
        self._readable = ReadableDatabase(connection)
        super().__init__(self._readable, vectors)
        self._damage: set[str] = set()
        self._probes = 0

    def damage(self) -> list[str]:
        return sorted(self._damage | self._readable.copied)

    @property
    def copied(self) -> frozenset[str]:
        """The tables that could not be read where they are: nobody may write by what is left of them."""
        return self._readable.copied

    def tables(self) -> "TableRows":
        """For who moves the memory elsewhere: nothing of it may be missing."""
        from waypost.store.sql.moving import TableRows  # only for a memory that is moved

        return TableRows(SqliteDatabase(self._connection))

    def moved_notes(self) -> list[Any]:
        return self._rows(SELECT_NOTES)

    def _rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        try:
            return super()._rows(sql, parameters)
        except apsw.CorruptError:
            found = None if _WHOLE.search(sql) else self._readable_rows(sql, list(parameters))
            if found:
                return found
            if not self._readable.copy_damaged([MEMORIES]):
                if found is None:
                    raise
                return found
        return super()._rows(sql, parameters)

    def _readable_rows(self, sql: str, parameters: list[Any]) -> list[Any] | None:
        """Asked for fewer and fewer of the values of a list, until only those are left out that cannot be read. None: there
        is no list, or too much of it cannot be read."""
        lists = [at for at, value in enumerate(parameters) if type(value) is list]
        if not lists or self._probes > _MOST_PROBES:
            return None
        longest = max(lists, key=lambda at: len(parameters[at]))
        values, found = parameters[longest], list[Any]()
        if len(values) <= 1:
            self._damage.add("memories")
            return found
        for part in (values[: len(values) // 2], values[len(values) // 2 :]):
            given = [*parameters[:longest], part, *parameters[longest + 1 :]]
            try:
                found += super()._rows(sql, given)
            except apsw.CorruptError:
                self._probes += 1
                rest = self._readable_rows(sql, given)
                if rest is None:
                    return None
                found += rest
        return found

    # -- versions

    def versions_by_number(self, numbers: Iterable[int]) -> dict[int, Version]:
        """Without those that are not as they were written: an answer is made of these."""
        found = super().versions_by_number(numbers)
        false = self._rows(_FALSE, (list(found),)) if found else []
        if false:
            self._damage.add("memories")
        return {number: version for number, version in found.items() if (number,) not in false}

    def _versions(self, sql: str, parameters: Sequence[Any]) -> list[Version]:
        try:
            return super()._versions(sql, parameters)
        except apsw.CorruptError:
            rows = self._readable_versions(sql, parameters)
            if not rows and self._readable.copy_damaged([MEMORIES]):
                return super()._versions(sql, parameters)
        refs = self._refs([row[0] for row in rows])
        return [version_of(row, refs.get(row[0], ())) for row in rows]

    def _sketches(self, sql: str, parameters: Sequence[Any]) -> list[VersionSketch]:
        try:
            found = super()._sketches(sql, parameters)
            if all(type(one.traits) is int and type(one.position) is int and one.kind in KINDS for one in found):
                return found
        except (TypeError, ValueError, OverflowError):
            pass
        self._damage.add("memories")
        numbers = {number for (number,) in self._rows(f"SELECT DISTINCT m.number {sql}", parameters)}
        numbers -= {number for (number,) in self._rows(_FALSE, (list(numbers),))}
        return super()._sketches(
            "FROM memories m WHERE m.number IN (SELECT value FROM each_number(?))", [sorted(numbers)]
        )

    def code_sketches(self, numbers: Iterable[int]) -> dict[int, CodeSketch]:
        found = super().code_sketches(numbers)
        sound = {number: one for number, one in found.items() if type(one.traits) is int and one.kind in KINDS}
        if len(sound) < len(found):
            self._damage.add("memories")
        return sound

    def _readable_versions(self, sql: str, parameters: Sequence[Any]) -> list[Any]:
        """The same by ranges of numbers: halved until only those are left out that cannot be read."""
        limit = _LIMIT.search(sql)
        most = 0 if limit is None else int(parameters[-1] if limit[1] == "?" else limit[1])
        downwards, found = "DESC" in sql, list[Any]()
        left = [(1, self._highest_number())]
        while left and not (most and len(found) >= most):
            first, last = left.pop()
            try:
                found += self._range(sql, parameters, first, last)
            except (apsw.CorruptError, ValueError, TypeError, OverflowError):
                self._probes += 1
                if self._probes > _MOST_PROBES:
                    if self._readable.copy_damaged([MEMORIES]):
                        return self._readable_versions(sql, parameters)
                    raise
                if first == last:
                    self._damage.add("memories")
                    continue
                middle = (first + last) // 2
                halves = [(first, middle), (middle + 1, last)]
                left += halves if downwards else halves[::-1]
        return found[:most] if most else found

    def _range(self, sql: str, parameters: Sequence[Any], first: int, last: int) -> list[Any]:
        # A single row is looked up: at the end of a range SQLite looks at the row behind it, which may be damaged.
        chosen, given = ("= ?", [first]) if first == last else ("BETWEEN ? AND ?", [first, last])
        within = f"FROM (SELECT * FROM memories NOT INDEXED WHERE number {chosen}) m {sql}"
        rows = self._db.rows(f"SELECT {M_COLUMNS} {within}", [*given, *parameters])
        if any(version_of(row, ()).kind not in KINDS for row in rows):
            raise apsw.CorruptError("a version is of no known kind")
        return rows

    def _highest_number(self) -> int:
        try:
            rows = self._db.rows("SELECT seq FROM sqlite_sequence WHERE name = 'memories'")
            return int(rows[0][0]) if rows else 0
        except _UNREADABLE:
            return int(self._db.rows("SELECT coalesce(max(number), 0) FROM memories")[0][0])

    # -- what can be done without

    def owed(self) -> dict[str, int]:
        try:
            return super().owed()
        except apsw.CorruptError:
            self._damage.add("vectors")
            return {}

    def keyword_search(self, terms: Sequence[str], limit: int, view: View) -> list[FoundPassage]:
        try:
            found = super().keyword_search(terms, limit, view)
            if "passages" not in self.copied:
                return found
        except _UNREADABLE:
            self._damage.add("keywords")
        condition, parameters = visible(view)
        rows = self._rows(f"SELECT m.number, m.memory_id, m.text FROM memories m WHERE {condition}", parameters)
        return search_texts(rows, terms, limit)

    def code_keyword_search(
        self, terms: Sequence[str], weights: Sequence[float], limit: int, view: View
    ) -> list[FoundPassage]:
        try:
            return super().code_keyword_search(terms, weights, limit, view)
        except _UNREADABLE:
            self._damage.add("code_keywords")
            return []

    def _score(self, engine: str, vector: "Vector") -> "VectorScores | None":
        try:
            return super()._score(engine, vector)
        except (*_UNREADABLE, ValueError):
            self._damage.add("vectors")
            return None

    def vector_search(self, engine: str, vector: "Vector", limit: int, view: View) -> VectorAnswer:
        try:
            return super().vector_search(engine, vector, limit, view)
        except _UNREADABLE:
            self._damage.add("vectors")
            return VectorAnswer((), {})

    def vector_scores(self, engine: str, vector: "Vector", numbers: Sequence[int]) -> dict[int, float]:
        try:
            return super().vector_scores(engine, vector, numbers)
        except _UNREADABLE:
            self._damage.add("vectors")
            return {}

    def twins(
        self, engine: str, vectors: "Vector", kind: str, domain: str, above: float, since_number: int = 0
    ) -> list[Twin]:
        try:
            return super().twins(engine, vectors, kind, domain, above, since_number)
        except (*_UNREADABLE, ValueError):
            self._damage.add("vectors")
            return []
