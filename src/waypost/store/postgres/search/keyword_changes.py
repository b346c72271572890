"""Writes the keyword indexes of PostgreSQL: their rows, the number of passages per word, and the totals.

All three change together. The keys of a dropped passage say what to subtract. A word without passages leaves nothing
behind.
"""

from collections.abc import Sequence

from waypost.store.postgres.search.keyword_keys import keys_of, signed
from waypost.store.postgres.search.keyword_rows import in_braces
from waypost.store.sql.database import Database

# Every search reads the unsorted part of an index, once for each key.
_UNSORTED_KB = 64
_MANY = 200  # passages: sorting them together at the end takes a quarter of the time
_UNSORTED_OF_MANY_KB = 8 * 1024
_AT_ONCE = 2000

_ADD = """
WITH added AS (
    INSERT INTO {index} (passage_id, tokens, keys) SELECT passage_id, tokens, keys::bigint[]
    FROM unnest(?1::bigint[], ?2::integer[], ?3::text[]) AS new (passage_id, tokens, keys)
), counted AS (
    INSERT INTO {index}_terms AS known SELECT *
    FROM unnest(?4::bigint[], ?5::integer[], ?6::bigint[])
    ON CONFLICT (term) DO UPDATE
        SET passages = known.passages + excluded.passages, variants = known.variants | excluded.variants
)
UPDATE {index}_totals SET passages = passages + ?7::bigint, tokens = tokens + ?8::bigint
"""
_DROP = """
WITH gone AS (
    DELETE FROM {index} WHERE passage_id = ANY(?::bigint[]) RETURNING passage_id, tokens, keys
), less AS (
    SELECT term, count(*) AS passages
    FROM (SELECT DISTINCT gone.passage_id, key & -64 AS term FROM gone CROSS JOIN unnest(gone.keys) key) each
    GROUP BY term
), counted AS (
    UPDATE {index}_terms known SET passages = known.passages - less.passages FROM less
    WHERE known.term = less.term AND known.passages > less.passages
), emptied AS (
    DELETE FROM {index}_terms known USING less WHERE known.term = less.term AND known.passages <= less.passages
)
UPDATE {index}_totals total SET passages = total.passages - less.passages, tokens = total.tokens - less.tokens
FROM (SELECT count(*) AS passages, sum(tokens) AS tokens FROM gone) less WHERE less.passages > 0
"""


def add_keywords(database: Database, index: str, rows: Sequence[tuple[int, Sequence[str]]]) -> None:
    """Index passages by id with the columns of their terms. Call `keep_sorted` first, once per transaction."""
    if len(rows) < _MANY:
        _add(database, index, rows)
        return
    _set_unsorted(database, _UNSORTED_OF_MANY_KB)
    for start in range(0, len(rows) - 1, _AT_ONCE):
        _add(database, index, rows[start : min(start + _AT_ONCE, len(rows) - 1)])
    keep_sorted(database)
    _add(database, index, rows[-1:])  # sorts in all the others


def keep_sorted(database: Database) -> None:
    """Until the end of the transaction, keep the unsorted part of the indexes small."""
    _set_unsorted(database, _UNSORTED_KB)


def drop_keywords(database: Database, index: str, passage_ids: Sequence[int]) -> None:
    if passage_ids:
        database.change(_DROP.format(index=index), (in_braces(passage_ids),))


def _set_unsorted(database: Database, kilobytes: int) -> None:
    database.rows("SELECT set_config('gin_pending_list_limit', ?, true)", (f"{kilobytes}kB",))


def _add(database: Database, index: str, rows: Sequence[tuple[int, Sequence[str]]]) -> None:
    indexed = [keys_of(columns) for _, columns in rows]
    counts: dict[int, int] = {}
    variants: dict[int, int] = {}
    for keys in indexed:
        for term, bits in keys.terms.items():
            counts[term] = counts.get(term, 0) + 1
            variants[term] = variants.get(term, 0) | bits
    database.change(
        _ADD.format(index=index),
        (
            in_braces(passage_id for passage_id, _ in rows),
            in_braces(row_keys.tokens for row_keys in indexed),
            [in_braces(row_keys.keys) for row_keys in indexed],
            in_braces(counts),
            in_braces(counts.values()),
            in_braces(map(signed, variants.values())),
            len(rows),
            sum(row_keys.tokens for row_keys in indexed),
        ),
    )
