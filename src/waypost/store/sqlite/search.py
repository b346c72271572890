"""Searching in SQLite: keywords by FTS5, vectors by comparing all of them."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import apsw

from waypost.model.kinds import CODE_COLLECTIONS, KINDS
from waypost.model.memory import Version
from waypost.model.recall import View
from waypost.store.protocol import FoundPassage, Population, Twin, VectorAnswer
from waypost.store.sql.search import FoundRows, deeper
from waypost.store.sqlite.database import SqliteDatabase

if TYPE_CHECKING:
    from waypost.store.protocol import Vector
    from waypost.store.sql.scores import VectorScores
    from waypost.store.sqlite.vectors import EngineVectors

_MOST_WEIGHED = 15_000  # passages whose keywords are compared: a microsecond each


class SqliteSearchRows(FoundRows):
    """The part of the reader that searches."""

    def __init__(
        self,
        database: SqliteDatabase,
        vectors: "Callable[[apsw.Connection, str], EngineVectors | None]",
    ) -> None:
        super().__init__(database)
        self._connection = database.connection
        self._vectors = vectors
        self._scored: dict[str, tuple[Vector, VectorScores]] = {}
        self._parts: dict[tuple[str, bool | None], tuple[VectorScores, VectorScores, dict[str, Population]]] = {}

    def _versions(self, sql: str, parameters: Sequence[Any]) -> list[Version]:
        try:
            found = super()._versions(sql, parameters)
        except (ValueError, TypeError, OverflowError) as error:
            raise apsw.CorruptError("a version cannot be understood") from error
        if any(version.kind not in KINDS for version in found):
            raise apsw.CorruptError("a version is of no known kind")
        return found

    def _best_by_keywords(
        self, index: str, terms: Sequence[str], weights: Sequence[float], depth: int, among: list[int]
    ) -> dict[int, float]:
        match = " OR ".join(f'"{term}"' for term in self._telling(index, terms))
        ranking = f"bm25({', '.join(str(float(weight)) for weight in weights)})"
        chosen = " AND +rowid IN (SELECT value FROM each_number(?))" if among else ""
        rows = self._rows(
            f"SELECT rowid, -rank FROM {index} WHERE {index} MATCH ? AND rank MATCH ?{chosen} ORDER BY rank LIMIT ?",
            [match, ranking, *([among] if among else []), depth],
        )
        return dict(rows)

    def _telling(self, index: str, terms: Sequence[str]) -> list[str]:
        """The terms to rank by: the rarest ones, as many as the index can weigh in time, but at least one it knows.

        What stands in a great part of all passages hardly tells them apart, and costs the most.
        """
        if self._last_passage() <= _MOST_WEIGHED:
            return list(terms)
        counts: dict[str, int] = dict(
            self._rows(
                f"SELECT term, doc FROM temp.{index}_terms WHERE term IN (SELECT value FROM each_text(?))",
                ([term.lower() for term in terms],),
            )
        )
        kept, weighed = list[str](), 0
        for count, term in sorted((counts.get(term.lower(), 0), term) for term in terms):
            if weighed and weighed + count > _MOST_WEIGHED:
                break
            kept.append(term)
            weighed += count
        return kept

    def vector_search(self, engine: str, vector: "Vector", limit: int, view: View) -> VectorAnswer:
        scored = self._score(engine, vector)
        if scored is None:
            return VectorAnswer((), {})
        of_code = {collection in CODE_COLLECTIONS for collection in view.collections}
        # Of one sort only: else a small part would be searched for among the best of a large one.
        scored, spread = self._part(engine, scored, of_code.pop() if len(of_code) == 1 else None)
        return VectorAnswer(tuple(self._nearest(engine, scored, limit, view)), spread)

    def _nearest(self, engine: str, scored: "VectorScores", limit: int, view: View) -> list[FoundPassage]:
        """The best that the view shows, looking as deep as it takes; nothing is looked up twice."""
        depth, looked, among = limit * 2, 0, scored
        found: list[FoundPassage] = []
        while True:
            places = among.best(depth)[looked:]
            best = dict(zip(among.ids[places].tolist(), among.cosines[places].tolist(), strict=True))
            found += self._best_visible(best, limit - len(found), view, self._PASSAGES_OF_VECTORS)
            if len(found) >= limit or depth >= len(among.ids):
                return found
            numbers = self._few_members(view) if among is scored else None
            if numbers is not None:
                among = scored.only([vector_id for _, vector_id in self._vectors_of(engine, numbers)])
                found, looked = [], 0
                continue
            looked, depth = depth, deeper(depth, len(found), limit)

    def _part(
        self, engine: str, scored: "VectorScores", of_code: bool | None
    ) -> "tuple[VectorScores, dict[str, Population]]":
        """The cosines of code, of prose or of both, and how they spread; made once for each question."""
        known = self._parts.get((engine, of_code))
        if known is None or known[0] is not scored:
            part = scored if of_code is None else scored.part(of_code)
            spread = {name: Population(count, mean, deviation) for name, count, mean, deviation in part.by_language()}
            known = self._parts[engine, of_code] = (scored, part, spread)
        return known[1], known[2]

    def vector_scores(self, engine: str, vector: "Vector", numbers: Sequence[int]) -> dict[int, float]:
        import numpy as np  # only where vectors are

        scored = self._score(engine, vector)
        if scored is None:
            return {}
        rows = self._vectors_of(engine, numbers)
        cosines = scored.of(np.array([row[1] for row in rows], np.int64)).tolist()
        best: dict[int, float] = {}
        for (number, _), cosine in zip(rows, cosines, strict=True):
            if cosine > best.get(number, -2.0):  # no comparison with NaN, "not here", is true
                best[number] = cosine
        return best

    def _vectors_of(self, engine: str, numbers: Sequence[int]) -> list[Any]:
        """(number, vector id) of all passages of these versions."""
        # The order of the joins is spelt out: left to itself, SQLite reads the whole index of vectors first.
        return self._rows(
            "SELECT p.number, v.vector_id FROM each_number(?) asked THEN JOIN passages p ON p.number = asked.value"
            " THEN JOIN vectors v ON v.hash = p.hash AND v.engine_id = (SELECT engine_id FROM engines WHERE name = ?)",
            (list(numbers), engine),
        )

    def _score(self, engine: str, vector: "Vector") -> "VectorScores | None":
        """Cosines of one question with everything, computed once for each engine and question."""
        known = self._scored.get(engine)
        if known is not None and known[0] is vector:
            return known[1]
        vectors = self._vectors(self._connection, engine)
        if vectors is None or vectors.dimensions != len(vector):  # the model behind the name has changed
            return None
        scored = vectors.snapshot(self._connection).scores(vector)
        self._scored[engine] = (vector, scored)
        return scored

    def twins(
        self, engine: str, vectors: "Vector", kind: str, domain: str, above: float, since_number: int = 0
    ) -> list[Twin]:
        known = self._vectors(self._connection, engine)
        if known is None or known.dimensions != vectors.shape[1]:
            return []
        pairs = known.snapshot(self._connection).pairs_above(vectors, above)
        return self._twins_of(pairs, kind, domain, since_number)
