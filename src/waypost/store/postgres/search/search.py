"""Searching in PostgreSQL, and showing only what a view shows: the part of the reader that is not shared."""

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from waypost.model.kinds import CODE_COLLECTIONS
from waypost.model.recall import View
from waypost.store.postgres.search.keyword_rows import LAST_PASSAGE, best_by_keywords
from waypost.store.postgres.search.vector_rows import (
    LEAST_IN_VIEW,
    MOST_SEARCHED,
    NearVector,
    StoredEngine,
    all_scores,
    find_engine,
    near,
    pairs_above,
    prepare_search,
    scores_of_versions,
)
from waypost.store.postgres.search.vector_samples import Samples
from waypost.store.protocol import FoundPassage, Population, Twin, VectorAnswer
from waypost.store.sql.database import Database
from waypost.store.sql.search import FoundRows, by_score, deeper

if TYPE_CHECKING:
    from waypost.store.protocol import Vector
    from waypost.store.sql.scores import VectorScores


class _Asked(NamedTuple):
    """A question to an engine, with what is known about it by now, for prose and for code."""

    vector: "Vector"
    engine: StoredEngine
    scores: "dict[bool, VectorScores]"  # where all were compared
    near: dict[bool, tuple[int, list[NearVector]]]  # how deep an index was searched, and what was found
    spreads: dict[bool, dict[str, Population]]


class PostgresSearchRows(FoundRows):
    """The part of the reader that searches. `samples` are kept by the store of the space."""

    # `OFFSET 0` keeps the order: from the few that were found to their memories. PostgreSQL itself, whose statistics
    # are behind after many writes, would begin with all that is current.
    _MEMORY = (
        "CROSS JOIN LATERAL (SELECT m.memory_id FROM memories m WHERE m.number = p.number AND {visible} OFFSET 0) m"
    )
    _PASSAGES = (
        "SELECT p.passage_id, p.passage_id, p.number, m.memory_id FROM"
        f" (SELECT passage_id, number FROM passages WHERE passage_id = ANY(?::bigint[]) OFFSET 0) p {_MEMORY}"
    )
    _PASSAGES_OF_VECTORS = (
        "SELECT v.vector_id, p.passage_id, p.number, m.memory_id FROM"
        " (SELECT vector_id, hash FROM vectors WHERE vector_id = ANY(?::bigint[]) OFFSET 0) v"
        f" CROSS JOIN LATERAL (SELECT passage_id, number FROM passages WHERE hash = v.hash OFFSET 0) p {_MEMORY}"
    )

    _LAST_PASSAGE = f"SELECT {LAST_PASSAGE}"
    _OF_DOMAINS = "domain = ANY(?::text[])"  # so the index of levels and domains gives these alone

    def __init__(self, database: Database, samples: Samples) -> None:
        super().__init__(database)
        self._samples = samples
        self._asked: dict[str, _Asked] = {}

    def _best_by_keywords(
        self, index: str, terms: Sequence[str], weights: Sequence[float], depth: int, among: list[int]
    ) -> dict[int, float]:
        return best_by_keywords(self._db, index, terms, weights, depth, among or None)

    def vector_search(self, engine: str, vector: "Vector", limit: int, view: View) -> VectorAnswer:
        asked = self._ask(engine, vector)
        if asked is None:
            return VectorAnswer((), {})
        # Of one sort only: else a small part would be searched for among the best of a large one.
        sorts = sorted({collection in CODE_COLLECTIONS for collection in view.collections})
        # First: what it has searched tells how the rest spreads.
        found = tuple(self._nearest(asked, sorts, limit, view))
        spread = {name: one for of_code in sorts for name, one in self._spread(asked, of_code).items()}
        return VectorAnswer(found, spread)

    def vector_scores(self, engine: str, vector: "Vector", numbers: Sequence[int]) -> dict[int, float]:
        asked = self._ask(engine, vector)
        best: dict[int, float] = {}
        if asked is not None and numbers:
            for number, _, cosine in scores_of_versions(self._db, asked.engine, vector, numbers):
                best[number] = max(cosine, best.get(number, cosine))
        return best

    def twins(
        self, engine: str, vectors: "Vector", kind: str, domain: str, above: float, since_number: int = 0
    ) -> list[Twin]:
        known = find_engine(self._db, engine)
        if known is None or known.dimensions != vectors.shape[1]:
            return []
        return self._twins_of(pairs_above(self._db, known, vectors, above), kind, domain, since_number)

    def _ask(self, engine: str, vector: "Vector") -> _Asked | None:
        asked = self._asked.get(engine)
        if asked is None or asked.vector is not vector:
            known = find_engine(self._db, engine)
            if known is None or known.dimensions != len(vector):  # the model behind the name has changed
                return None
            asked = self._asked[engine] = _Asked(vector, known, {}, {}, {})
        return asked

    def _scores(self, asked: _Asked, of_code: bool) -> "VectorScores":
        """The cosines of all vectors of a sort, computed once for each question."""
        if of_code not in asked.scores:
            asked.scores[of_code] = all_scores(self._db, asked.engine, of_code, asked.vector)
        return asked.scores[of_code]

    def _spread(self, asked: _Asked, of_code: bool) -> dict[str, Population]:
        """How the question's cosines spread: over all vectors of a sort, or over a sample where they are many."""
        if of_code not in asked.spreads:
            if asked.engine.indexed[of_code]:
                nearest = self._near(asked, of_code, LEAST_IN_VIEW)
                spread = self._samples.spread(self._db, asked.engine, of_code, asked.vector, nearest)
            else:
                rows = self._scores(asked, of_code).by_language() if asked.engine.count(of_code) else ()
                spread = {name: Population(count, mean, deviation) for name, count, mean, deviation in rows}
            asked.spreads[of_code] = spread
        return asked.spreads[of_code]

    def _nearest(self, asked: _Asked, sorts: Sequence[bool], limit: int, view: View) -> list[FoundPassage]:
        """The best that the view shows, looking as deep as it takes; nothing is looked up twice."""
        depth, looked = limit * 2, set[int]()
        if view.domains is not None or view.levels is not None:
            numbers = self._few_members(view)
            if numbers is not None:
                return self._best_of(asked, numbers, limit, view)
            depth = max(limit * 5, LEAST_IN_VIEW)  # searching once more costs the most
        found: list[FoundPassage] = []
        while True:
            best = self._best(asked, sorts, depth)
            new = {vector_id: cosine for vector_id, cosine in best if vector_id not in looked}
            found += self._best_visible(new, limit - len(found), view, self._PASSAGES_OF_VECTORS)
            if len(found) >= limit or len(best) < depth or depth >= MOST_SEARCHED:
                return sorted(found, key=by_score)
            numbers = None if looked else self._few_members(view)
            if numbers is not None:
                return self._best_of(asked, numbers, limit, view)
            looked |= new.keys()
            depth = deeper(depth, len(found), limit)

    def _best(self, asked: _Asked, sorts: Sequence[bool], depth: int) -> list[tuple[int, float]]:
        """(vector id, cosine) of the best of these sorts."""
        best: list[tuple[int, float]] = []
        for of_code in sorts:
            if not asked.engine.count(of_code):
                continue
            if asked.engine.indexed[of_code]:
                best += [(one.vector_id, one.cosine) for one in self._near(asked, of_code, depth)[:depth]]
            else:
                scores = self._scores(asked, of_code)
                places = scores.best(depth)
                best += zip(scores.ids[places].tolist(), scores.cosines[places].tolist(), strict=True)
        return sorted(best, key=lambda one: (-one[1], one[0]))[:depth] if len(sorts) > 1 else best

    def _near(self, asked: _Asked, of_code: bool, depth: int) -> list[NearVector]:
        """What the index finds, at least so many if there are; how the rest spreads is known from the same search."""
        searched, found = asked.near.get(of_code, (0, []))
        if searched < depth:
            searched = max(depth, LEAST_IN_VIEW)
            prepare_search(self._db, searched)
            found = near(self._db, asked.engine, of_code, asked.vector, searched)
            asked.near[of_code] = (searched, found)
        return found

    def _few_numbers(self, sql: str, parameters: Sequence[Any], most: int) -> list[int] | None:
        """In one piece, and none of them where they are too many: to pass them on takes longer than to find them."""
        ((count, packed),) = self._rows(
            f"SELECT count(*), CASE WHEN count(*) <= {int(most)} THEN string_agg(int8send(number), ''::bytea) END"
            f" FROM ({sql} LIMIT {int(most) + 1}) members",
            parameters,
        )
        return None if count > most else [*struct.unpack(f">{count}q", packed or b"")]

    def _best_of(self, asked: _Asked, numbers: Sequence[int], limit: int, view: View) -> list[FoundPassage]:
        """The best of a few versions that the view shows: all of these are compared. Mostly all of them are visible, so no
        more than twice as many as wanted are looked at, if they are enough."""
        for depth in (limit * 2, None):
            rows = scores_of_versions(self._db, asked.engine, asked.vector, numbers, depth)
            scores = {vector_id: cosine for _, vector_id, cosine in sorted(rows, key=lambda row: (-row[2], row[1]))}
            found = self._best_visible(scores, limit, view, self._PASSAGES_OF_VECTORS)
            if len(found) >= limit or depth is None or len(rows) < depth:
                break
        return found
