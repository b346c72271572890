"""Memories: their versions and states."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from waypost.model.ids import ID_LENGTH, LAST_SIGN
from waypost.model.memory import State, Version
from waypost.model.recall import View
from waypost.model.time import Moment, to_micros
from waypost.store.memories import Filter, PassageRow, VersionSketch
from waypost.store.sql.database import Database
from waypost.store.sql.domains import DomainSums
from waypost.store.sql.passages import Passages
from waypost.store.sql.references import add_references
from waypost.store.sql.rows import (
    STATE_FIELDS,
    VERSION_COLUMNS,
    moment_condition,
    state_of,
    state_parameter,
    version_parameters,
    visible,
)
from waypost.store.sql.versions import VersionRows

_INSERT_COLUMNS = VERSION_COLUMNS.removeprefix("number, ") + ", collection"
_INSERT_VERSION = f"INSERT INTO memories ({_INSERT_COLUMNS}) VALUES ({','.join('?' * (_INSERT_COLUMNS.count(',') + 1))}) RETURNING number"


class MemoryRows:
    def __init__(self, database: Database, versions: VersionRows) -> None:
        self._db = database
        self._versions = versions

    def version(self, memory_id: str, moment: Moment) -> Version | None:
        """The version of this memory that is visible at the moment."""
        condition, parameters = moment_condition(moment)
        versions = self._versions.select(
            f"WHERE m.memory_id = ? AND {condition} ORDER BY m.number DESC LIMIT 1", [memory_id, *parameters]
        )
        return versions[0] if versions else None

    def versions(self, memory_id: str) -> list[Version]:
        """All versions ever recorded, oldest first."""
        return self._versions.select("WHERE m.memory_id = ? ORDER BY m.number", [memory_id])

    def ids_from(self, beginning: str, limit: int) -> list[str]:
        """Ids of memories and of facts that need review which begin so, in order."""
        bounds, ids = (beginning, beginning.ljust(ID_LENGTH, LAST_SIGN), limit), list[str]()
        for table, column in (("memories", "memory_id"), ("candidates", "candidate_id")):
            rows = self._db.rows(
                f"SELECT DISTINCT {column} FROM {table} WHERE {column} BETWEEN ? AND ? ORDER BY {column} LIMIT ?",
                bounds,
            )
            ids += [row[0] for row in rows]
        return sorted(set(ids))[:limit]

    def ids_beside(self, memory_ids: Iterable[str]) -> dict[str, tuple[str, str]]:
        """For each that exists, the id before and the one after it in alphabetical order; empty at the ends."""
        rows = self._db.rows(
            "SELECT asked.value, (SELECT max(memory_id) FROM memories WHERE memory_id < asked.value),"
            " (SELECT min(memory_id) FROM memories WHERE memory_id > asked.value),"
            " (SELECT max(candidate_id) FROM candidates WHERE candidate_id < asked.value),"
            " (SELECT min(candidate_id) FROM candidates WHERE candidate_id > asked.value) FROM each_text(?) asked"
            " WHERE EXISTS (SELECT 1 FROM memories WHERE memory_id = asked.value)"
            " OR EXISTS (SELECT 1 FROM candidates WHERE candidate_id = asked.value)",
            (list(memory_ids),),
        )
        return {
            row[0]: (max(row[1] or "", row[3] or ""), min(filter(None, (row[2], row[4])), default="")) for row in rows
        }

    def by_number(self, numbers: Iterable[int]) -> dict[int, Version]:
        return self._versions.by_number(numbers)

    def visible(self, memory_ids: Iterable[str], view: View) -> dict[str, Version]:
        """The visible versions of these memories, by memory id."""
        condition, parameters = visible(view)
        versions = self._versions.select(
            f"WHERE m.memory_id IN (SELECT value FROM each_text(?)) AND {condition} ORDER BY m.number",
            [list(memory_ids), *parameters],
        )
        return {version.memory_id: version for version in versions}

    def listing(self, view: View, chosen: Filter, *, after: int = 0, limit: int = 100) -> list[Version]:
        """Visible versions with a number above `after`, in the order they were recorded."""
        condition, parameters = _filter_condition(view, chosen)
        return self._versions.select(
            f"WHERE {condition} AND m.number > ? ORDER BY m.number LIMIT ?", [*parameters, after, limit]
        )

    def latest(self, view: View, chosen: Filter, limit: int) -> list[Version]:
        """The visible versions recorded last, oldest of them first."""
        condition, parameters = _filter_condition(view, chosen)
        return self._versions.select(f"WHERE {condition} ORDER BY m.number DESC LIMIT ?", [*parameters, limit])[::-1]

    def states(self, memory_ids: Iterable[str]) -> dict[str, State]:
        rows = self._db.rows(
            f"SELECT memory_id, {', '.join(STATE_FIELDS)} FROM states WHERE memory_id IN (SELECT value FROM each_text(?))",
            (list(memory_ids),),
        )
        return {row[0]: state_of(row[1:]) for row in rows}

    def with_key(self, key: str) -> Version | None:
        """The current version with this caller-given key."""
        versions = self._versions.select("WHERE m.key = ? AND m.superseded_at IS NULL ORDER BY m.number", [key])
        return versions[0] if versions else None

    def with_fingerprint(self, fingerprint: bytes) -> list[Version]:
        """Every version, current or not, with exactly this content and scope, oldest first."""
        return self._versions.select("WHERE m.fingerprint = ? ORDER BY m.number", [fingerprint])

    def sketches(self, numbers: Iterable[int]) -> dict[int, VersionSketch]:
        return {sketch.number: sketch for sketch in self._versions.sketches_of(numbers)}

    def followers(self, numbers: Iterable[int], reach: int, view: View) -> list[VersionSketch]:
        """Visible versions at most `reach` positions after one of these, in the same session."""
        return self._versions.followers(numbers, reach, view)

    def neighbours(self, memory_ids: Iterable[str], reach: int, view: View) -> list[VersionSketch]:
        """These memories and the visible versions at most `reach` positions before or after them."""
        condition, parameters = visible(view)
        return self._versions.sketches(  # in this order: from the few to what is around them
            "FROM memories a THEN JOIN memories m ON m.session = a.session"
            " AND m.position BETWEEN a.position - ? AND a.position + ?"
            f" WHERE a.session IS NOT NULL AND a.memory_id IN (SELECT value FROM each_text(?)) AND {condition}",
            [reach, reach, list(memory_ids), *parameters],
        )

    def speakers(self, limit: int) -> list[str]:
        # Jumps from one name to the next in the index instead of reading every turn.
        """Names of all speakers, in alphabetical order."""
        rows = self._db.lasting_rows(
            "WITH RECURSIVE who (name) AS (SELECT min(speaker) FROM memories WHERE speaker IS NOT NULL UNION ALL"
            " SELECT (SELECT min(speaker) FROM memories WHERE speaker > who.name) FROM who WHERE who.name IS NOT NULL)"
            " SELECT name FROM who WHERE name IS NOT NULL LIMIT ?",
            (limit,),
        )
        return [row[0] for row in rows]

    def last_number(self) -> int:
        return int(self._db.rows("SELECT coalesce(max(number), 0) FROM memories")[0][0])

    def counts(self, view: View) -> dict[str, int]:
        """Visible memories in each collection."""
        condition, parameters = visible(view)
        return dict(
            self._db.rows(
                f"SELECT m.collection, count(*) FROM memories m WHERE {condition} GROUP BY m.collection ORDER BY 1",
                parameters,
            )
        )


class MemoryChanges(MemoryRows):
    def __init__(self, database: Database, versions: VersionRows, passages: Passages, sums: DomainSums) -> None:
        super().__init__(database, versions)
        self._passages = passages
        self._sums = sums

    def add(
        self, version: Version, passages: Sequence[PassageRow], engines: Sequence[str], *, urgency: float = 1.0
    ) -> int:
        """Store a version with its passages and return its number.

        Texts that `engines` have not embedded become pending. The most urgent are embedded first.
        """
        position = version.position
        if version.session is not None and not position:
            ((position,),) = self._db.rows(
                "SELECT coalesce(max(position), 0) + 1 FROM memories WHERE session = ?", (version.session,)
            )
        number = int(self._db.rows(_INSERT_VERSION, version_parameters(version, position))[0][0])
        add_references(self._db, number, version.refs)
        self._passages.load([(number, row) for row in passages], engines, urgency)
        self._sums.add_version(number)
        return number

    def supersede(self, number: int, at: datetime) -> None:
        with self._sums.updating([number]):
            self._db.change(
                "UPDATE memories SET superseded_at = greatest(?, recorded_at) WHERE number = ? AND superseded_at IS NULL",
                (to_micros(at), number),
            )

    def set_state(self, memory_id: str, **changes: Any) -> None:
        """Change fields of the memory's `State`."""
        self._db.change("INSERT INTO states (memory_id) VALUES (?) ON CONFLICT DO NOTHING", (memory_id,))
        for name, value in changes.items():
            self._db.change(
                f"UPDATE states SET {name} = ? WHERE memory_id = ?", (state_parameter(name, value), memory_id)
            )

    def erase(self, memory_id: str, numbers: Sequence[int]) -> None:
        """Remove these versions, and with the last one everything that belongs to the memory.

        Call `Store.scrub` afterwards to remove the traces.
        """
        chosen = "number IN (SELECT number FROM memories WHERE memory_id = ? AND number IN (SELECT value FROM each_number(?)))"
        parameters = (memory_id, list(numbers))
        with self._sums.updating(numbers):
            self._passages.drop_where(chosen, parameters)
            self._db.change(f"DELETE FROM memories WHERE {chosen}", parameters)
        if self._db.rows("SELECT 1 FROM memories WHERE memory_id = ? LIMIT 1", (memory_id,)):
            return
        for table, column in (
            ("states", "memory_id"),
            ("edges", "from_id"),
            ("edges", "to_id"),
            ("journal_places", "memory_id"),
        ):
            self._db.change(f"DELETE FROM {table} WHERE {column} = ?", (memory_id,))

    def replace_passages(self, number: int, passages: Sequence[PassageRow], engines: Sequence[str]) -> None:
        """Index a version again. Vectors of unchanged texts stay."""
        self._passages.replace(number, passages, engines)


def _filter_condition(view: View, chosen: Filter) -> tuple[str, list[Any]]:
    condition, parameters = visible(view)
    for sql, value in (
        ("m.kind IN (SELECT value FROM each_text(?))", list(chosen.kinds) or None),
        ("m.level = ?", chosen.level),
        ("m.domain = ?", chosen.domain),
        ("m.session = ?", chosen.session),
        ("m.module = ?", chosen.module),
    ):
        if value is not None:
            condition += f" AND {sql}"
            parameters.append(value)
    for name, wanted in chosen.tags:
        condition += " AND has_tag(m.tags, ?, ?)"
        parameters += [name, wanted]
    return condition, parameters
