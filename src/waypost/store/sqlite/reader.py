"""Reading: everything inside one read transaction, so that an answer never mixes two states."""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import apsw

from waypost.model.kinds import CODE_COLLECTIONS
from waypost.model.memory import State, Version
from waypost.model.recall import View
from waypost.model.reference import CodeReference
from waypost.model.time import Moment, from_micros
from waypost.store.protocol import (
    AuditEntry,
    Edge,
    Filter,
    Found,
    Population,
    Sketch,
    Twin,
    VectorAnswer,
)
from waypost.store.sqlite.fact_rows import FactRows
from waypost.store.sqlite.reference_rows import REFERENCE_COLUMNS, reference_of
from waypost.store.sqlite.rows import (
    STATE_FIELDS,
    VERSION_COLUMNS,
    as_json,
    moment_condition,
    number_list,
    state_of,
    version_of,
    visible,
)

if TYPE_CHECKING:
    from waypost.store.protocol import Vector
    from waypost.store.sqlite.vectors import EngineVectors, Scores

_WIDEN = 4  # when filters leave too few of the best, look this many times deeper
_MOST_WEIGHED = 15_000  # passages whose keywords are compared: a microsecond each
_PASSAGES = (
    "SELECT p.passage_id, p.passage_id, p.number, m.memory_id FROM passages p JOIN memories m ON m.number = p.number"
    " WHERE p.passage_id IN (SELECT value FROM json_each(?))"
)
_PASSAGES_OF_VECTORS = (
    "SELECT v.vector_id, p.passage_id, p.number, m.memory_id FROM vectors v JOIN passages p ON p.hash = v.hash"
    " JOIN memories m ON m.number = p.number WHERE v.vector_id IN (SELECT value FROM json_each(?))"
)
_M_COLUMNS = ", ".join(f"m.{name.strip()}" for name in VERSION_COLUMNS.split(","))


class SqliteReader(FactRows):
    def __init__(self, connection: apsw.Connection, vectors: "Callable[[apsw.Connection, str], EngineVectors | None]"):
        super().__init__(connection)
        self._vectors = vectors
        self._scored: dict[str, tuple[Vector, Scores]] = {}
        self._engine_ids: dict[str, int] = {}  # that a writer has asked for

    # -- versions -----------------------------------------------------------------------------------------

    def _versions(self, sql: str, parameters: Sequence[Any]) -> list[Version]:
        rows = self._rows(f"SELECT {_M_COLUMNS} FROM memories m {sql}", parameters)
        refs = self._refs([row[0] for row in rows])
        return [version_of(row, refs.get(row[0], ())) for row in rows]

    def _refs(self, numbers: Sequence[int]) -> dict[int, tuple[CodeReference, ...]]:
        found: dict[int, tuple[CodeReference, ...]] = {}
        for number, *row in self._rows(
            f"SELECT number, {REFERENCE_COLUMNS} FROM code_refs WHERE number IN (SELECT value FROM json_each(?))"
            " ORDER BY 1, place",
            (number_list(numbers),),
        ):
            found[number] = (*found.get(number, ()), reference_of(row))
        return found

    def version(self, memory_id: str, moment: Moment) -> Version | None:
        condition, parameters = moment_condition(moment)
        found = self._versions(
            f"WHERE m.memory_id = ? AND {condition} ORDER BY m.number DESC LIMIT 1", [memory_id, *parameters]
        )
        return found[0] if found else None

    def versions(self, memory_id: str) -> list[Version]:
        return self._versions("WHERE m.memory_id = ? ORDER BY m.number", [memory_id])

    def versions_by_number(self, numbers: Iterable[int]) -> dict[int, Version]:
        found = self._versions("WHERE m.number IN (SELECT value FROM json_each(?))", [number_list(numbers)])
        return {version.number: version for version in found}

    def listing(self, view: View, chosen: Filter, *, after: int = 0, limit: int = 100) -> list[Version]:
        condition, parameters = _chosen(view, chosen)
        return self._versions(
            f"WHERE {condition} AND m.number > ? ORDER BY m.number LIMIT ?", [*parameters, after, limit]
        )

    def latest(self, view: View, chosen: Filter, limit: int) -> list[Version]:
        condition, parameters = _chosen(view, chosen)
        return self._versions(f"WHERE {condition} ORDER BY m.number DESC LIMIT ?", [*parameters, limit])[::-1]

    def states(self, memory_ids: Iterable[str]) -> dict[str, State]:
        rows = self._rows(
            f"SELECT memory_id, {', '.join(STATE_FIELDS)} FROM states WHERE memory_id IN (SELECT value FROM json_each(?))",
            (as_json(list(memory_ids)),),
        )
        return {row[0]: state_of(row[1:]) for row in rows}

    def find_key(self, key: str) -> Version | None:
        found = self._versions("WHERE m.key = ? AND m.superseded_at IS NULL ORDER BY m.number", [key])
        return found[0] if found else None

    def find_fingerprint(self, fingerprint: bytes) -> list[Version]:
        return self._versions("WHERE m.fingerprint = ? ORDER BY m.number", [fingerprint])

    def sketches(self, numbers: Iterable[int]) -> dict[int, Sketch]:
        found = self._sketches(
            "FROM memories m WHERE m.number IN (SELECT value FROM json_each(?))", [number_list(numbers)]
        )
        return {sketch.number: sketch for sketch in found}

    def followers(self, numbers: Iterable[int], reach: int, view: View) -> list[Sketch]:
        condition, parameters = visible(view)
        return self._sketches(
            "FROM memories a JOIN memories m ON m.session = a.session"
            " AND m.position BETWEEN a.position + 1 AND a.position + ?"
            f" WHERE a.session IS NOT NULL AND a.number IN (SELECT value FROM json_each(?)) AND {condition}",
            [reach, number_list(numbers), *parameters],
        )

    def _sketches(self, sql: str, parameters: Sequence[Any]) -> list[Sketch]:
        rows = self._rows(
            "SELECT DISTINCT m.number, m.memory_id, m.kind, m.collection, m.level, m.session, m.position, m.speaker,"
            f" m.language, m.traits, coalesce(m.time, m.valid_from) {sql}",
            parameters,
        )
        return [Sketch._make((*row[:-1], from_micros(row[-1]))) for row in rows]

    def speakers(self, limit: int) -> list[str]:
        # Jumps from one name to the next in the index instead of reading every turn.
        rows = self._rows(
            "WITH RECURSIVE who (name) AS (SELECT min(speaker) FROM memories WHERE speaker IS NOT NULL UNION ALL"
            " SELECT (SELECT min(speaker) FROM memories WHERE speaker > who.name) FROM who WHERE who.name IS NOT NULL)"
            " SELECT name FROM who WHERE name IS NOT NULL LIMIT ?",
            (limit,),
        )
        return [row[0] for row in rows]

    # -- search -------------------------------------------------------------------------------------------

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
        depth = limit * 2
        while True:
            best = self._rows(
                f"SELECT rowid, -rank FROM {index} WHERE {index} MATCH ? AND rank MATCH ? ORDER BY rank LIMIT ?",
                (match, ranking, depth),
            )
            found = self._best_visible(dict(best), limit, view, _PASSAGES)
            if len(found) >= limit or len(best) < depth:
                return found
            depth *= _WIDEN

    def _telling(self, index: str, terms: Sequence[str]) -> list[str]:
        """The terms to rank by: the rarest ones, as many as the index can weigh in time, but at least one it knows.

        What stands in a great part of all passages hardly tells them apart, and costs the most.
        """
        if self._rows("SELECT coalesce(max(passage_id), 0) FROM passages")[0][0] <= _MOST_WEIGHED:
            return list(terms)
        counts: dict[str, int] = dict(
            self._rows(
                f"SELECT term, doc FROM temp.{index}_terms WHERE term IN (SELECT value FROM json_each(?))",
                (as_json([term.lower() for term in terms]),),
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
        if len(of_code) == 1:  # else a small part would be searched for among the best of a large one
            scored = scored.part(of_code.pop())
        depth = limit * 2
        while True:
            places = scored.best(depth)
            best = dict(zip(scored.ids[places].tolist(), scored.cosines[places].tolist(), strict=True))
            found = self._best_visible(best, limit, view, _PASSAGES_OF_VECTORS)
            if len(found) >= limit or depth >= len(scored.ids):
                break
            depth *= _WIDEN
        spread = {name: Population(count, mean, deviation) for name, count, mean, deviation in scored.by_language()}
        return VectorAnswer(tuple(found), spread)

    def _best_visible(self, scores: dict[int, float], limit: int, view: View, sql: str) -> list[Found]:
        """The best passages that the view shows. `scores` are best first; mostly all of them are visible, so those
        beyond the limit are looked up only if it needs them."""
        condition, parameters = visible(view)
        ids, found = list(scores), list[Found]()
        for part in (ids[:limit], ids[limit:]):
            if part and len(found) < limit:
                rows = self._rows(f"{sql} AND {condition}", [number_list(part), *parameters])
                found += [Found(passage, number, memory_id, scores[key]) for key, passage, number, memory_id in rows]
        return sorted(found, key=_by_score)[:limit]

    def vector_scores(self, engine: str, vector: "Vector", numbers: Sequence[int]) -> dict[int, float]:
        import numpy as np  # only where vectors are

        scored = self._score(engine, vector)
        if scored is None:
            return {}
        # The order of the joins is spelt out: left to itself, SQLite reads the whole index of vectors first.
        rows = self._rows(
            "SELECT p.number, v.vector_id FROM json_each(?) asked CROSS JOIN passages p ON p.number = asked.value"
            " CROSS JOIN vectors v ON v.hash = p.hash AND v.engine_id = (SELECT engine_id FROM engines WHERE name = ?)",
            (number_list(numbers), engine),
        )
        cosines = scored.of(np.array([row[1] for row in rows], np.int64)).tolist()
        best: dict[int, float] = {}
        for (number, _), cosine in zip(rows, cosines, strict=True):
            if cosine > best.get(number, -2.0):  # no comparison with NaN, "not here", is true
                best[number] = cosine
        return best

    def _score(self, engine: str, vector: "Vector") -> "Scores | None":
        """Cosines of one question with everything, computed once for each engine and question."""
        known = self._scored.get(engine)
        if known is not None and known[0] is vector:
            return known[1]
        vectors = self._vectors(self._db, engine)
        if vectors is None or vectors.dimensions != len(vector):  # the model behind the name has changed
            return None
        scored = vectors.snapshot(self._db).scores(vector)
        self._scored[engine] = (vector, scored)
        return scored

    def twins(
        self, engine: str, vectors: "Vector", kind: str, domain: str, above: float, since_number: int = 0
    ) -> list[Twin]:
        known = self._vectors(self._db, engine)
        if known is None or known.dimensions != vectors.shape[1]:
            return []
        pairs = list(known.snapshot(self._db).pairs_above(vectors, above))
        rows = self._rows(
            "SELECT v.vector_id, m.number, m.memory_id FROM vectors v JOIN passages p ON p.hash = v.hash"
            " JOIN memories m ON m.number = p.number WHERE v.vector_id IN (SELECT value FROM json_each(?))"
            " AND m.superseded_at IS NULL AND m.kind = ? AND m.domain = ? AND m.number > ?"
            " AND NOT EXISTS (SELECT 1 FROM passages o WHERE o.number = p.number AND o.passage_id <> p.passage_id)",
            (number_list({pair[0] for pair in pairs}), kind, domain, since_number),
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

    # -- vectors owed -------------------------------------------------------------------------------------

    def missing_vectors(self, engine: str, hashes: Sequence[bytes]) -> list[bytes]:
        known = {row[0] for row in self._by_hash("hash", engine, hashes)}
        return [digest for digest in dict.fromkeys(hashes) if digest not in known]

    def vectors(self, engine: str, hashes: Sequence[bytes]) -> "dict[bytes, Vector]":
        from waypost.store.sqlite.vectors import unpack

        found = dict(self._by_hash("hash, packed", engine, hashes))
        return {digest: unpack([packed], len(packed) // 2)[0] for digest, packed in found.items()}

    def _by_hash(self, columns: str, engine: str, hashes: Sequence[bytes]) -> list[Any]:
        return [
            row
            for part in _parts(hashes, 500)
            for row in self._rows(
                f"SELECT {columns} FROM vectors WHERE engine_id = (SELECT engine_id FROM engines WHERE name = ?)"
                f" AND hash IN ({','.join('?' * len(part))})",
                (engine, *part),
            )
        ]

    def owed(self) -> dict[str, int]:
        return dict(
            self._rows(
                "SELECT e.name, (SELECT count(*) FROM owed o WHERE o.engine_id = e.engine_id) FROM engines e ORDER BY 1"
            )
        )

    def owed_versions(self, engine: str, limit: int) -> list[Version]:
        return self._versions(
            "WHERE m.number IN (SELECT p.number FROM owed o JOIN passages p ON p.hash = o.hash"
            " WHERE o.engine_id = (SELECT engine_id FROM engines WHERE name = ?) ORDER BY o.urgency DESC LIMIT ?)"
            " ORDER BY m.number",
            [engine, limit],
        )

    # -- the rest -----------------------------------------------------------------------------------------

    def last_number(self) -> int:
        return int(self._rows("SELECT coalesce(max(number), 0) FROM memories")[0][0])

    def edges(self, memory_id: str) -> list[Edge]:
        rows = self._rows(
            "SELECT kind, from_id, to_id, strength FROM edges WHERE from_id = ?1 OR to_id = ?1 ORDER BY 1, 2, 3",
            (memory_id,),
        )
        return [Edge(*row) for row in rows]

    def tombstones(self, digests: Sequence[bytes]) -> set[bytes]:
        return {
            row[0]
            for part in _parts(digests, 500)
            for row in self._rows(f"SELECT digest FROM tombstones WHERE digest IN ({','.join('?' * len(part))})", part)
        }

    def audit_entries(self, memory_id: str | None, limit: int) -> list[AuditEntry]:
        rows = self._rows(
            "SELECT at, action, memory_id, source, actor, details, number FROM audit"
            " WHERE ?1 IS NULL OR memory_id = ?1 ORDER BY number DESC LIMIT ?2",
            (memory_id, limit),
        )
        return [AuditEntry(from_micros(r[0]), r[1], r[2], r[3], r[4], json.loads(r[5]), r[6]) for r in rows]

    def counts(self, view: View) -> dict[str, int]:
        condition, parameters = visible(view)
        return dict(
            self._rows(
                f"SELECT m.collection, count(*) FROM memories m WHERE {condition} GROUP BY m.collection ORDER BY 1",
                parameters,
            )
        )

    def checkouts(self) -> dict[str, str]:
        return dict(self._rows("SELECT checkout_id, root FROM checkouts ORDER BY first_seen, checkout_id"))

    def meta(self, key: str) -> str | None:
        rows = self._rows("SELECT value FROM meta WHERE key = ?", (key,))
        return str(rows[0][0]) if rows else None


def _by_score(found: Found) -> tuple[float, int]:
    return -found.score, found.passage_id


def _parts(items: Sequence[bytes], size: int) -> Iterable[Sequence[bytes]]:
    return (items[start : start + size] for start in range(0, len(items), size))


def _chosen(view: View, chosen: Filter) -> tuple[str, list[Any]]:
    condition, parameters = visible(view)
    for sql, value in (
        ("m.kind IN (SELECT value FROM json_each(?))", as_json(list(chosen.kinds)) if chosen.kinds else None),
        ("m.level = ?", chosen.level),
        ("m.domain = ?", chosen.domain),
        ("m.session = ?", chosen.session),
    ):
        if value is not None:
            condition += f" AND {sql}"
            parameters.append(value)
    for name, wanted in chosen.tags:
        condition += " AND EXISTS (SELECT 1 FROM json_each(m.tags) t WHERE t.key = ? AND t.value = ?)"
        parameters += [name, wanted]
    return condition, parameters
