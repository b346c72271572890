"""Searches passages and returns those that a view shows.

First the best of all passages are looked up: mostly enough of them are visible. A view of some domains or levels may
show too few of them. Then its members are compared directly if they are few. If they are many, the search goes
deeper.
"""

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from math import isqrt
from typing import TYPE_CHECKING, Any

from waypost.model.kinds import CODE_COLLECTIONS
from waypost.model.recall import View
from waypost.store.search import FoundPassage, TermCounts, Twin
from waypost.store.sql.database import Database
from waypost.store.sql.rows import visible
from waypost.store.sql.versions import VersionRows

if TYPE_CHECKING:
    from waypost.store.vectors import Vector

_USUAL_LIMIT = 100
_MOST_PAIRS = 400  # similar vectors of a draft whose memories are looked up
_CODE = frozenset(CODE_COLLECTIONS)  # other sketches are read of it


def few_members(passages: int) -> int:
    """How many members are compared directly.

    As many as would have to be looked up to find enough of them among all passages; at least 3,000, which is fast.
    """
    return max(3_000, isqrt(_USUAL_LIMIT * passages))


def deeper(depth: int, hits: int, wanted: int) -> int:
    """How deep to look next, if the rest is like what was looked at, within bounds."""
    likely = depth * wanted // max(hits, 1) * 5 // 4
    return min(max(likely, 2 * depth), 16 * depth)


class SqlSearch:
    """Search without the indexes: each database has its own."""

    # Hits that a view shows, by passage id or by vector id. This id is the first column.
    _PASSAGES = (
        "SELECT p.passage_id, p.passage_id, {columns} FROM passages p JOIN memories m ON m.number = p.number"
        " WHERE p.passage_id IN (SELECT value FROM each_number(?)) AND {visible}"
    )
    _PASSAGES_OF_VECTORS = (
        "SELECT v.vector_id, p.passage_id, {columns} FROM vectors v JOIN passages p ON p.hash = v.hash"
        " JOIN memories m ON m.number = p.number WHERE v.vector_id IN (SELECT value FROM each_number(?)) AND {visible}"
    )

    _OF_DOMAINS = "domain IN (SELECT value FROM each_text(?))"
    _LAST_PASSAGE = "SELECT coalesce(max(passage_id), 0) FROM passages"

    def __init__(self, database: Database, versions: VersionRows | None = None) -> None:
        """`versions` keep the sketches of what is found, so that they are not read again."""
        self._db = database
        self._versions = versions
        self._members: dict[View, list[int] | None] = {}

    @abstractmethod
    def _best_by_keywords(
        self, index: str, terms: Sequence[str], weights: Sequence[float], depth: int, among: list[int]
    ) -> dict[int, float]:
        """The passages with the highest BM25, best first, of all or among some.

        `index` is `keywords` or `code_keywords`, `weights` are those of its columns.
        """

    @abstractmethod
    def _counts(self, index: str, terms: Sequence[str]) -> dict[str, int]:
        """How many passages of an index contain each term. Terms are in lower case."""

    def term_counts(self, terms: Sequence[str]) -> TermCounts:
        low = list(dict.fromkeys(term.lower() for term in terms))
        counts: dict[str, int] = {}
        for index in ("keywords", "code_keywords"):
            for term, count in self._counts(index, low).items():
                counts[term] = counts.get(term, 0) + count
        return TermCounts(self._last_passage(), counts)

    def keywords(self, terms: Sequence[str], limit: int, view: View) -> list[FoundPassage]:
        return self._matching("keywords", terms, (1.0,), limit, view)

    def code_keywords(
        self, terms: Sequence[str], weights: Sequence[float], limit: int, view: View
    ) -> list[FoundPassage]:
        return self._matching("code_keywords", terms, weights, limit, view)

    def _matching(
        self, index: str, terms: Sequence[str], weights: Sequence[float], limit: int, view: View
    ) -> list[FoundPassage]:
        if not terms:
            return []
        depth, members = limit * 2, list[int]()
        while True:
            best = self._best_by_keywords(index, terms, weights, depth, members)
            hits = self._best_visible(best, limit, view, self._PASSAGES)
            if len(hits) >= limit or len(best) < depth:
                return hits
            numbers = None if members else self._few_members(view)
            if numbers is not None:
                members = self._passages_of(numbers)
            depth = deeper(depth, len(hits), limit)

    def _few_members(self, view: View) -> list[int] | None:
        """The versions that a view of some domains or levels, or of another moment, may show.

        None: too many, or the view shows every current memory. For the current moment only an index is read, so some
        of them may not be visible.
        """
        if view.domains is None and view.levels is None and view.moment.known_at is None:
            return None
        if view not in self._members:
            sql, parameters = _members(view, self._OF_DOMAINS) if view.moment.known_at is None else _past_members(view)
            self._members[view] = self._few_numbers(sql, parameters, few_members(self._last_passage()))
        return self._members[view]

    def _few_numbers(self, sql: str, parameters: Sequence[Any], most: int) -> list[int] | None:
        """The numbers that a statement selects, or None if there are more than `most`."""
        rows = self._db.rows(f"{sql} LIMIT {most + 1}", parameters)
        return [number for (number,) in rows] if len(rows) <= most else None

    def _last_passage(self) -> int:
        """The highest passage id: about how many there are, without counting them."""
        ((number,),) = self._db.lasting_rows(self._LAST_PASSAGE)
        return int(number)

    def _passages_of(self, numbers: Sequence[int]) -> list[int]:
        rows = self._db.rows(
            "SELECT p.passage_id FROM each_number(?) asked THEN JOIN passages p ON p.number = asked.value",
            (list(numbers),),
        )
        return [row[0] for row in rows]

    def _best_visible(self, scores: dict[int, float], limit: int, view: View, sql: str) -> list[FoundPassage]:
        """The best passages that the view shows. `scores` are best first.

        Mostly all of them are visible, so those beyond the limit are looked up only if needed. A view that is limited to
        some domains or levels looks up all of them.
        """
        versions = None if set(view.collections) <= _CODE else self._versions
        columns = "m.number, m.memory_id" if versions is None else versions.MATCH_COLUMNS
        ids, hits = list(scores), list[tuple[float, int, int, str]]()
        first = limit if view.domains is None and view.levels is None else len(ids)
        for part in (ids[:first], ids[first:]):
            if part and len(hits) < limit:
                rows = self._rows_in_view(sql, columns, part, view)
                hits += [(-scores[row[0]], row[1], row[2], row[3]) for row in rows]
                if versions is not None:
                    versions.keep_sketches(row[2:] for row in rows)
        hits.sort()
        return [FoundPassage(passage, number, memory_id, -score) for score, passage, number, memory_id in hits[:limit]]

    def _rows_in_view(self, sql: str, columns: str, ids: list[int], view: View) -> list[Any]:
        condition, parameters = visible(view)
        return self._db.rows(sql.format(columns=columns, visible=condition), [ids, *parameters])

    def _twins_of(
        self, pairs: Iterable[tuple[int, int, float]], kind: str, domain: str, since_number: int
    ) -> list[Twin]:
        """The current memories with one passage for these (vector id, index of the given vector, cosine)."""
        alike = _most_similar(pairs)
        rows = self._db.rows(
            "SELECT v.vector_id, m.number, m.memory_id FROM vectors v JOIN passages p ON p.hash = v.hash"
            " JOIN memories m ON m.number = p.number WHERE v.vector_id IN (SELECT value FROM each_number(?))"
            " AND m.superseded_at IS NULL AND m.kind = ? AND m.domain = ? AND m.number > ?"
            " AND NOT EXISTS (SELECT 1 FROM passages o WHERE o.number = p.number AND o.passage_id <> p.passage_id)",
            (list({pair[0] for pair in alike}), kind, domain, since_number),
        )
        memories: dict[int, list[tuple[int, str]]] = {}
        for vector_id, number, memory_id in rows:
            memories.setdefault(vector_id, []).append((number, memory_id))
        twins = [
            Twin(given, number, memory_id, cosine)
            for vector_id, given, cosine in alike
            for number, memory_id in memories.get(vector_id, ())
        ]
        return sorted(twins, key=_twin_order)


def _members(view: View, of_domains: str) -> tuple[str, list[Any]]:
    """The statement for the members of the view's levels and domains, which their index answers."""
    statements, parameters = list[str](), list[Any]()
    for level in view.levels if view.levels is not None else (None, 0, 1, 2, 3):
        statement = (
            f"SELECT number FROM memories WHERE superseded_at IS NULL AND level {'IS NULL' if level is None else '= ?'}"
        )
        parameters += [] if level is None else [level]
        if view.domains is not None:
            statement += f" AND {of_domains}"
            parameters.append(list(view.domains))
        statements.append(statement)
    return " UNION ALL ".join(statements) or "SELECT number FROM memories WHERE FALSE", parameters


def _past_members(view: View) -> tuple[str, list[Any]]:
    condition, parameters = visible(view)
    return f"SELECT m.number FROM memories m WHERE {condition}", parameters


def by_score(hit: FoundPassage) -> tuple[float, int]:
    return -hit.score, hit.passage_id


def uncommitted_twins(
    database: Database, engine: str, vectors: "Vector", kind: str, domain: str, above: float, since_number: int
) -> list[Twin]:
    """The twins a writer sees: it compares stored vectors directly.

    Vectors cached beside the database would show others what may still be rolled back. It begins with the few newest
    rows, in the order of the joins; SQLite itself would read every current memory.
    """
    from waypost.store.sql.packed import unpack  # needs numpy

    rows = database.rows(
        "SELECT m.number, m.memory_id, v.packed FROM by_number(memories m) THEN JOIN passages p ON p.number = m.number"
        " THEN JOIN vectors v ON v.hash = p.hash AND v.engine_id = (SELECT engine_id FROM engines WHERE name = ?"
        " AND dimensions = ?) WHERE m.number > ? AND m.superseded_at IS NULL AND m.kind = ? AND m.domain = ?"
        " AND NOT EXISTS (SELECT 1 FROM passages o WHERE o.number = p.number AND o.passage_id <> p.passage_id)",
        (engine, vectors.shape[1], since_number, kind, domain),
    )
    cosines = unpack([row[2] for row in rows], vectors.shape[1]) @ vectors.T
    twins = [
        Twin(given, rows[row][0], rows[row][1], float(cosines[row, given]))
        for row in range(len(rows))
        for given in range(len(vectors))
        if cosines[row, given] > above
    ]
    return sorted(twins, key=_twin_order)


def _most_similar(pairs: Iterable[tuple[int, int, float]]) -> list[tuple[int, int, float]]:
    """At most `_MOST_PAIRS` for each given vector, so that a large code index does not slow a write down."""
    alike = list(pairs)
    if len(alike) <= _MOST_PAIRS:
        return alike
    taken = Counter[int]()
    best = []
    for pair in sorted(alike, key=lambda pair: -pair[2]):
        taken[pair[1]] += 1
        if taken[pair[1]] <= _MOST_PAIRS:
            best.append(pair)
    return best


def _twin_order(twin: Twin) -> tuple[int, float, int]:
    return twin.index, -twin.similarity, twin.number
