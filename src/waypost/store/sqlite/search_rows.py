"""Searching passages by keywords and by vectors, and showing only those that a view shows.

The best of all passages are looked up first: mostly enough of them are visible. Where a view shows only some domains or
levels and too few of the best belong to them, its few members are compared directly; many members are found by looking
deeper.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import apsw

from waypost.model.kinds import CODE_COLLECTIONS
from waypost.model.recall import View
from waypost.store.protocol import Found, Population, Twin, VectorAnswer
from waypost.store.sql.reader import SqlReader
from waypost.store.sql.rows import visible
from waypost.store.sqlite.database import SqliteDatabase

if TYPE_CHECKING:
    from waypost.store.protocol import Vector
    from waypost.store.sqlite.vectors import EngineVectors, Scores

_WIDEN = 4  # when filters leave too few of the best by keywords, look this many times deeper
_FEW_MEMBERS = 3_000  # compared directly: about as many as have to be looked up to find 100 of these among 100,000
_MOST_WEIGHED = 15_000  # passages whose keywords are compared: a microsecond each
_PASSAGES = (
    "SELECT p.passage_id, p.passage_id, p.number, m.memory_id FROM passages p JOIN memories m ON m.number = p.number"
    " WHERE p.passage_id IN (SELECT value FROM each_number(?))"
)
_PASSAGES_OF_VECTORS = (
    "SELECT v.vector_id, p.passage_id, p.number, m.memory_id FROM vectors v JOIN passages p ON p.hash = v.hash"
    " JOIN memories m ON m.number = p.number WHERE v.vector_id IN (SELECT value FROM each_number(?))"
)


class SearchRows(SqlReader):
    """The part of the reader that searches."""

    def __init__(self, connection: apsw.Connection, vectors: "Callable[[apsw.Connection, str], EngineVectors | None]"):
        super().__init__(SqliteDatabase(connection))
        self._connection = connection
        self._vectors = vectors
        self._scored: dict[str, tuple[Vector, Scores]] = {}
        self._parts: dict[tuple[str, bool | None], tuple[Scores, Scores, dict[str, Population]]] = {}
        self._members: dict[View, list[int] | None] = {}

    def keyword_search(self, terms: Sequence[str], limit: int, view: View) -> list[Found]:
        if not terms:
            return []
        return self._matching("keywords", terms, "bm25(1.0)", limit, view)

    def code_keyword_search(
        self, terms: Sequence[str], weights: Sequence[float], limit: int, view: View
    ) -> list[Found]:
        if not terms:
            return []
        ranking = f"bm25({', '.join(str(float(weight)) for weight in weights)})"
        return self._matching("code_keywords", terms, ranking, limit, view)

    def _matching(self, index: str, terms: Sequence[str], ranking: str, limit: int, view: View) -> list[Found]:
        match = " OR ".join(f'"{term}"' for term in self._telling(index, terms))
        depth, members = limit * 2, list[int]()
        while True:
            parameters: list[Any] = [match, ranking, depth]
            if members:
                parameters.insert(2, members)
            among = " AND +rowid IN (SELECT value FROM each_number(?))" if members else ""
            best = self._rows(
                f"SELECT rowid, -rank FROM {index} WHERE {index} MATCH ? AND rank MATCH ?{among} ORDER BY rank LIMIT ?",
                parameters,
            )
            found = self._best_visible(dict(best), limit, view, _PASSAGES)
            if len(found) >= limit or len(best) < depth:
                return found
            numbers = None if members else self._few_members(view)
            if numbers is not None:
                members = self._passages_of(numbers)
            depth *= _WIDEN

    def _telling(self, index: str, terms: Sequence[str]) -> list[str]:
        """The terms to rank by: the rarest ones, as many as the index can weigh in time, but at least one it knows.

        What stands in a great part of all passages hardly tells them apart, and costs the most.
        """
        if self._rows("SELECT coalesce(max(passage_id), 0) FROM passages")[0][0] <= _MOST_WEIGHED:
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

    def _nearest(self, engine: str, scored: "Scores", limit: int, view: View) -> list[Found]:
        """The best that the view shows, looking as deep as it takes; nothing is looked up twice."""
        depth, looked, among = limit * 2, 0, scored
        found: list[Found] = []
        while True:
            places = among.best(depth)[looked:]
            best = dict(zip(among.ids[places].tolist(), among.cosines[places].tolist(), strict=True))
            found += self._best_visible(best, limit - len(found), view, _PASSAGES_OF_VECTORS)
            if len(found) >= limit or depth >= len(among.ids):
                return found
            numbers = self._few_members(view) if among is scored else None
            if numbers is not None:
                among = scored.only([vector_id for _, vector_id in self._vectors_of(engine, numbers)])
                found, looked = [], 0
                continue
            # As deep as it takes if the rest is like what was looked at, within bounds.
            looked, likely = depth, depth * limit // max(len(found), 1) * 5 // 4
            depth = min(max(likely, 2 * depth), 16 * depth)

    def _part(self, engine: str, scored: "Scores", of_code: bool | None) -> "tuple[Scores, dict[str, Population]]":
        """The cosines of code, of prose or of both, and how they spread; made once for each question."""
        known = self._parts.get((engine, of_code))
        if known is None or known[0] is not scored:
            part = scored if of_code is None else scored.part(of_code)
            spread = {name: Population(count, mean, deviation) for name, count, mean, deviation in part.by_language()}
            known = self._parts[engine, of_code] = (scored, part, spread)
        return known[1], known[2]

    def _few_members(self, view: View) -> list[int] | None:
        """The versions that a view of some domains or levels, or of another moment, may show, if they are few; None: too
        many, or all that are current. For now only an index is read, so what is not visible may be among them."""
        if view.domains is None and view.levels is None and view.moment.known_at is None:
            return None
        if view not in self._members:
            rows = self._some_members(view) if view.moment.known_at is None else self._some_known_then(view)
            self._members[view] = [row[0] for row in rows] if len(rows) <= _FEW_MEMBERS else None
        return self._members[view]

    def _some_members(self, view: View) -> list[Any]:
        levels = view.levels if view.levels is not None else (None, 0, 1, 2, 3)
        domains = "" if view.domains is None else "AND domain IN (SELECT value FROM each_text(?))"
        one = f"SELECT number FROM memories WHERE superseded_at IS NULL AND level IS ? {domains}"
        parameters: list[Any] = []
        for level in levels:
            parameters += [level] if view.domains is None else [level, list(view.domains)]
        return self._rows(f"{' UNION ALL '.join([one] * len(levels))} LIMIT {_FEW_MEMBERS + 1}", parameters)

    def _some_known_then(self, view: View) -> list[Any]:
        condition, parameters = visible(view)
        return self._rows(f"SELECT m.number FROM memories m WHERE {condition} LIMIT {_FEW_MEMBERS + 1}", parameters)

    def _passages_of(self, numbers: Sequence[int]) -> list[int]:
        rows = self._rows(
            "SELECT p.passage_id FROM each_number(?) asked THEN JOIN passages p ON p.number = asked.value",
            (list(numbers),),
        )
        return [row[0] for row in rows]

    def _best_visible(self, scores: dict[int, float], limit: int, view: View, sql: str) -> list[Found]:
        """The best passages that the view shows. `scores` are best first; mostly all of them are visible, so those
        beyond the limit are looked up only if it needs them."""
        condition, parameters = visible(view)
        ids, found = list(scores), list[Found]()
        for part in (ids[:limit], ids[limit:]):
            if part and len(found) < limit:
                rows = self._rows(f"{sql} AND {condition}", [part, *parameters])
                found += [Found(passage, number, memory_id, scores[key]) for key, passage, number, memory_id in rows]
        return sorted(found, key=_by_score)[:limit]

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

    def _score(self, engine: str, vector: "Vector") -> "Scores | None":
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
        pairs = list(known.snapshot(self._connection).pairs_above(vectors, above))
        rows = self._rows(
            "SELECT v.vector_id, m.number, m.memory_id FROM vectors v JOIN passages p ON p.hash = v.hash"
            " JOIN memories m ON m.number = p.number WHERE v.vector_id IN (SELECT value FROM each_number(?))"
            " AND m.superseded_at IS NULL AND m.kind = ? AND m.domain = ? AND m.number > ?"
            " AND NOT EXISTS (SELECT 1 FROM passages o WHERE o.number = p.number AND o.passage_id <> p.passage_id)",
            (list({pair[0] for pair in pairs}), kind, domain, since_number),
        )
        place: dict[int, list[tuple[int, str]]] = {}
        for vector_id, number, memory_id in rows:
            place.setdefault(vector_id, []).append((number, memory_id))
        found = [
            Twin(asked, number, memory_id, cosine)
            for vector_id, asked, cosine in pairs
            for number, memory_id in place.get(vector_id, ())
        ]
        return sorted(found, key=lambda twin: (twin.asked, -twin.similarity, twin.number))


def _by_score(found: Found) -> tuple[float, int]:
    return -found.score, found.passage_id
