"""Loads versions from a SQLite file that may be damaged."""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import apsw

from waypost.model.kinds import CODE_COLLECTIONS, KINDS
from waypost.model.memory import Version
from waypost.model.recall import View
from waypost.model.time import to_micros
from waypost.store.memories import VersionSketch
from waypost.store.sql.rows import version_of
from waypost.store.sql.versions import BY_NUMBER, M_COLUMNS, VersionRows
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
_MOST_KEPT = 20_000  # sketches that a connection keeps: 12 MB
_MOST_VERSIONS, _LONGEST_KEPT = 2_000, 2_000  # versions that it keeps until somebody writes, and their characters: 8 MB
_BEHIND = (
    "SELECT a.number, {columns} FROM memories a JOIN memories m ON m.session = a.session"
    " AND m.position BETWEEN a.position + 1 AND a.position + REACH"
    " WHERE a.session IS NOT NULL AND a.number IN (SELECT value FROM each_number(?)) AND {visible}"
)
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

    MATCH_COLUMNS = "m.number, m.memory_id"

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
        kept: dict[int, Version] = self._readable.lasting().setdefault(ReadableVersionRows, {})
        new = self._read_by_number([number for number in numbers if number not in kept])
        if self._readable.is_sound and len(kept) + len(new) <= _MOST_VERSIONS:
            kept |= {number: version for number, version in new.items() if len(version.text) <= _LONGEST_KEPT}
        versions = ((number, kept.get(number) or new.get(number)) for number in sorted(numbers))
        return {number: version for number, version in versions if version is not None}

    def _read_by_number(self, numbers: list[int]) -> dict[int, Version]:
        if not numbers:
            return {}
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
        """The connection has most of them."""

    def sketches_of(self, numbers: Iterable[int]) -> list[VersionSketch]:
        """Without those that cannot be read. Stored prose never changes: a connection keeps its sketches."""
        numbers, kept = list(numbers), self._readable.kept_sketches()
        new = {sketch.number: sketch for sketch in self._read_sketches([n for n in numbers if n not in kept])}
        if self._readable.is_sound and len(kept) + len(new) <= _MOST_KEPT:
            kept |= {number: sketch for number, sketch in new.items() if sketch.collection not in CODE_COLLECTIONS}
        sketches = [kept.get(number) or new.get(number) for number in numbers]
        return [sketch for sketch in sketches if sketch is not None]

    def followers(self, numbers: Iterable[int], reach: int, view: View) -> list[VersionSketch]:
        behind = _BEHIND.replace("REACH", str(int(reach)))
        rows = self._readable.rows_in_view(behind, "m.number", list(numbers), view)
        return self.sketches_of(dict.fromkeys(number for _, number in rows))

    def sketches(self, sql: str, parameters: Sequence[Any]) -> list[VersionSketch]:
        rows = self._db.rows(f"SELECT m.number {sql}", parameters)
        return self.sketches_of(dict.fromkeys(number for (number,) in rows))

    def _read_sketches(self, numbers: list[int]) -> list[VersionSketch]:
        if not numbers:
            return []
        sketches = super().sketches(BY_NUMBER, [numbers])
        if _are_sound(sketches):
            return sketches
        self._readable.damaged.add(MEMORIES)
        false = {number for (number,) in self._db.rows(_FALSE, (numbers,))}
        return super().sketches(BY_NUMBER, [[number for number in numbers if number not in false]])

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
