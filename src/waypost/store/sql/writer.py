"""Writing: inside one transaction, on the only connection that may write into this space at this moment."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from waypost.model.audit import AuditEntry
from waypost.model.memory import Version
from waypost.model.time import to_micros
from waypost.store.protocol import Edge, PassageRow, Twin
from waypost.store.sql.fact_rows import EDGE, edge_parameters
from waypost.store.sql.journal_changes import JournalChanges
from waypost.store.sql.rows import VERSION_COLUMNS, as_json, state_parameter, version_parameters
from waypost.store.sql.share_rows import ShareChanges

if TYPE_CHECKING:
    from waypost.store.protocol import Vector
    from waypost.store.sql.moving import TableChanges

_INSERT_COLUMNS = VERSION_COLUMNS.removeprefix("number, ") + ", collection"
_INSERT_VERSION = f"INSERT INTO memories ({_INSERT_COLUMNS}) VALUES ({','.join('?' * (_INSERT_COLUMNS.count(',') + 1))}) RETURNING number"


class SqlWriter(JournalChanges, ShareChanges):
    """All that is written, but for the indexes of keywords and vectors: these are each database's own."""

    _ACTOR = "?"  # how an actor is put into the audit log

    def add_version(
        self, version: Version, passages: Sequence[PassageRow], engines: Sequence[str], *, urgency: float = 1.0
    ) -> int:
        position = version.position
        if version.session is not None and not position:
            position = self._one(
                "SELECT coalesce(max(position), 0) + 1 FROM memories WHERE session = ?", version.session
            )
        number = int(self._one(_INSERT_VERSION, *version_parameters(version, position)))
        self._add_refs(number, version)
        self._load_passages([(number, row) for row in passages], engines, urgency)
        self._count_new(number)
        return number

    def supersede(self, number: int, at: datetime) -> None:
        with self._counting([number]):
            self._db.change(
                "UPDATE memories SET superseded_at = greatest(?, recorded_at) WHERE number = ? AND superseded_at IS NULL",
                (to_micros(at), number),
            )

    def set_state(self, memory_id: str, **changes: Any) -> None:
        self._db.change("INSERT INTO states (memory_id) VALUES (?) ON CONFLICT DO NOTHING", (memory_id,))
        for name, value in changes.items():
            self._db.change(
                f"UPDATE states SET {name} = ? WHERE memory_id = ?", (state_parameter(name, value), memory_id)
            )

    def add_edge(self, edge: Edge) -> None:
        self._db.change(
            f"INSERT INTO edges ({EDGE}) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (from_id, kind, to_id) DO UPDATE SET strength = excluded.strength",  # known since it was made first
            edge_parameters(edge),
        )

    def twins(
        self, engine: str, vectors: "Vector", kind: str, domain: str, above: float, since_number: int = 0
    ) -> list[Twin]:
        # Compared directly: what is kept beside the database would show others what may still be rolled back. It begins
        # with the few newest rows, in the order spelt out; SQLite itself would read every current memory.
        from waypost.store.sql.packed import unpack

        rows = self._rows(
            "SELECT m.number, m.memory_id, v.packed FROM by_number(memories m) THEN JOIN passages p ON p.number = m.number"
            " THEN JOIN vectors v ON v.hash = p.hash AND v.engine_id = (SELECT engine_id FROM engines WHERE name = ?"
            " AND dimensions = ?) WHERE m.number > ? AND m.superseded_at IS NULL AND m.kind = ? AND m.domain = ?"
            " AND NOT EXISTS (SELECT 1 FROM passages o WHERE o.number = p.number AND o.passage_id <> p.passage_id)",
            (engine, vectors.shape[1], since_number, kind, domain),
        )
        cosines = unpack([row[2] for row in rows], vectors.shape[1]) @ vectors.T
        found = [
            Twin(asked, rows[row][0], rows[row][1], float(cosines[row, asked]))
            for row in range(len(rows))
            for asked in range(len(vectors))
            if cosines[row, asked] > above
        ]
        return sorted(found, key=lambda twin: (twin.asked, -twin.similarity, twin.number))

    def erase(self, memory_id: str, numbers: Sequence[int]) -> None:
        chosen = "number IN (SELECT number FROM memories WHERE memory_id = ? AND number IN (SELECT value FROM each_number(?)))"
        parameters = (memory_id, list(numbers))
        with self._counting(numbers):
            self._drop_passages(self._rows(f"SELECT passage_id, hash FROM passages WHERE {chosen}", parameters))
            self._db.change(f"DELETE FROM memories WHERE {chosen}", parameters)
        if self._rows("SELECT 1 FROM memories WHERE memory_id = ? LIMIT 1", (memory_id,)):
            return
        for table, column in (
            ("states", "memory_id"),
            ("edges", "from_id"),
            ("edges", "to_id"),
            ("journal_places", "memory_id"),
        ):
            self._db.change(f"DELETE FROM {table} WHERE {column} = ?", (memory_id,))

    def drop_engine(self, engine: str) -> None:
        engine_id = self._engine_id(engine)
        self._empty_engine(engine_id)
        for table in ("owed", "engines"):
            self._db.change(f"DELETE FROM {table} WHERE engine_id = ?", (engine_id,))
        self._engine_ids.pop(engine, None)

    def add_tombstone(self, digest: bytes, at: datetime, cause: str = "") -> None:
        self._db.change(
            "INSERT INTO tombstones (digest, made_at, cause) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            (digest, to_micros(at), cause),
        )

    def remove_tombstones(self, digests: Iterable[bytes]) -> int:
        given = list(digests)
        return self._db.change(
            "DELETE FROM tombstones WHERE digest IN (SELECT value FROM each_blob(?1)) OR cause IN (SELECT cause FROM"
            " tombstones WHERE cause <> '' AND digest IN (SELECT value FROM each_blob(?1)))",
            (given,),
        )

    def add_audit(self, entry: AuditEntry) -> None:
        self._db.change(
            f"INSERT INTO audit (at, action, memory_id, source, actor, details) VALUES (?, ?, ?, ?, {self._ACTOR}, ?)",
            (
                to_micros(entry.at),
                entry.action,
                entry.memory_id,
                entry.source,
                entry.actor,
                as_json(dict(entry.details)),
            ),
        )

    def add_checkout(self, checkout_id: str, root: str, at: datetime) -> None:
        self._db.change(
            "INSERT INTO checkouts (checkout_id, root, first_seen) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            (checkout_id, root, to_micros(at)),
        )

    def set_meta(self, key: str, value: str) -> None:
        self._set_meta(key, value)

    # -- moving to another database

    def tables(self) -> "TableChanges":
        from waypost.store.sql.moving import TableChanges  # only for a memory that is moved

        return TableChanges(
            self._db,
            self._last_number,
            self._set_last_number,
            self._load_numbered_vectors,
            self._index_keywords,
            self._drop_keywords,
        )
