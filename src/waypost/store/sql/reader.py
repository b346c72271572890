"""Reading: everything inside one read transaction, so that an answer never mixes two states."""

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from waypost.model.audit import AuditEntry
from waypost.model.memory import State, Version
from waypost.model.recall import View
from waypost.model.reference import CodeReference
from waypost.model.time import Moment, from_micros
from waypost.store.protocol import Edge, Filter, VersionSketch
from waypost.store.sql.database import Database
from waypost.store.sql.domain_rows import DomainRows
from waypost.store.sql.fact_rows import EDGE, edge_of
from waypost.store.sql.reference_rows import REFERENCE_COLUMNS, reference_of
from waypost.store.sql.rows import (
    STATE_FIELDS,
    VERSION_COLUMNS,
    moment_condition,
    state_of,
    version_of,
    visible,
)
from waypost.store.sql.share_rows import ShareRows

if TYPE_CHECKING:
    from waypost.store.protocol import Vector
    from waypost.store.sql.moving import TableRows

M_COLUMNS = ", ".join(f"m.{name.strip()}" for name in VERSION_COLUMNS.split(","))


class SqlReader(DomainRows, ShareRows):
    """All that is read, but for searching: that is each database's own."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._engine_ids: dict[str, int] = {}  # that a writer has asked for

    def damage(self) -> list[str]:
        return []

    def tables(self) -> "TableRows":
        from waypost.store.sql.moving import TableRows  # only for a memory that is moved

        return TableRows(self._db)

    # -- versions -----------------------------------------------------------------------------------------

    def _versions(self, sql: str, parameters: Sequence[Any]) -> list[Version]:
        rows = self._rows(f"SELECT {M_COLUMNS} FROM memories m {sql}", parameters)
        refs = self._refs([row[0] for row in rows])
        return [version_of(row, refs.get(row[0], ())) for row in rows]

    def _refs(self, numbers: Sequence[int]) -> dict[int, tuple[CodeReference, ...]]:
        found: dict[int, tuple[CodeReference, ...]] = {}
        for number, *row in self._rows(
            f"SELECT number, {REFERENCE_COLUMNS} FROM code_refs WHERE number IN (SELECT value FROM each_number(?))"
            " ORDER BY 1, place",
            (list(numbers),),
        ):
            found[number] = (*found.get(number, ()), reference_of(row))
        return found

    def version(self, memory_id: str, moment: Moment) -> Version | None:
        condition, parameters = moment_condition(moment)
        found = self._versions(
            f"WHERE m.memory_id = ? AND {condition} ORDER BY m.number DESC LIMIT 1", [memory_id, *parameters]
        )
        return found[0] if found else None

    def versions(self, memory_id: str) -> list[Version]:
        return self._versions("WHERE m.memory_id = ? ORDER BY m.number", [memory_id])

    def versions_by_number(self, numbers: Iterable[int]) -> dict[int, Version]:
        found = self._versions("WHERE m.number IN (SELECT value FROM each_number(?))", [list(numbers)])
        return {version.number: version for version in found}

    def listing(self, view: View, chosen: Filter, *, after: int = 0, limit: int = 100) -> list[Version]:
        condition, parameters = _chosen(view, chosen)
        return self._versions(
            f"WHERE {condition} AND m.number > ? ORDER BY m.number LIMIT ?", [*parameters, after, limit]
        )

    def latest(self, view: View, chosen: Filter, limit: int) -> list[Version]:
        condition, parameters = _chosen(view, chosen)
        return self._versions(f"WHERE {condition} ORDER BY m.number DESC LIMIT ?", [*parameters, limit])[::-1]

    def states(self, memory_ids: Iterable[str]) -> dict[str, State]:
        rows = self._rows(
            f"SELECT memory_id, {', '.join(STATE_FIELDS)} FROM states WHERE memory_id IN (SELECT value FROM each_text(?))",
            (list(memory_ids),),
        )
        return {row[0]: state_of(row[1:]) for row in rows}

    def find_key(self, key: str) -> Version | None:
        found = self._versions("WHERE m.key = ? AND m.superseded_at IS NULL ORDER BY m.number", [key])
        return found[0] if found else None

    def find_fingerprint(self, fingerprint: bytes) -> list[Version]:
        return self._versions("WHERE m.fingerprint = ? ORDER BY m.number", [fingerprint])

    def sketches(self, numbers: Iterable[int]) -> dict[int, VersionSketch]:
        found = self._sketches("FROM memories m WHERE m.number IN (SELECT value FROM each_number(?))", [list(numbers)])
        return {sketch.number: sketch for sketch in found}

    def followers(self, numbers: Iterable[int], reach: int, view: View) -> list[VersionSketch]:
        condition, parameters = visible(view)
        return self._sketches(
            "FROM memories a JOIN memories m ON m.session = a.session"
            " AND m.position BETWEEN a.position + 1 AND a.position + ?"
            f" WHERE a.session IS NOT NULL AND a.number IN (SELECT value FROM each_number(?)) AND {condition}",
            [reach, list(numbers), *parameters],
        )

    def neighbours(self, memory_ids: Iterable[str], reach: int, view: View) -> list[VersionSketch]:
        condition, parameters = visible(view)
        return self._sketches(  # CROSS: from the few to what is around them, whatever the planner thinks of the view
            "FROM memories a THEN JOIN memories m ON m.session = a.session"
            " AND m.position BETWEEN a.position - ? AND a.position + ?"
            f" WHERE a.session IS NOT NULL AND a.memory_id IN (SELECT value FROM each_text(?)) AND {condition}",
            [reach, reach, list(memory_ids), *parameters],
        )

    def _sketches(self, sql: str, parameters: Sequence[Any]) -> list[VersionSketch]:
        rows = self._rows(
            "SELECT DISTINCT m.number, m.memory_id, m.kind, m.collection, m.level, m.session, m.position, m.speaker,"
            f" m.language, m.traits, coalesce(m.time, m.valid_from) {sql}",
            parameters,
        )
        return [VersionSketch._make((*row[:-1], from_micros(row[-1]))) for row in rows]

    def speakers(self, limit: int) -> list[str]:
        # Jumps from one name to the next in the index instead of reading every turn.
        rows = self._rows(
            "WITH RECURSIVE who (name) AS (SELECT min(speaker) FROM memories WHERE speaker IS NOT NULL UNION ALL"
            " SELECT (SELECT min(speaker) FROM memories WHERE speaker > who.name) FROM who WHERE who.name IS NOT NULL)"
            " SELECT name FROM who WHERE name IS NOT NULL LIMIT ?",
            (limit,),
        )
        return [row[0] for row in rows]

    # -- vectors owed -------------------------------------------------------------------------------------

    def missing_vectors(self, engine: str, hashes: Sequence[bytes]) -> list[bytes]:
        known = {row[0] for row in self._by_hash("hash", engine, hashes)}
        return [digest for digest in dict.fromkeys(hashes) if digest not in known]

    def vectors(self, engine: str, hashes: Sequence[bytes]) -> "dict[bytes, Vector]":
        from waypost.store.sql.packed import unpack

        found = dict(self._by_hash("hash, packed", engine, hashes))
        return {digest: unpack([packed], len(packed) // 2)[0] for digest, packed in found.items()}

    def _by_hash(self, columns: str, engine: str, hashes: Sequence[bytes]) -> list[Any]:
        return self._rows(
            f"SELECT {columns} FROM vectors WHERE engine_id = (SELECT engine_id FROM engines WHERE name = ?)"
            " AND hash IN (SELECT value FROM each_blob(?))",
            (engine, list(hashes)),
        )

    def owed(self) -> dict[str, int]:
        return dict(
            self._rows(
                "SELECT e.name, (SELECT count(*) FROM owed o WHERE o.engine_id = e.engine_id) FROM engines e ORDER BY 1"
            )
        )

    def owed_versions(self, engine: str, limit: int) -> list[Version]:
        return self._versions(
            "WHERE m.number IN (SELECT p.number FROM owed o JOIN passages p ON p.hash = o.hash"
            " WHERE o.engine_id = (SELECT engine_id FROM engines WHERE name = ?) ORDER BY o.urgency DESC LIMIT ?)"
            " ORDER BY m.number",
            [engine, limit],
        )

    # -- the rest -----------------------------------------------------------------------------------------

    def last_number(self) -> int:
        return int(self._rows("SELECT coalesce(max(number), 0) FROM memories")[0][0])

    def edges(self, memory_id: str) -> list[Edge]:
        rows = self._rows(
            f"SELECT {EDGE} FROM edges WHERE from_id = ?1 OR to_id = ?1 ORDER BY 1, 2, 3",
            (memory_id,),
        )
        return [edge_of(row) for row in rows]

    def has_tombstones(self) -> bool:
        return bool(self._rows("SELECT 1 FROM tombstones LIMIT 1"))

    def tombstones(self, digests: Sequence[bytes]) -> set[bytes]:
        rows = self._rows(
            "SELECT digest FROM tombstones WHERE digest IN (SELECT value FROM each_blob(?))", (list(digests),)
        )
        return {digest for (digest,) in rows}

    def audit_entries(self, memory_id: str | None, limit: int) -> list[AuditEntry]:
        chosen, parameters = ("", []) if memory_id is None else ("WHERE memory_id = ?", [memory_id])
        rows = self._rows(
            "SELECT at, action, memory_id, source, actor, details, number FROM audit"
            f" {chosen} ORDER BY number DESC LIMIT ?",
            [*parameters, limit],
        )
        return [AuditEntry(from_micros(r[0]), r[1], r[2], r[3], r[4], json.loads(r[5]), r[6]) for r in rows]

    def counts(self, view: View) -> dict[str, int]:
        condition, parameters = visible(view)
        return dict(
            self._rows(
                f"SELECT m.collection, count(*) FROM memories m WHERE {condition} GROUP BY m.collection ORDER BY 1",
                parameters,
            )
        )

    def checkouts(self) -> dict[str, str]:
        return dict(self._rows("SELECT checkout_id, root FROM checkouts ORDER BY first_seen, checkout_id"))

    def latest_checkout(self) -> str | None:
        rows = self._rows("SELECT checkout_id FROM checkouts ORDER BY first_seen DESC, checkout_id DESC LIMIT 1")
        return str(rows[0][0]) if rows else None

    def meta(self, key: str) -> str | None:
        rows = self._rows("SELECT value FROM meta WHERE key = ?", (key,))
        return str(rows[0][0]) if rows else None


def _chosen(view: View, chosen: Filter) -> tuple[str, list[Any]]:
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
