"""Compares vectors in PostgreSQL: one by one if they are few, by an HNSW index if they are many.

Code and prose of an engine have separate indexes: else the search for few would go through the best of many. Cosines
are always computed from the stored vectors, in single precision, as SQLite's store does it. The index only chooses
the vectors.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from waypost.store.postgres.search.halfvec import Full, HalfVector
from waypost.store.postgres.search.keyword_rows import in_braces
from waypost.store.sql.database import Database

if TYPE_CHECKING:
    from waypost.store.protocol import Vector
    from waypost.store.sql.scores import VectorScores

LEAST_IN_VIEW, _MOST_IN_VIEW = 300, 1000  # candidates that the index keeps while it searches
MOST_SEARCHED = 50_000  # vectors that the index reads for one question
_TWINS = 100  # twins looked for among many vectors
_ROWS_AT_ONCE = 16_384

_ENGINE = """
SELECT e.engine_id, e.dimensions, c.language, c.vectors,
    to_regclass('vectors_near_' || e.engine_id || '_' || e.dimensions || '_prose') IS NOT NULL,
    to_regclass('vectors_near_' || e.engine_id || '_' || e.dimensions || '_code') IS NOT NULL
FROM engines e LEFT JOIN vector_counts c ON c.engine_id = e.engine_id WHERE e.name = ?
"""
_ALL = """
SELECT language, string_agg(int8send(vector_id), ''::bytea),
    string_agg(float4send((-(packed::vector <#> ?1::vector))::float4), ''::bytea)
FROM vectors WHERE engine_id = {engine} AND of_code = ?2 GROUP BY language
"""
_NEAR = """
SELECT vector_id, (-(packed::vector <#> ?1::vector))::float4, language FROM (
    SELECT vector_id, packed, language FROM vectors WHERE {sort}
    ORDER BY packed::halfvec({dimensions}) <#> ?2::halfvec({dimensions}) LIMIT {depth}
) near
"""
# In this order: after many writes the statistics of PostgreSQL are outdated.
_OF_VERSIONS = """
SELECT p.number, v.vector_id, (-(v.packed::vector <#> ?1::vector))::float4
FROM (SELECT number, hash FROM passages WHERE number = ANY(?2::bigint[]) OFFSET 0) p
CROSS JOIN LATERAL (SELECT vector_id, packed FROM vectors WHERE engine_id = {engine} AND hash = p.hash OFFSET 0) v
"""
_BETWEEN = """
WITH chosen AS MATERIALIZED (
    SELECT p.number, v.packed::vector AS vector
    FROM (SELECT number, hash FROM passages WHERE number = ANY(?1::bigint[]) OFFSET 0) p
    CROSS JOIN LATERAL (SELECT packed FROM vectors WHERE engine_id = {engine} AND hash = p.hash OFFSET 0) v
)
SELECT first.number, second.number, max((-(first.vector <#> second.vector))::float4)
FROM chosen first JOIN chosen second ON first.number < second.number GROUP BY 1, 2
"""
_AFTER = """
SELECT vector_id, packed FROM vectors WHERE engine_id = ? AND vector_id > ? ORDER BY vector_id LIMIT ?
"""


@dataclass(frozen=True, slots=True)
class StoredEngine:
    """An engine as the database knows it."""

    engine_id: int
    dimensions: int
    counts: Mapping[str, int]  # vectors of each language
    indexed: tuple[bool, bool]  # whether prose has an index, and whether code has one

    def count(self, of_code: bool) -> int:
        return sum(count for language, count in self.counts.items() if language.startswith("code") == of_code)


class NearVector(NamedTuple):
    """A vector that an index found."""

    vector_id: int
    cosine: float
    language: str


def sort_condition(engine_id: int, dimensions: int, of_code: bool) -> str:
    """Which vectors an index contains. A search must use the same words, else PostgreSQL does not use the index.

    It names the dimensions because another model may get the engine's name.
    """
    return f"engine_id = {engine_id} AND {'' if of_code else 'NOT '}of_code AND vector_dims(packed) = {dimensions}"


def index_name(engine_id: int, dimensions: int, of_code: bool) -> str:
    return f"vectors_near_{engine_id}_{dimensions}_{'code' if of_code else 'prose'}"


def find_engine(database: Database, name: str) -> StoredEngine | None:
    """The engine, or None if it has no stored vector."""
    rows = database.rows(_ENGINE, (name,))
    if not rows or not rows[0][1]:
        return None
    return StoredEngine(rows[0][0], rows[0][1], {row[2]: row[3] for row in rows if row[2] is not None}, rows[0][4:])


def all_scores(database: Database, engine: StoredEngine, of_code: bool, vector: "Vector") -> "VectorScores":
    """The cosines of all vectors of code, or of prose, with a question."""
    import numpy as np  # loaded only where vectors are

    from waypost.store.sql.scores import VectorScores, language_code

    rows = database.rows(_ALL.format(engine=int(engine.engine_id)), (Full(vector), of_code))
    ids = np.frombuffer(b"".join(row[1] for row in rows), ">i8").astype(np.int64)
    cosines = np.frombuffer(b"".join(row[2] for row in rows), ">f4").astype(np.float32)
    languages = np.repeat(
        np.array([language_code(row[0]) for row in rows], np.uint8), [len(row[1]) // 8 for row in rows]
    )
    order = np.argsort(ids)
    return VectorScores(ids[order], languages[order], cosines[order])


def prepare_search(database: Database, depth: int) -> None:
    """Set how `near` searches the index, until the end of the transaction."""
    database.rows(
        "SELECT set_config('hnsw.ef_search', ?, true), set_config('hnsw.iterative_scan', 'relaxed_order', true),"
        " set_config('hnsw.max_scan_tuples', ?, true)",
        (str(min(max(depth, LEAST_IN_VIEW), _MOST_IN_VIEW)), str(MOST_SEARCHED)),
    )


def near(database: Database, engine: StoredEngine, of_code: bool, vector: "Vector", depth: int) -> list[NearVector]:
    """The nearest vectors by the index, best first. Fewer than `depth`: there are no more."""
    from waypost.store.sql.packed import pack

    sql = _NEAR.format(
        sort=sort_condition(engine.engine_id, engine.dimensions, of_code),
        dimensions=int(engine.dimensions),
        depth=int(depth),  # not a parameter: PostgreSQL has to see that it is small
    )
    nearest = map(NearVector._make, database.rows(sql, (Full(vector), HalfVector(pack(vector)))))
    return sorted(nearest, key=lambda near_vector: (-near_vector.cosine, near_vector.vector_id))


def scores_of_versions(
    database: Database, engine: StoredEngine, vector: "Vector", numbers: Sequence[int], depth: int | None = None
) -> list[tuple[int, int, float]]:
    """(number, vector id, cosine) of all passages of these versions, or of the best `depth`."""
    sql = _OF_VERSIONS.format(engine=int(engine.engine_id))
    if depth is not None:
        sql += f"ORDER BY 3 DESC, 2 LIMIT {int(depth)}"
    return database.rows(sql, (Full(vector), in_braces(numbers)))


def cosines_between(database: Database, engine: StoredEngine, numbers: Sequence[int]) -> dict[tuple[int, int], float]:
    """The best cosine of the passages of each two versions, by (lower number, higher number)."""
    rows = database.rows(_BETWEEN.format(engine=int(engine.engine_id)), (in_braces(numbers),))
    return {(first, second): cosine for first, second, cosine in rows}


def pairs_above(
    database: Database, engine: StoredEngine, vectors: "Vector", above: float
) -> Iterator[tuple[int, int, float]]:
    """(vector id, index of the given vector, cosine) of vectors with a cosine above `above`.

    All of them without an index, else those among the nearest.
    """
    if any(engine.indexed):
        prepare_search(database, _TWINS)
    for of_code in (False, True):
        if engine.indexed[of_code]:
            for place in range(len(vectors)):
                for vector_id, cosine, _ in near(database, engine, of_code, vectors[place], _TWINS):
                    if cosine > above:
                        yield vector_id, place, cosine
    if not all(engine.indexed):
        yield from _pairs_one_by_one(database, engine, vectors, above)


def _pairs_one_by_one(
    database: Database, engine: StoredEngine, vectors: "Vector", above: float
) -> Iterator[tuple[int, int, float]]:
    import numpy as np

    from waypost.store.sql.packed import unpack

    last = 0
    while rows := database.rows(_AFTER, (engine.engine_id, last, _ROWS_AT_ONCE)):
        cosines = unpack([row[1] for row in rows], engine.dimensions) @ vectors.T
        for row, place in np.argwhere(cosines > above):
            yield rows[row][0], int(place), float(cosines[row, place])
        last = rows[-1][0]
