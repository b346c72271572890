"""Search in SQLite: keywords by FTS5, vectors by comparing all of them."""

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from math import log
from typing import TYPE_CHECKING, Any

import apsw

from waypost.model.kinds import CODE_COLLECTIONS
from waypost.model.recall import View
from waypost.store.search import FoundPassage, Population, Twin, VectorAnswer
from waypost.store.sql.rows import visible
from waypost.store.sql.search import SqlSearch, by_score, deeper, uncommitted_twins
from waypost.store.sql.versions import VersionRows
from waypost.store.sqlite.database import SqliteDatabase
from waypost.store.sqlite.index_writer import INDEXES
from waypost.store.sqlite.readable_tables import UNREADABLE, ReadableDatabase
from waypost.text.stems import fold

if TYPE_CHECKING:
    from waypost.store.sql.scores import VectorScores
    from waypost.store.sqlite.vectors import EngineVectors
    from waypost.store.vectors import Vector

    OpenVectors = Callable[[apsw.Connection, str], EngineVectors | None]

_MOST_KEPT = 50_000  # versions whose vector ids a connection keeps, and terms with their counts: 10 MB each
_MOST_WEIGHED = 15_000  # passages whose keywords are compared: a microsecond each


class SqliteSearch(SqlSearch):
    def __init__(
        self, database: SqliteDatabase, open_vectors: "OpenVectors", versions: VersionRows | None = None
    ) -> None:
        super().__init__(database, versions)
        self._connection = database.connection
        self._open_vectors = open_vectors
        self._scored: dict[str, tuple[Vector, VectorScores]] = {}
        self._parts: dict[tuple[str, bool | None], tuple[VectorScores, VectorScores, dict[str, Population]]] = {}

    def _best_by_keywords(
        self, index: str, terms: Sequence[str], weights: Sequence[float], depth: int, among: list[int]
    ) -> dict[int, float]:
        match = " OR ".join(f'"{term}"' for term in self._rarest(index, terms))
        columns = ", ".join(str(float(weight)) for weight in weights)
        chosen = " AND +rowid IN (SELECT value FROM each_number(?))" if among else ""
        # Not `ORDER BY rank`: FTS5 would sort all matches by itself, which takes longer than to keep the best.
        rows = self._db.rows(
            f"SELECT rowid, -bm25({index}, {columns}) AS score FROM {index} WHERE {index} MATCH ?{chosen}"
            " ORDER BY score DESC, rowid LIMIT ?",
            [match, *([among] if among else []), depth],
        )
        return dict(rows)

    def _rarest(self, index: str, terms: Sequence[str]) -> list[str]:
        """The terms to rank by: the rarest, as many as the index can weigh in time, but at least one that it contains.

        Terms of a great part of all passages hardly distinguish them, and cost the most.
        """
        if self._last_passage() <= _MOST_WEIGHED:
            return list(terms)
        counts = self._counts(index, [term.lower() for term in terms])
        kept, weighed = list[str](), 0
        for count, term in sorted((counts.get(term.lower(), 0), term) for term in terms):
            if weighed and weighed + count > _MOST_WEIGHED:
                break
            kept.append(term)
            weighed += count
        return kept

    def _counts(self, index: str, terms: Sequence[str]) -> dict[str, int]:
        if not self._db.lasting_rows(f"SELECT 1 FROM {index}_docsize LIMIT 1"):
            return {}
        sql = f"SELECT term, doc FROM temp.{index}_terms WHERE term IN (SELECT value FROM each_text(?))"
        return dict(self._db.rows(sql, (list(terms),)))

    def vectors(self, engine: str, vector: "Vector", limit: int, view: View) -> VectorAnswer:
        scored = self._score(engine, vector)
        if scored is None:
            return VectorAnswer((), {})
        of_code = {collection in CODE_COLLECTIONS for collection in view.collections}
        # Only code or only prose: else the search for few would go through the best of many.
        scored, spread = self._part(engine, scored, of_code.pop() if len(of_code) == 1 else None)
        return VectorAnswer(tuple(self._nearest(engine, scored, limit, view)), spread)

    def _nearest(self, engine: str, scored: "VectorScores", limit: int, view: View) -> list[FoundPassage]:
        """The best that the view shows, as deep as it takes; nothing is looked up twice."""
        depth, looked, among = limit * 2, 0, scored
        hits: list[FoundPassage] = []
        while True:
            places = among.best(depth)[looked:]
            best = dict(zip(among.ids[places].tolist(), among.cosines[places].tolist(), strict=True))
            hits += self._best_visible(best, limit - len(hits), view, self._PASSAGES_OF_VECTORS)
            if len(hits) >= limit or depth >= len(among.ids):
                return hits
            numbers = self._few_members(view) if among is scored else None
            if numbers is not None:
                among = scored.only([each for ids in self._vectors_of(engine, numbers).values() for each in ids])
                hits, looked = [], 0
                continue
            looked, depth = depth, deeper(depth, len(hits), limit)

    def _part(
        self, engine: str, scored: "VectorScores", of_code: bool | None
    ) -> "tuple[VectorScores, dict[str, Population]]":
        """The cosines of code, prose or both, and how they spread; computed once for each question."""
        part_scores = self._parts.get((engine, of_code))
        if part_scores is None or part_scores[0] is not scored:
            part = scored if of_code is None else scored.part(of_code)
            spread = {name: Population(count, mean, deviation) for name, count, mean, deviation in part.by_language()}
            part_scores = self._parts[engine, of_code] = (scored, part, spread)
        return part_scores[1], part_scores[2]

    def vector_scores(self, engine: str, vector: "Vector", numbers: Sequence[int]) -> dict[int, float]:
        import numpy as np  # loaded only where vectors are

        scored = self._score(engine, vector)
        if scored is None:
            return {}
        vector_ids = self._vectors_of(engine, numbers)
        cosines = scored.of(np.array([each for ids in vector_ids.values() for each in ids], np.int64)).tolist()
        best: dict[int, float] = {}
        owners = (number for number, ids in vector_ids.items() for _ in ids)
        for number, cosine in zip(owners, cosines, strict=True):
            if cosine > best.get(number, -2.0):  # no comparison with NaN, "not here", is true
                best[number] = cosine
        return best

    def cosines_between(self, engine: str, numbers: Sequence[int]) -> dict[tuple[int, int], float]:
        stored = self._open_vectors(self._connection, engine)
        if stored is None:
            return {}
        owned = sorted((number, each) for number, ids in self._vectors_of(engine, numbers).items() for each in ids)
        places, cosines = stored.snapshot(self._connection).between(sorted({vector_id for _, vector_id in owned}))
        best: dict[tuple[int, int], float] = {}
        for (first, vector_id), (second, other_id) in combinations(owned, 2):
            if first < second and vector_id in places and other_id in places:
                cosine = cosines[places[vector_id]][places[other_id]]
                best[first, second] = max(best.get((first, second), cosine), cosine)
        return best

    def _vectors_of(self, engine: str, numbers: Sequence[int]) -> dict[int, list[int]]:
        """The vector ids of all passages of these versions."""
        # The order of the joins is fixed: SQLite itself would read the whole index of vectors first.
        rows = self._db.rows(
            "SELECT p.number, v.vector_id FROM each_number(?) asked THEN JOIN passages p ON p.number = asked.value"
            " THEN JOIN vectors v ON v.hash = p.hash AND v.engine_id = (SELECT engine_id FROM engines WHERE name = ?)",
            (list(numbers), engine),
        )
        vector_ids: dict[int, list[int]] = {number: [] for number in numbers}
        for number, vector_id in rows:
            vector_ids[number].append(vector_id)
        return vector_ids

    def _score(self, engine: str, vector: "Vector") -> "VectorScores | None":
        """Cosines of one question with everything, computed once for each engine and question."""
        last = self._scored.get(engine)
        if last is not None and last[0] is vector:
            return last[1]
        vectors = self._open_vectors(self._connection, engine)
        if vectors is None or vectors.dimensions != len(vector):  # the model behind the name has changed
            return None
        scored = vectors.snapshot(self._connection).scores(vector)
        self._scored[engine] = (vector, scored)
        return scored

    def twins(
        self, engine: str, vectors: "Vector", kind: str, domain: str, above: float, since_number: int = 0
    ) -> list[Twin]:
        stored = self._open_vectors(self._connection, engine)
        if stored is None or stored.dimensions != vectors.shape[1]:
            return []
        pairs = stored.snapshot(self._connection).pairs_above(vectors, above)
        return self._twins_of(pairs, kind, domain, since_number)


class SqliteWriterSearch(SqliteSearch):
    """Search that also sees what is not committed."""

    def twins(
        self, engine: str, vectors: "Vector", kind: str, domain: str, above: float, since_number: int = 0
    ) -> list[Twin]:
        return uncommitted_twins(self._db, engine, vectors, kind, domain, above, since_number)

    def drop_damaged_keywords(self) -> None:
        for index in INDEXES:
            try:
                self._db.change(f"INSERT INTO {index} ({index}) VALUES ('integrity-check')")
            except apsw.CorruptError:
                self._db.change(f"INSERT INTO {index} ({index}) VALUES ('delete-all')")


class ReadableSearch(SqliteSearch):
    """Search that goes on without damaged indexes."""

    def __init__(self, database: ReadableDatabase, open_vectors: "OpenVectors", versions: VersionRows) -> None:
        super().__init__(database, open_vectors, versions)
        self._readable = database

    def keywords(self, terms: Sequence[str], limit: int, view: View) -> list[FoundPassage]:
        try:
            hits = super().keywords(terms, limit, view)
            if "passages" not in self._readable.copied:
                return hits
        except UNREADABLE:
            self._readable.damaged.add("keywords")
        condition, parameters = visible(view)
        rows = self._db.rows(f"SELECT m.number, m.memory_id, m.text FROM memories m WHERE {condition}", parameters)
        return _search_texts(rows, terms, limit)

    def code_keywords(
        self, terms: Sequence[str], weights: Sequence[float], limit: int, view: View
    ) -> list[FoundPassage]:
        try:
            return super().code_keywords(terms, weights, limit, view)
        except UNREADABLE:
            self._readable.damaged.add("code_keywords")
            return []

    def _rows_in_view(self, sql: str, columns: str, ids: list[int], view: View) -> list[Any]:
        return self._readable.rows_in_view(sql, columns, ids, view)

    def _counts(self, index: str, terms: Sequence[str]) -> dict[str, int]:
        kept: dict[str, int] = self._readable.lasting().setdefault(("terms", index), {})
        missing = [term for term in terms if term not in kept]
        try:
            new = super()._counts(index, missing) if missing else {}
        except UNREADABLE:
            self._readable.damaged.add(index)
            return {}
        if self._readable.is_sound and len(kept) + len(missing) <= _MOST_KEPT:
            kept |= {term: new.get(term, 0) for term in missing}
        return {term: count for term in terms if (count := new.get(term) or kept.get(term, 0))}

    def vectors(self, engine: str, vector: "Vector", limit: int, view: View) -> VectorAnswer:
        try:
            return super().vectors(engine, vector, limit, view)
        except UNREADABLE:
            self._readable.damaged.add("vectors")
            return VectorAnswer((), {})

    def vector_scores(self, engine: str, vector: "Vector", numbers: Sequence[int]) -> dict[int, float]:
        try:
            return super().vector_scores(engine, vector, numbers)
        except UNREADABLE:
            self._readable.damaged.add("vectors")
            return {}

    def cosines_between(self, engine: str, numbers: Sequence[int]) -> dict[tuple[int, int], float]:
        try:
            return super().cosines_between(engine, numbers)
        except (*UNREADABLE, ValueError):
            self._readable.damaged.add("vectors")
            return {}

    def _vectors_of(self, engine: str, numbers: Sequence[int]) -> dict[int, list[int]]:
        kept: dict[int, list[int]] = self._readable.lasting().setdefault(("vectors", engine), {})
        missing = [number for number in numbers if number not in kept]
        if len(kept) + len(missing) > _MOST_KEPT:
            return super()._vectors_of(engine, numbers)
        new = super()._vectors_of(engine, missing) if missing else {}
        if self._readable.is_sound:
            kept |= new
        return {number: new[number] if number in new else kept[number] for number in numbers}

    def twins(
        self, engine: str, vectors: "Vector", kind: str, domain: str, above: float, since_number: int = 0
    ) -> list[Twin]:
        try:
            return super().twins(engine, vectors, kind, domain, above, since_number)
        except (*UNREADABLE, ValueError):
            self._readable.damaged.add("vectors")
            return []

    def _score(self, engine: str, vector: "Vector") -> "VectorScores | None":
        try:
            return super()._score(engine, vector)
        except (*UNREADABLE, ValueError):
            self._readable.damaged.add("vectors")
            return None


def _search_texts(texts: Iterable[tuple[int, str, str]], terms: Sequence[str], limit: int) -> list[FoundPassage]:
    """The best of (number, memory id, text) by the terms they contain, without an index; rare terms count more.

    Stems are beginnings of words, so any part of the text may match.
    """
    wanted = [fold(term) for term in terms]
    matches = [(number, memory_id, _contained_terms(fold(text), wanted)) for number, memory_id, text in texts]
    matches = [match for match in matches if match[2]]
    rarity = {term: log(1 + len(matches) / max(1, sum(term in match[2] for match in matches))) for term in wanted}
    hits = [
        FoundPassage(-number, number, memory_id, sum(rarity[term] for term in contained))
        for number, memory_id, contained in matches
    ]
    return sorted(hits, key=by_score)[:limit]


def _contained_terms(text: str, terms: Iterable[str]) -> frozenset[str]:
    return frozenset(term for term in terms if term and term in text)
