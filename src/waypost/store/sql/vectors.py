"""Vectors of texts, and the texts that still have to be embedded (table `owed`)."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from waypost.model.memory import Version
from waypost.store.sql.database import Database
from waypost.store.sql.domains import DomainSums
from waypost.store.sql.index_writer import SearchIndex
from waypost.store.sql.versions import VersionRows

if TYPE_CHECKING:
    from waypost.store.vectors import Vector


class VectorRows:
    def __init__(self, database: Database, versions: VersionRows) -> None:
        self._db = database
        self._versions = versions

    def get(self, engine: str, hashes: Sequence[bytes]) -> "dict[bytes, Vector]":
        """The stored vectors of these texts."""
        from waypost.store.sql.packed import unpack  # needs numpy

        packed_by_hash = dict(self._by_hash("hash, packed", engine, hashes))
        return {digest: unpack([packed], len(packed) // 2)[0] for digest, packed in packed_by_hash.items()}

    def missing(self, engine: str, hashes: Sequence[bytes]) -> list[bytes]:
        """Which of these texts the engine has not embedded yet."""
        stored = {row[0] for row in self._by_hash("hash", engine, hashes)}
        return [digest for digest in dict.fromkeys(hashes) if digest not in stored]

    def _by_hash(self, columns: str, engine: str, hashes: Sequence[bytes]) -> list[Any]:
        return self._db.rows(
            f"SELECT {columns} FROM vectors WHERE engine_id = (SELECT engine_id FROM engines WHERE name = ?)"
            " AND hash IN (SELECT value FROM each_blob(?))",
            (engine, list(hashes)),
        )

    def pending(self, least: float = 0.0) -> dict[str, int]:
        """How many texts each engine still has to embed, of at least this urgency."""
        return dict(
            self._db.lasting_rows(
                "SELECT e.name, (SELECT count(*) FROM owed o WHERE o.engine_id = e.engine_id AND o.urgency >= ?)"
                " FROM engines e ORDER BY 1",
                (least,),
            )
        )

    def pending_versions(self, engine: str, limit: int, least: float = 0.0) -> list[Version]:
        """Versions with a text that this engine still has to embed, the most urgent ones."""
        return self._versions.select(
            "WHERE m.number IN (SELECT p.number FROM owed o JOIN passages p ON p.hash = o.hash"
            " WHERE o.engine_id = (SELECT engine_id FROM engines WHERE name = ?) AND o.urgency >= ?"
            " ORDER BY o.urgency DESC LIMIT ?) ORDER BY m.number",
            [engine, least, limit],
        )


class VectorChanges(VectorRows):
    def __init__(self, database: Database, versions: VersionRows, index: SearchIndex, sums: DomainSums) -> None:
        super().__init__(database, versions)
        self._index = index
        self._sums = sums
        self._engine_ids: dict[str, int] = {}

    def put(self, engine: str, rows: "Sequence[tuple[bytes, str, Vector]]", *, again: bool = False) -> None:
        """Store (content hash, language, vector). These texts are no longer pending. `again` replaces stored vectors."""
        from waypost.store.sql.packed import pack

        if not rows:
            return
        engine_id = self._engine_id(engine, dimensions=len(rows[0][2]))
        digests = [row[0] for row in rows]
        # Texts may have been erased in the meantime.
        stored = self._db.rows(
            "SELECT DISTINCT p.hash FROM each_blob(?) asked THEN JOIN passages p ON p.hash = asked.value", (digests,)
        )
        remaining = {digest for (digest,) in stored}
        with self._sums.updating(self._sums.facts_with_texts(digests)):
            if again:  # not updated in place: other processes read a vector again only under a new id
                self._drop("vectors", engine_id, digests)
            self._index.add_vectors(
                [
                    (engine_id, digest, language, pack(vector))
                    for digest, language, vector in rows
                    if digest in remaining
                ]
            )
        self._drop("owed", engine_id, digests)

    def queue(self, engine: str, digests: Sequence[bytes], urgency: float) -> None:
        """Make those of these texts pending that the engine has not embedded."""
        engine_id = self._engine_id(engine)
        self._db.change_many(
            "INSERT INTO owed (engine_id, hash, urgency) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            [(engine_id, digest, urgency) for digest in self.missing(engine, digests)],
        )

    def queue_missing(self, engine: str) -> None:
        """Make every text without a vector of this engine pending: of people and agents first, of code, of tests last."""
        self._db.change(
            "INSERT INTO owed (engine_id, hash, urgency)"
            " SELECT e.engine_id, p.hash, max("
            "CASE WHEN m.traits IN (1, 3) THEN 0 WHEN m.checkout_id IS NULL THEN 1 ELSE 0.9 END)"
            " FROM passages p JOIN memories m ON m.number = p.number, engines e"
            " WHERE e.engine_id = ? AND length(p.hash) > 0 AND NOT EXISTS"
            " (SELECT 1 FROM vectors v WHERE v.engine_id = e.engine_id AND v.hash = p.hash)"
            " GROUP BY e.engine_id, p.hash ON CONFLICT DO NOTHING",
            (self._engine_id(engine),),
        )

    def set_urgency(self, checkout_id: str, urgency: Mapping[str, float]) -> None:
        """Set the urgency of the pending texts of these files."""
        self._db.change_many(
            "UPDATE owed SET urgency = ? WHERE engine_id IN (SELECT engine_id FROM engines)"  # else it reads them all
            " AND hash IN (SELECT p.hash FROM code_refs r"
            " THEN JOIN memories m ON m.number = r.number AND m.checkout_id = ? JOIN passages p ON p.number = m.number"
            " WHERE r.path = ?)",  # "then": from one file to its memories, else all memories are read for every file
            [(value, checkout_id, path) for path, value in urgency.items()],
        )

    def drop_engine(self, engine: str) -> None:
        """Remove all vectors of an engine that is no longer used."""
        engine_id = self._engine_id(engine)
        self._empty_engine(engine_id)
        for table in ("owed", "engines"):
            self._db.change(f"DELETE FROM {table} WHERE engine_id = ?", (engine_id,))
        self._engine_ids.pop(engine, None)

    def _engine_id(self, name: str, dimensions: int = 0) -> int:
        if not dimensions and name in self._engine_ids:
            return self._engine_ids[name]
        self._db.change("INSERT INTO engines (name) VALUES (?) ON CONFLICT DO NOTHING", (name,))
        engine_id, before = self._db.rows("SELECT engine_id, dimensions FROM engines WHERE name = ?", (name,))[0]
        self._engine_ids[name] = int(engine_id)
        if dimensions and dimensions != before:
            self._db.change("UPDATE engines SET dimensions = ? WHERE engine_id = ?", (dimensions, engine_id))
            if before:  # another model has this name now: vectors of the old one cannot be compared with its own
                self._empty_engine(int(engine_id))
                self.queue_missing(name)
        return int(engine_id)

    def _empty_engine(self, engine_id: int) -> None:
        self._db.change("DELETE FROM vectors WHERE engine_id = ?", (engine_id,))
        self._sums.drop_engine(engine_id)

    def _drop(self, table: str, engine_id: int, digests: Sequence[bytes]) -> None:
        self._db.change(
            f"DELETE FROM {table} WHERE engine_id = ? AND hash IN (SELECT value FROM each_blob(?))",
            (engine_id, list(digests)),
        )
