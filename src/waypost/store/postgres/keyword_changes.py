"""Keeping the keyword indexes of PostgreSQL: their rows, in how many passages each word stands, and the totals.

All three change together. What a dropped passage had is known from its keys; a word that stands in no passage any more
leaves nothing behind.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from waypost.store.postgres.keyword_keys import keys_of
from waypost.store.postgres.keyword_rows import in_braces

if TYPE_CHECKING:
    from psycopg import Connection

# What PostgreSQL has not sorted into an index yet is looked through by every search, once for each key.
_UNSORTED_KB = 64
_MANY = 200  # passages: sorting them in together, at the end, takes a quarter of the time
_UNSORTED_OF_MANY_KB = 8 * 1024
_AT_ONCE = 2000

_ADD = """
WITH added AS (
    INSERT INTO {index} (passage_id, tokens, keys) SELECT passage_id, tokens, keys::bigint[]
    FROM unnest(%(passages)s::bigint[], %(tokens)s::integer[], %(keys)s::text[]) AS new (passage_id, tokens, keys)
), counted AS (
    INSERT INTO {index}_terms AS known SELECT *
    FROM unnest(%(terms)s::bigint[], %(counts)s::integer[], %(variants)s::bigint[])
    ON CONFLICT (term) DO UPDATE
        SET passages = known.passages + excluded.passages, variants = known.variants | excluded.variants
)
UPDATE {index}_totals SET passages = passages + %(rows)s, tokens = tokens + %(length)s
"""
_DROP = """
WITH gone AS (
    DELETE FROM {index} WHERE passage_id = ANY(%s::bigint[]) RETURNING passage_id, tokens, keys
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


def add_keywords(connection: "Connection[Any]", index: str, rows: Sequence[tuple[int, Sequence[str]]]) -> None:
    """Index passages: their ids, and the columns of their terms."""
    if not rows:
        return
    many = len(rows) >= _MANY
    _set_unsorted(connection, _UNSORTED_OF_MANY_KB if many else _UNSORTED_KB)
    last = len(rows) - 1 if many else len(rows)
    for start in range(0, last, _AT_ONCE):
        _add(connection, index, rows[start : min(start + _AT_ONCE, last)])
    if many:  # the last one has all the others sorted in
        _set_unsorted(connection, _UNSORTED_KB)
        _add(connection, index, rows[last:])


def drop_keywords(connection: "Connection[Any]", index: str, passage_ids: Sequence[int]) -> None:
    if passage_ids:
        connection.execute(_DROP.format(index=index).encode(), (in_braces(passage_ids),))


def _set_unsorted(connection: "Connection[Any]", kilobytes: int) -> None:
    connection.execute("SELECT set_config('gin_pending_list_limit', %s, true)", (f"{kilobytes}kB",))


def _add(connection: "Connection[Any]", index: str, rows: Sequence[tuple[int, Sequence[str]]]) -> None:
    indexed = [keys_of(columns) for _, columns in rows]
    counts: dict[int, int] = {}
    variants: dict[int, int] = {}
    for one in indexed:
        for term, bits in one.terms.items():
            counts[term] = counts.get(term, 0) + 1
            variants[term] = variants.get(term, 0) | bits
    connection.execute(
        _ADD.format(index=index).encode(),
        {
            "passages": in_braces(passage_id for passage_id, _ in rows),
            "tokens": in_braces(one.tokens for one in indexed),
            "keys": [in_braces(one.keys) for one in indexed],
            "terms": in_braces(counts),
            "counts": in_braces(counts.values()),
            "variants": in_braces(variants.values()),
            "rows": len(rows),
            "length": sum(one.tokens for one in indexed),
        },
    )
