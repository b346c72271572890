"""Loads versions from a SQLite file that may be damaged."""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import apsw

from waypost.model.kinds import KINDS
from waypost.model.memory import Version
from waypost.model.time import to_micros
from waypost.store.memories import VersionSketch
from waypost.store.sql.rows import version_of
from waypost.store.sql.versions import M_COLUMNS, VersionRows
from waypost.store.sqlite.checksums import FUNCTION, SUMMED, checksum
from waypost.store.sqlite.readable_tables import MEMORIES, MOST_PROBES, UNREADABLE, ReadableDatabase

_FALSE = (
    "SELECT number FROM memories WHERE number IN (SELECT value FROM each_number(?))"
    f" AND checksum IS NOT {FUNCTION}({', '.join(SUMMED['memories'].columns)})"
)
_WITH_CHECKSUMS = (
    f"SELECT checksum, {', '.join(SUMMED['memories'].columns)} FROM memories"
    " WHERE number IN (SELECT value FROM each_number(?))"
)
_KIND, _COLLECTION = (1 + SUMMED["memories"].columns.index(name) for name in ("kind", "collection"))
_FIRST_MICROS, _LAST_MICROS = (to_micros(at.replace(tzinfo=UTC)) for at in (datetime.min, datetime.max))
_LIMIT = re.compile(r"LIMIT (\?|\d+)\s*$")


class CheckedVersionRows(VersionRows):
    """Raises CorruptError for values that cannot be understood."""

    def select(self, sql: str, parameters: Sequence[Any]) -> list[Version]:
        try:
            versions = super().select(sql, parameters)
        except (ValueError, TypeError, OverflowError) as error:
            raise apsw.CorruptError("a version cannot be understood") from error
        if any(version.kind not in KINDS for version in versions):
            raise apsw.CorruptError("a version is of no known kind")
        return versions


class ReadableVersionRows(CheckedVersionRows):
    """Leaves out what cannot be read."""

    def __init__(self, database: ReadableDatabase) -> None:
        super().__init__(database)
        self._readable = database

    def select(self, sql: str, parameters: Sequence[Any]) -> list[Version]:
        try:
            return super().select(sql, parameters)
        except apsw.CorruptError:
            rows = self._readable_rows(sql, parameters)
            if not rows and self._readable.copy_damaged([MEMORIES]):
                return super().select(sql, parameters)
        return self._with_references(rows)

    def by_number(self, numbers: Iterable[int]) -> dict[int, Version]:
        """Without those that differ from what was written: answers are made of these."""
        numbers = list(numbers)
        with suppress(apsw.CorruptError, ValueError, TypeError, OverflowError):
            rows = self._readable.whole_rows(_WITH_CHECKSUMS, (numbers,))
            if all(row[0] == checksum(*row[1:]) and row[_KIND] in KINDS for row in rows):
                versions = self._with_references([(*row[1:_COLLECTION], *row[_COLLECTION + 1 :]) for row in rows])
                return {version.number: version for version in versions}
        return self._by_number_without_damage(numbers)

    def _by_number_without_damage(self, numbers: Iterable[int]) -> dict[int, Version]:
        versions = super().by_number(numbers)
        false = self._db.rows(_FALSE, (list(versions),)) if versions else []
        if false:
            self._readable.damaged.add(MEMORIES)
        return {number: version for number, version in versions.items() if (number,) not in false}

    def keep_sketches(self, rows: Iterable[Sequence[Any]]) -> None:
        rows = list(rows)
        if _are_sound(rows):  # else they are read again, without damaged ones
            super().keep_sketches(rows)

    def sketches(self, sql: str, parameters: Sequence[Any]) -> list[VersionSketch]:
        sketches = super().sketches(sql, parameters)
        if _are_sound(sketches):
            return sketches
        self._readable.damaged.add(MEMORIES)
        numbers = {number for (number,) in self._db.rows(f"SELECT DISTINCT m.number {sql}", parameters)}
        numbers -= {number for (number,) in self._db.rows(_FALSE, (list(numbers),))}
        return super().sketches(
            "FROM memories m WHERE m.number IN (SELECT value FROM each_number(?))", [sorted(numbers)]
        )

    def _readable_rows(self, sql: str, parameters: Sequence[Any]) -> list[Any]:
        """The rows of a statement by ranges of numbers, halved until only unreadable rows are left out."""
        limit = _LIMIT.search(sql)
        most = 0 if limit is None else int(parameters[-1] if limit[1] == "?" else limit[1])
        downwards, rows = "DESC" in sql, list[Any]()
        left = [(1, self._highest_number())]
        while left and not (most and len(rows) >= most):
            first, last = left.pop()
            try:
                rows += self._range(sql, parameters, first, last)
            except (apsw.CorruptError, ValueError, TypeError, OverflowError):
                self._readable.probes += 1
                if self._readable.probes > MOST_PROBES:
                    if self._readable.copy_damaged([MEMORIES]):
                        return self._readable_rows(sql, parameters)
                    raise
                if first == last:
                    self._readable.damaged.add(MEMORIES)
                    continue
                middle = (first + last) // 2
                halves = [(first, middle), (middle + 1, last)]
                left += halves if downwards else halves[::-1]
        return rows[:most] if most else rows

    def _range(self, sql: str, parameters: Sequence[Any], first: int, last: int) -> list[Any]:
        # A single row is looked up: at the end of a range SQLite reads the next row, which may be damaged.
        chosen, bounds = ("= ?", [first]) if first == last else ("BETWEEN ? AND ?", [first, last])
        within = f"FROM (SELECT * FROM memories NOT INDEXED WHERE number {chosen}) m {sql}"
        rows = self._readable.whole_rows(f"SELECT {M_COLUMNS} {within}", [*bounds, *parameters])
        if any(version_of(row, ()).kind not in KINDS for row in rows):
            raise apsw.CorruptError("a version is of no known kind")
        return rows

    def _highest_number(self) -> int:
        try:
            rows = self._readable.whole_rows("SELECT seq FROM sqlite_sequence WHERE name = 'memories'")
            return int(rows[0][0]) if rows else 0
        except UNREADABLE:
            return int(self._readable.whole_rows("SELECT coalesce(max(number), 0) FROM memories")[0][0])


def _are_sound(rows: Sequence[Sequence[Any]]) -> bool:
    """Whether the columns of sketches have values that ranking can use."""
    if not rows:
        return True
    _, _, kinds, _, _, _, positions, _, _, traits, micros = zip(*rows, strict=True)
    return (
        set(map(type, positions)) == set(map(type, traits)) == set(map(type, micros)) == {int}
        and KINDS.keys() >= set(kinds)
        and min(micros) >= _FIRST_MICROS
        and max(micros) <= _LAST_MICROS
    )
