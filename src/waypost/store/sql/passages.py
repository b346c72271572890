"""Writing what versions are found by: their places in code, keywords, vectors, and the vectors owed."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from waypost.model.memory import Version
from waypost.store.protocol import PassageRow
from waypost.store.sql.domain_changes import DomainChanges
from waypost.store.sql.references import INSERT_REFERENCE, reference_rows

if TYPE_CHECKING:
    from waypost.store.protocol import Vector

_UNSAID = (
    "hash IN (SELECT value FROM each_blob(?)) AND NOT EXISTS (SELECT 1 FROM passages p WHERE p.hash = {table}.hash)"
)


class PassageChanges(DomainChanges):
    """The part of the writer that knows passages. A database supplies how keywords and vectors are kept."""

    @abstractmethod
    def _index_keywords(self, passages: Sequence[tuple[int, PassageRow]]) -> None:
        """Put the terms of these passages, by their ids, into the index of keywords: those with `code_terms` into that of
        code, those with `terms` into that of prose, the others into none."""

    @abstractmethod
    def _drop_keywords(self, passage_ids: Sequence[int]) -> None:
        """Take these passages, which are still in the table, out of both indexes."""

    @abstractmethod
    def _load_vectors(self, rows: Sequence[tuple[int, bytes, str, bytes]]) -> None:
        """Insert (engine id, hash, language, packed vector) where that engine has none of the hash."""

    @abstractmethod
    def _make_room(self, engine_id: int, dimensions: int) -> None:
        """Whatever a database wants to do once it knows how long the vectors of an engine are."""

    @abstractmethod
    def _last_number(self, table: str, key: str) -> int:
        """The highest number that this key of a table ever had, as far as the database knows."""

    @abstractmethod
    def _set_last_number(self, table: str, key: str, number: int) -> None:
        """Count on from this number."""

    @abstractmethod
    def _load_numbered_vectors(self, rows: Sequence[tuple[int, int, bytes, str, bytes]]) -> None:
        """Insert (vector id, engine id, hash, language, packed vector)."""

    def _add_refs(self, number: int, version: Version) -> None:
        self._db.change_many(INSERT_REFERENCE, reference_rows(number, version.refs))

    def _load_passages(
        self, passages: Sequence[tuple[int, PassageRow]], engines: Sequence[str], urgency: float = 1.0
    ) -> None:
        """Store passages of versions by the numbers of these."""
        placed = list(enumerate(passages, self._db.reserve("passages", len(passages))))
        self._db.load(
            "passages",
            "passage_id, number, hash, language",
            [(at, number, row.content_hash, row.language) for at, (number, row) in placed],
        )
        self._index_keywords([(at, row) for at, (_, row) in placed])
        self._owe_texts([row for _, row in passages], engines, urgency)

    def _owe_texts(self, passages: Sequence[PassageRow], engines: Sequence[str], urgency: float) -> None:
        digests = [passage.content_hash for passage in passages if passage.content_hash]
        for engine in engines:
            engine_id = self._engine_id(engine)
            self._db.change_many(
                "INSERT INTO owed (engine_id, hash, urgency) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                [(engine_id, digest, urgency) for digest in self.missing_vectors(engine, digests)],
            )

    def replace_passages(
        self, number: int, passages: Sequence[PassageRow], engines: Sequence[str], *, urgency: float = 1.0
    ) -> None:
        old = self._rows("SELECT passage_id, hash FROM passages WHERE number = ?", (number,))
        with self._counting([number]):
            self._load_passages([(number, row) for row in passages], engines, urgency)
            self._drop_passages(old)

    def _drop_passages(self, rows: Sequence[tuple[int, bytes]]) -> None:
        ids, digests = [row[0] for row in rows], list({row[1] for row in rows})
        self._drop_keywords(ids)
        self._db.change("DELETE FROM passages WHERE passage_id IN (SELECT value FROM each_number(?))", (ids,))
        self._drop_vectors(digests)
        self._db.change(f"DELETE FROM owed WHERE {_UNSAID.format(table='owed')}", (digests,))

    def _drop_vectors(self, digests: Sequence[bytes], engine_id: int | None = None) -> None:
        """Of one engine; or of every engine, as far as no passage says the text any more."""
        if engine_id is None:
            self._db.change(f"DELETE FROM vectors WHERE {_UNSAID.format(table='vectors')}", (list(digests),))
        else:
            self._drop_stored("vectors", engine_id, digests)

    def _empty_engine(self, engine_id: int) -> None:
        """Drop all vectors of an engine."""
        self._db.change("DELETE FROM vectors WHERE engine_id = ?", (engine_id,))
        self._forget_sums(engine_id)

    def owe(self, engine: str) -> None:
        self._db.change(
            "INSERT INTO owed (engine_id, hash, urgency) SELECT DISTINCT e.engine_id, p.hash, 1 FROM passages p, engines e"
            " WHERE e.engine_id = ? AND length(p.hash) > 0 AND NOT EXISTS"
            " (SELECT 1 FROM vectors v WHERE v.engine_id = e.engine_id AND v.hash = p.hash) ON CONFLICT DO NOTHING",
            (self._engine_id(engine),),
        )

    def _engine_id(self, name: str, dimensions: int = 0) -> int:
        if not dimensions and name in self._engine_ids:
            return self._engine_ids[name]
        self._db.change("INSERT INTO engines (name) VALUES (?) ON CONFLICT DO NOTHING", (name,))
        engine_id, known = self._rows("SELECT engine_id, dimensions FROM engines WHERE name = ?", (name,))[0]
        self._engine_ids[name] = int(engine_id)
        if dimensions and dimensions != known:
            self._db.change("UPDATE engines SET dimensions = ? WHERE engine_id = ?", (dimensions, engine_id))
            if known:  # another model answers to this name: what the old one made is worth nothing beside it
                self._empty_engine(int(engine_id))
                self.owe(name)
            self._make_room(int(engine_id), dimensions)
        return int(engine_id)

    def _one(self, sql: str, *parameters: Any) -> Any:
        return self._rows(sql, parameters)[0][0]

    def put_vectors(self, engine: str, rows: Sequence[tuple[bytes, str, "Vector"]], *, again: bool = False) -> None:
        from waypost.store.sql.packed import pack

        if not rows:
            return
        engine_id = self._engine_id(engine, dimensions=len(rows[0][2]))
        digests = [row[0] for row in rows]
        # A text may be forgotten by now.
        found = self._rows(
            "SELECT DISTINCT p.hash FROM each_blob(?) asked THEN JOIN passages p ON p.hash = asked.value", (digests,)
        )
        living = {digest for (digest,) in found}
        with self._counting(self._facts_saying(digests)):
            if again:  # not updated in place: a new id is what makes other processes read it
                self._drop_vectors(digests, engine_id)
            self._load_vectors(
                [(engine_id, digest, language, pack(vector)) for digest, language, vector in rows if digest in living]
            )
        self._drop_stored("owed", engine_id, digests)

    def _drop_stored(self, table: str, engine_id: int, digests: Sequence[bytes]) -> None:
        self._db.change(
            f"DELETE FROM {table} WHERE engine_id = ? AND hash IN (SELECT value FROM each_blob(?))",
            (engine_id, list(digests)),
        )
