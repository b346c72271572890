"""Search in PostgreSQL, by its own indexes of keywords and vectors."""

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from waypost.model.kinds import CODE_COLLECTIONS
from waypost.model.recall import View
from waypost.store.postgres.search.keyword_rows import LAST_PASSAGE, best_by_keywords, is_damaged, term_counts
from waypost.store.postgres.search.vector_rows import (
    LEAST_IN_VIEW,
    MOST_SEARCHED,
    NearVector,
    StoredEngine,
    all_scores,
    cosines_between,
    find_engine,
    near,
    pairs_above,
    prepare_search,
    scores_of_versions,
)
from waypost.store.postgres.search.vector_samples import Samples
from waypost.store.search import FoundPassage, Population, Twin, VectorAnswer
from waypost.store.sql.database import Database
from waypost.store.sql.search import SqlSearch, by_score, deeper, uncommitted_twins
from waypost.store.sql.versions import VersionRows

if TYPE_CHECKING:
    from waypost.store.sql.scores import VectorScores
    from waypost.store.vectors import Vector


class _Question(NamedTuple):
    """A question to an engine, with what has been computed for it, for prose and for code."""

    vector: "Vector"
    engine: StoredEngine
    scores: "dict[bool, VectorScores]"  # if all were compared
    near: dict[bool, tuple[int, list[NearVector]]]  # how deep an index was searched, and what was found
    spreads: dict[bool, dict[str, Population]]


class PostgresSearch(SqlSearch):
    # `OFFSET 0` keeps the order: from the few hits to their memories. PostgreSQL itself, whose statistics are outdated
    # after many writes, would begin with everything that is current.
    _MEMORY = "CROSS JOIN LATERAL (SELECT {columns} FROM memories m WHERE m.number = p.number AND {visible} OFFSET 0) m"
    _PASSAGES = (
        "SELECT p.passage_id, p.passage_id, m.* FROM"
        f" (SELECT passage_id, number FROM passages WHERE passage_id = ANY(?::bigint[]) OFFSET 0) p {_MEMORY}"
    )
    _PASSAGES_OF_VECTORS = (
        "SELECT v.vector_id, p.passage_id, m.* FROM"
        " (SELECT vector_id, hash FROM vectors WHERE vector_id = ANY(?::bigint[]) OFFSET 0) v"
        f" CROSS JOIN LATERAL (SELECT passage_id, number FROM passages WHERE hash = v.hash OFFSET 0) p {_MEMORY}"
    )

    _LAST_PASSAGE = f"SELECT {LAST_PASSAGE}"
    _OF_DOMAINS = "domain = ANY(?::text[])"  # so the index of levels and domains gives these alone

    def __init__(self, database: Database, samples: Samples, versions: VersionRows | None = None) -> None:
        """`samples` belong to the store of the space."""
        super().__init__(database, versions)
        self._samples = samples
        self._questions: dict[str, _Question] = {}

    def forget_questions(self) -> None:
        """Vectors have changed."""
        self._questions.clear()

    def _best_by_keywords(
        self, index: str, terms: Sequence[str], weights: Sequence[float], depth: int, among: list[int]
    ) -> dict[int, float]:
        return best_by_keywords(self._db, index, terms, weights, depth, among or None)

    def _counts(self, index: str, terms: Sequence[str]) -> dict[str, int]:
        return term_counts(self._db, index, terms)

    def vectors(self, engine: str, vector: "Vector", limit: int, view: View) -> VectorAnswer:
        question = self._question(engine, vector)
        if question is None:
            return VectorAnswer((), {})
        # Only code or only prose: else the search for few would go through the best of many.
        sorts = sorted({collection in CODE_COLLECTIONS for collection in view.collections})
        # First: how the rest spreads follows from what was searched.
        hits = tuple(self._nearest(question, sorts, limit, view))
        spread = {name: part for of_code in sorts for name, part in self._spread(question, of_code).items()}
        return VectorAnswer(hits, spread)

    def vector_scores(self, engine: str, vector: "Vector", numbers: Sequence[int]) -> dict[int, float]:
        question = self._question(engine, vector)
        best: dict[int, float] = {}
        if question is not None and numbers:
            for number, _, cosine in scores_of_versions(self._db, question.engine, vector, numbers):
                best[number] = max(cosine, best.get(number, cosine))
        return best

    def cosines_between(self, engine: str, numbers: Sequence[int]) -> dict[tuple[int, int], float]:
        stored = find_engine(self._db, engine)
        return {} if stored is None else cosines_between(self._db, stored, numbers)

    def twins(
        self, engine: str, vectors: "Vector", kind: str, domain: str, above: float, since_number: int = 0
    ) -> list[Twin]:
        stored = find_engine(self._db, engine)
        if stored is None or stored.dimensions != vectors.shape[1]:
            return []
        return self._twins_of(pairs_above(self._db, stored, vectors, above), kind, domain, since_number)

    def _question(self, engine: str, vector: "Vector") -> _Question | None:
        question = self._questions.get(engine)
        if question is None or question.vector is not vector:
            stored = find_engine(self._db, engine)
            if stored is None or stored.dimensions != len(vector):  # the model behind the name has changed
                return None
            question = self._questions[engine] = _Question(vector, stored, {}, {}, {})
        return question

    def _scores(self, question: _Question, of_code: bool) -> "VectorScores":
        """The cosines of all vectors of a sort, computed once for each question."""
        if of_code not in question.scores:
            question.scores[of_code] = all_scores(self._db, question.engine, of_code, question.vector)
        return question.scores[of_code]

    def _spread(self, question: _Question, of_code: bool) -> dict[str, Population]:
        """How the question's cosines spread: over all vectors of a sort, or over a sample where they are many."""
        if of_code not in question.spreads:
            if question.engine.indexed[of_code]:
                nearest = self._near(question, of_code, LEAST_IN_VIEW)
                spread = self._samples.spread(self._db, question.engine, of_code, question.vector, nearest)
            else:
                rows = self._scores(question, of_code).by_language() if question.engine.count(of_code) else ()
                spread = {name: Population(count, mean, deviation) for name, count, mean, deviation in rows}
            question.spreads[of_code] = spread
        return question.spreads[of_code]

    def _nearest(self, question: _Question, sorts: Sequence[bool], limit: int, view: View) -> list[FoundPassage]:
        """The best that the view shows, as deep as it takes; nothing is looked up twice."""
        depth, looked = limit * 2, set[int]()
        if view.domains is not None or view.levels is not None:
            numbers = self._few_members(view)
            if numbers is not None:
                return self._best_of(question, numbers, limit, view)
            depth = max(limit * 5, LEAST_IN_VIEW)  # searching once more costs the most
        hits: list[FoundPassage] = []
        while True:
            best = self._best(question, sorts, depth)
            new = {vector_id: cosine for vector_id, cosine in best if vector_id not in looked}
            hits += self._best_visible(new, limit - len(hits), view, self._PASSAGES_OF_VECTORS)
            if len(hits) >= limit or len(best) < depth or depth >= MOST_SEARCHED:
                return sorted(hits, key=by_score)
            numbers = None if looked else self._few_members(view)
            if numbers is not None:
                return self._best_of(question, numbers, limit, view)
            looked |= new.keys()
            depth = deeper(depth, len(hits), limit)

    def _best(self, question: _Question, sorts: Sequence[bool], depth: int) -> list[tuple[int, float]]:
        """(vector id, cosine) of the best of these sorts."""
        best: list[tuple[int, float]] = []
        for of_code in sorts:
            if not question.engine.count(of_code):
                continue
            if question.engine.indexed[of_code]:
                best += [(near.vector_id, near.cosine) for near in self._near(question, of_code, depth)[:depth]]
            else:
                scores = self._scores(question, of_code)
                places = scores.best(depth)
                best += zip(scores.ids[places].tolist(), scores.cosines[places].tolist(), strict=True)
        return sorted(best, key=lambda scored: (-scored[1], scored[0]))[:depth] if len(sorts) > 1 else best

    def _near(self, question: _Question, of_code: bool, depth: int) -> list[NearVector]:
        """What the index finds: at least `depth` if there are as many. The spread follows from the same search."""
        searched, nearest = question.near.get(of_code, (0, []))
        if searched < depth:
            searched = max(depth, LEAST_IN_VIEW)
            prepare_search(self._db, searched)
            nearest = near(self._db, question.engine, of_code, question.vector, searched)
            question.near[of_code] = (searched, nearest)
        return nearest

    def _few_numbers(self, sql: str, parameters: Sequence[Any], most: int) -> list[int] | None:
        """In one piece, and none if they are too many: to transfer them takes longer than to find them."""
        ((count, packed),) = self._db.rows(
            f"SELECT count(*), CASE WHEN count(*) <= {int(most)} THEN string_agg(int8send(number), ''::bytea) END"
            f" FROM ({sql} LIMIT {int(most) + 1}) members",
            parameters,
        )
        return None if count > most else [*struct.unpack(f">{count}q", packed or b"")]

    def _best_of(self, question: _Question, numbers: Sequence[int], limit: int, view: View) -> list[FoundPassage]:
        """The best of a few versions that the view shows: all of these are compared.

        Mostly all of them are visible, so at first only twice as many as needed are looked up.
        """
        for depth in (limit * 2, None):
            rows = scores_of_versions(self._db, question.engine, question.vector, numbers, depth)
            scores = {vector_id: cosine for _, vector_id, cosine in sorted(rows, key=lambda row: (-row[2], row[1]))}
            hits = self._best_visible(scores, limit, view, self._PASSAGES_OF_VECTORS)
            if len(hits) >= limit or depth is None or len(rows) < depth:
                break
        return hits


class PostgresWriterSearch(PostgresSearch):
    """Search that also sees what is not committed."""

    def twins(
        self, engine: str, vectors: "Vector", kind: str, domain: str, above: float, since_number: int = 0
    ) -> list[Twin]:
        return uncommitted_twins(self._db, engine, vectors, kind, domain, above, since_number)

    def drop_damaged_keywords(self) -> None:
        for index in ("keywords", "code_keywords"):
            if is_damaged(self._db, index):
                self._db.change(f"DELETE FROM {index}")
                self._db.change(f"DELETE FROM {index}_terms")
                self._db.change(f"UPDATE {index}_totals SET passages = 0, tokens = 0")
