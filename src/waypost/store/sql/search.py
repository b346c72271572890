"""Searching passages, and showing only those that a view shows.

The best of all passages are looked up first: mostly enough of them are visible. Where a view shows only some domains or
levels and too few of the best belong to them, its few members are compared directly; many members are found by looking
deeper.
"""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from math import isqrt
from typing import Any

from waypost.model.recall import View
from waypost.store.protocol import FoundPassage, Twin
from waypost.store.sql.database import Database
from waypost.store.sql.memories import SqlReader
from waypost.store.sql.rows import visible

_SOUGHT = 100  # mostly


def few_members(passages: int) -> int:
    """How many are compared directly: as many as would have to be looked up to find enough of these among so many, at
    least 3,000, which take no time."""
    return max(3_000, isqrt(_SOUGHT * passages))


def deeper(depth: int, found: int, wanted: int) -> int:
    """How deep to look next: as it takes if the rest is like what was looked at, within bounds."""
    likely = depth * wanted // max(found, 1) * 5 // 4
    return min(max(likely, 2 * depth), 16 * depth)


class FoundRows(SqlReader):
    """The part of the reader that searches, but for the indexes: these are each database's own."""

    # What a search has found, by ids of passages or of vectors, as far as a view shows it. The ids come first.
    _PASSAGES = (
        "SELECT p.passage_id, p.passage_id, p.number, m.memory_id FROM passages p JOIN memories m ON m.number = p.number"
        " WHERE p.passage_id IN (SELECT value FROM each_number(?)) AND {visible}"
    )
    _PASSAGES_OF_VECTORS = (
        "SELECT v.vector_id, p.passage_id, p.number, m.memory_id FROM vectors v JOIN passages p ON p.hash = v.hash"
        " JOIN memories m ON m.number = p.number WHERE v.vector_id IN (SELECT value FROM each_number(?)) AND {visible}"
    )

    _OF_DOMAINS = "domain IN (SELECT value FROM each_text(?))"
    _LAST_PASSAGE = "SELECT coalesce(max(passage_id), 0) FROM passages"

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._members: dict[View, list[int] | None] = {}

    @abstractmethod
    def _best_by_keywords(
        self, index: str, terms: Sequence[str], weights: Sequence[float], depth: int, among: list[int]
    ) -> dict[int, float]:
        """The passages with the highest BM25, best first, of all or among some. `index` is `keywords` or `code_keywords`,
        `weights` are those of its columns."""

    def keyword_search(self, terms: Sequence[str], limit: int, view: View) -> list[FoundPassage]:
        return self._matching("keywords", terms, (1.0,), limit, view)

    def code_keyword_search(
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
            found = self._best_visible(best, limit, view, self._PASSAGES)
            if len(found) >= limit or len(best) < depth:
                return found
            numbers = None if members else self._few_members(view)
            if numbers is not None:
                members = self._passages_of(numbers)
            depth = deeper(depth, len(found), limit)

    def _few_members(self, view: View) -> list[int] | None:
        """The versions that a view of some domains or levels, or of another moment, may show, if they are few; None: too
        many, or all that are current. For now only an index is read, so what is not visible may be among them."""
        if view.domains is None and view.levels is None and view.moment.known_at is None:
            return None
        if view not in self._members:
            sql, parameters = _members(view, self._OF_DOMAINS) if view.moment.known_at is None else _known_then(view)
            self._members[view] = self._few_numbers(sql, parameters, few_members(self._last_passage()))
        return self._members[view]

    def _few_numbers(self, sql: str, parameters: Sequence[Any], most: int) -> list[int] | None:
        """What a statement finds, if it is no more than so much."""
        rows = self._rows(f"{sql} LIMIT {most + 1}", parameters)
        return [number for (number,) in rows] if len(rows) <= most else None

    def _last_passage(self) -> int:
        """The highest number of a passage: about how many there are, without counting them."""
        ((number,),) = self._rows(self._LAST_PASSAGE)
        return int(number)

    def _passages_of(self, numbers: Sequence[int]) -> list[int]:
        rows = self._rows(
            "SELECT p.passage_id FROM each_number(?) asked THEN JOIN passages p ON p.number = asked.value",
            (list(numbers),),
        )
        return [row[0] for row in rows]

    def _best_visible(self, scores: dict[int, float], limit: int, view: View, sql: str) -> list[FoundPassage]:
        """The best passages that the view shows. `scores` are best first; mostly all of them are visible, so those
        beyond the limit are looked up only if it needs them; not so where a view shows some domains or levels alone."""
        condition, parameters = visible(view)
        ids, found = list(scores), list[FoundPassage]()
        first = limit if view.domains is None and view.levels is None else len(ids)
        for part in (ids[:first], ids[first:]):
            if part and len(found) < limit:
                rows = self._rows(sql.format(visible=condition), [part, *parameters])
                found += [
                    FoundPassage(passage, number, memory_id, scores[key]) for key, passage, number, memory_id in rows
                ]
        return sorted(found, key=by_score)[:limit]

    def _twins_of(
        self, pairs: Iterable[tuple[int, int, float]], kind: str, domain: str, since_number: int
    ) -> list[Twin]:
        """The current memories of one passage behind these pairs of vector id, index of the asked vector, and cosine."""
        alike = list(pairs)
        rows = self._rows(
            "SELECT v.vector_id, m.number, m.memory_id FROM vectors v JOIN passages p ON p.hash = v.hash"
            " JOIN memories m ON m.number = p.number WHERE v.vector_id IN (SELECT value FROM each_number(?))"
            " AND m.superseded_at IS NULL AND m.kind = ? AND m.domain = ? AND m.number > ?"
            " AND NOT EXISTS (SELECT 1 FROM passages o WHERE o.number = p.number AND o.passage_id <> p.passage_id)",
            (list({pair[0] for pair in alike}), kind, domain, since_number),
        )
        place: dict[int, list[tuple[int, str]]] = {}
        for vector_id, number, memory_id in rows:
            place.setdefault(vector_id, []).append((number, memory_id))
        found = [
            Twin(asked, number, memory_id, cosine)
            for vector_id, asked, cosine in alike
            for number, memory_id in place.get(vector_id, ())
        ]
        return sorted(found, key=lambda twin: (twin.asked, -twin.similarity, twin.number))


def _members(view: View, of_domains: str) -> tuple[str, list[Any]]:
    """The statement for those of the view's levels and domains, in words that the index of these answers."""
    statements, parameters = list[str](), list[Any]()
    for level in view.levels if view.levels is not None else (None, 0, 1, 2, 3):
        one = (
            f"SELECT number FROM memories WHERE superseded_at IS NULL AND level {'IS NULL' if level is None else '= ?'}"
        )
        parameters += [] if level is None else [level]
        if view.domains is not None:
            one += f" AND {of_domains}"
            parameters.append(list(view.domains))
        statements.append(one)
    return " UNION ALL ".join(statements) or "SELECT number FROM memories WHERE FALSE", parameters


def _known_then(view: View) -> tuple[str, list[Any]]:
    condition, parameters = visible(view)
    return f"SELECT m.number FROM memories m WHERE {condition}", parameters


def by_score(found: FoundPassage) -> tuple[float, int]:
    return -found.score, found.passage_id
