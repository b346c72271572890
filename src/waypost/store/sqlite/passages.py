"""Writing what versions are found by: their places in code, keywords, vectors, and the vectors owed."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from waypost.model.memory import Version
from waypost.store.protocol import PassageRow
from waypost.store.sqlite.domain_changes import DomainChanges
from waypost.store.sqlite.reference_rows import INSERT_REFERENCE, reference_rows

if TYPE_CHECKING:
    from waypost.store.protocol import Vector

INSERT_CODE_KEYWORDS = "INSERT INTO code_keywords (rowid, name, path, doc, body) VALUES (?, ?, ?, ?, ?)"


class PassageChanges(DomainChanges):
    """The part of the writer that knows passages."""

    def _add_refs(self, number: int, version: Version) -> None:
        self._db.executemany(INSERT_REFERENCE, reference_rows(number, version.refs))

    def _add_passages(
        self, number: int, passages: Sequence[PassageRow], engines: Sequence[str], urgency: float = 1.0
    ) -> None:
        for passage in passages:
            passage_id = self._one(
                "INSERT INTO passages (number, hash, language) VALUES (?, ?, ?) RETURNING passage_id",
                number,
                passage.content_hash,
                passage.language,
            )
            if passage.code_terms is not None:
                self._db.execute(INSERT_CODE_KEYWORDS, (passage_id, *passage.code_terms))
            elif passage.terms:
                self._db.execute("INSERT INTO keywords (rowid, terms) VALUES (?, ?)", (passage_id, passage.terms))
        self._owe_texts(passages, engines, urgency)

    def _owe_texts(self, passages: Sequence[PassageRow], engines: Sequence[str], urgency: float) -> None:
        for engine in engines:
            engine_id = self._engine_id(engine)
            self._db.executemany(
                "INSERT OR IGNORE INTO owed SELECT ?1, ?2, ?3"
                " WHERE NOT EXISTS (SELECT 1 FROM vectors WHERE engine_id = ?1 AND hash = ?2)",
                [(engine_id, passage.content_hash, urgency) for passage in passages if passage.content_hash],
            )

    def replace_passages(
        self, number: int, passages: Sequence[PassageRow], engines: Sequence[str], *, urgency: float = 1.0
    ) -> None:
        old = self._rows("SELECT passage_id, hash FROM passages WHERE number = ?", (number,))
        with self._counting([number]):
            self._add_passages(number, passages, engines, urgency)
            self._drop_passages(old)

    def _drop_passages(self, rows: Sequence[tuple[int, bytes]]) -> None:
        for index in ("keywords", "code_keywords"):
            self._db.executemany(f"DELETE FROM {index} WHERE rowid = ?", [(row[0],) for row in rows])
        self._db.executemany("DELETE FROM passages WHERE passage_id = ?", [(row[0],) for row in rows])
        for table in ("vectors", "owed"):
            self._db.executemany(
                f"DELETE FROM {table} WHERE hash = ?1 AND NOT EXISTS (SELECT 1 FROM passages p WHERE p.hash = ?1)",
                [(row[1],) for row in rows],
            )

    def owe(self, engine: str) -> None:
        self._db.execute(
            "INSERT OR IGNORE INTO owed SELECT ?1, p.hash, 1 FROM passages p WHERE p.hash <> x'' AND NOT EXISTS"
            " (SELECT 1 FROM vectors v WHERE v.engine_id = ?1 AND v.hash = p.hash)",
            (self._engine_id(engine),),
        )

    def _engine_id(self, name: str, dimensions: int = 0) -> int:
        if not dimensions and name in self._engine_ids:
            return self._engine_ids[name]
        self._db.execute("INSERT OR IGNORE INTO engines (name) VALUES (?)", (name,))
        engine_id, known = self._rows("SELECT engine_id, dimensions FROM engines WHERE name = ?", (name,))[0]
        self._engine_ids[name] = int(engine_id)
        if dimensions and dimensions != known:
            self._db.execute("UPDATE engines SET dimensions = ? WHERE engine_id = ?", (dimensions, engine_id))
            if known:  # another model answers to this name: what the old one made is worth nothing beside it
                self._db.execute("DELETE FROM vectors WHERE engine_id = ?", (engine_id,))
                self._forget_sums(int(engine_id))
                self.owe(name)
        return int(engine_id)

    def _one(self, sql: str, *parameters: Any) -> Any:
        return self._rows(sql, parameters)[0][0]

    def put_vectors(self, engine: str, rows: Sequence[tuple[bytes, str, "Vector"]], *, again: bool = False) -> None:
        from waypost.store.sqlite.vectors import pack

        if not rows:
            return
        engine_id = self._engine_id(engine, dimensions=len(rows[0][2]))
        digests = [(engine_id, row[0]) for row in rows]
        with self._counting(self._facts_saying([row[0] for row in rows])):
            if again:  # not updated in place: a new id is what makes other processes read it
                self._db.executemany("DELETE FROM vectors WHERE engine_id = ? AND hash = ?", digests)
            self._db.executemany(
                "INSERT OR IGNORE INTO vectors (engine_id, hash, language, packed) SELECT ?1, ?2, ?3, ?4"
                " WHERE EXISTS (SELECT 1 FROM passages p WHERE p.hash = ?2)",  # the text may be forgotten by now
                [(engine_id, digest, language, pack(vector)) for digest, language, vector in rows],
            )
        self._db.executemany("DELETE FROM owed WHERE engine_id = ? AND hash = ?", digests)
