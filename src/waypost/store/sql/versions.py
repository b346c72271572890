"""Loads versions and sketches for all groups. SQLite adds checks and recovers what it can from damage."""

from collections.abc import Iterable, Sequence
from typing import Any

from waypost.model.memory import Version
from waypost.model.recall import View
from waypost.model.reference import CodeReference
from waypost.store.memories import VersionSketch
from waypost.store.sql.database import Database
from waypost.store.sql.references import REFERENCE_COLUMNS, reference_of
from waypost.store.sql.rows import VERSION_COLUMNS, version_of, visible

M_COLUMNS = ", ".join(f"m.{name.strip()}" for name in VERSION_COLUMNS.split(","))
SKETCH_COLUMNS = (
    "m.number, m.memory_id, m.kind, m.collection, m.level, m.session, m.position, m.speaker, m.language, m.traits,"
    " coalesce(m.time, m.valid_from)"
)
BY_NUMBER = "FROM memories m WHERE m.number IN (SELECT value FROM each_number(?))"


class VersionRows:
    MATCH_COLUMNS = SKETCH_COLUMNS  # what a search reads of the versions that it finds

    def __init__(self, database: Database) -> None:
        self._db = database
        self._sketched: dict[int, VersionSketch] = {}

    def select(self, sql: str, parameters: Sequence[Any]) -> list[Version]:
        """The versions `m` of a statement, which begins after `FROM memories m`."""
        return self._with_references(self._db.rows(f"SELECT {M_COLUMNS} FROM memories m {sql}", parameters))

    def _with_references(self, rows: Sequence[Any]) -> list[Version]:
        references: dict[int, tuple[CodeReference, ...]] = {}
        for number, *row in self._db.rows(
            f"SELECT number, {REFERENCE_COLUMNS} FROM code_refs WHERE number IN (SELECT value FROM each_number(?))"
            " ORDER BY 1, place",
            ([row[0] for row in rows],),
        ):
            references[number] = (*references.get(number, ()), reference_of(row))
        return [version_of(row, references.get(row[0], ())) for row in rows]

    def by_number(self, numbers: Iterable[int]) -> dict[int, Version]:
        versions = self.select("WHERE m.number IN (SELECT value FROM each_number(?))", [list(numbers)])
        return {version.number: version for version in versions}

    def keep_sketches(self, rows: Iterable[Sequence[Any]]) -> None:
        """Keep what a search has read of versions, in the order of MATCH_COLUMNS, until the transaction ends."""
        self._sketched.update((row[0], VersionSketch._make(row)) for row in rows)

    def sketches_of(self, numbers: Iterable[int]) -> list[VersionSketch]:
        numbers = list(numbers)
        try:
            return [self._sketched[number] for number in numbers]
        except KeyError:
            return self.sketches(BY_NUMBER, [numbers])

    def followers(self, numbers: Iterable[int], reach: int, view: View) -> list[VersionSketch]:
        """The sketches of visible versions at most `reach` positions after one of these, in the same session."""
        condition, parameters = visible(view)
        return self.sketches(
            "FROM memories a JOIN memories m ON m.session = a.session"
            " AND m.position BETWEEN a.position + 1 AND a.position + ?"
            f" WHERE a.session IS NOT NULL AND a.number IN (SELECT value FROM each_number(?)) AND {condition}",
            [reach, list(numbers), *parameters],
        )

    def sketches(self, sql: str, parameters: Sequence[Any]) -> list[VersionSketch]:
        """The sketches of the versions `m` of a statement, which begins with `FROM`."""
        rows = self._db.rows(f"SELECT {SKETCH_COLUMNS} {sql}", parameters)
        unique = {row[0]: row for row in rows}.values()  # turns next to several others occur more than once
        return list(map(VersionSketch._make, unique))
