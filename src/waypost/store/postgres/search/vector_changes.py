"""Stores vectors in PostgreSQL, and indexes them once they are many. A trigger counts them."""

from collections.abc import Sequence

from waypost.store.postgres.search.halfvec import HalfVector, Halves
from waypost.store.postgres.search.schema import INDEX_FROM
from waypost.store.postgres.search.vector_rows import index_name
from waypost.store.sql.database import Database

_AT_ONCE = 2000
_FEW = 16  # stored one by one, without looking up a type id
_MANY = 1000  # stored at once when a whole memory is moved: `compact` indexes them at the end

_PUT = """
INSERT INTO vectors (engine_id, hash, language, packed) VALUES (?, ?, ?, ?::halfvec) ON CONFLICT DO NOTHING
"""
_PUT_MANY = """
INSERT INTO vectors (engine_id, hash, language, packed)
SELECT * FROM unnest(?::integer[], ?::bytea[], ?::text[], ?::halfvec[]) ON CONFLICT DO NOTHING
"""
_LOAD = """
INSERT INTO vectors (vector_id, engine_id, hash, language, packed)
SELECT * FROM unnest(?::bigint[], ?::integer[], ?::bytea[], ?::text[], ?::halfvec[])
"""
_DUE = """
SELECT e.engine_id, e.dimensions, c.language LIKE 'code%' AS of_code
FROM engines e JOIN vector_counts c ON c.engine_id = e.engine_id
WHERE e.dimensions > 0 GROUP BY 1, 2, 3 HAVING sum(c.vectors) >= ?
    AND to_regclass('vectors_near_' || e.engine_id || '_' || e.dimensions
        || CASE WHEN c.language LIKE 'code%' THEN '_code' ELSE '_prose' END) IS NULL
"""


def put_vectors(database: Database, rows: Sequence[tuple[int, bytes, str, bytes]]) -> None:
    """Store (engine id, hash, language, packed vector) where the engine has none for the hash."""
    if len(rows) <= _FEW:
        database.change_many(_PUT, [(*row[:3], HalfVector(row[3])) for row in rows])
    else:
        _put_many(database, rows)
    if len(rows) < _MANY:
        index_vectors(database)


def _put_many(database: Database, rows: Sequence[tuple[int, bytes, str, bytes]]) -> None:
    type_id = database.rows("SELECT 'halfvec'::regtype::oid::bigint")[0][0]
    for start in range(0, len(rows), _AT_ONCE):
        engines, hashes, languages, vectors = zip(*rows[start : start + _AT_ONCE], strict=True)
        database.change(_PUT_MANY, (list(engines), list(hashes), list(languages), Halves(vectors, type_id)))


def load_vectors(database: Database, rows: Sequence[tuple[int, int, bytes, str, bytes]]) -> None:
    """Store (vector id, engine id, hash, language, packed vector) of a memory that is moved here. `compact` indexes them
    at the end.
    """
    type_id = database.rows("SELECT 'halfvec'::regtype::oid::bigint")[0][0]
    for start in range(0, len(rows), _AT_ONCE):
        ids, engines, hashes, languages, vectors = zip(*rows[start : start + _AT_ONCE], strict=True)
        database.change(_LOAD, (list(ids), list(engines), list(hashes), list(languages), Halves(vectors, type_id)))


def index_vectors(database: Database) -> int:
    """Create the indexes that are due. Returns how many. Others can read meanwhile, but not write."""
    due = database.rows(_DUE, (INDEX_FROM,))
    if due:
        database.rows("SELECT set_config('statement_timeout', '0', true)")  # a million take many minutes
    for engine_id, dimensions, of_code in due:
        # Writers do not own the tables; this function does.
        database.rows(
            "SELECT index_vectors(?, ?, ?, ?)",
            (engine_id, dimensions, of_code, index_name(engine_id, dimensions, of_code)),
        )
    return len(due)
