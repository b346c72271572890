"""Ranks passages by keywords in PostgreSQL: BM25 as FTS5 computes it, with the same scores.

An index finds the passages of a key. The key says what a word weighs (see `keyword_keys`), and the row contains the
length of the passage. So only the number and length of a passage have to be read.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import log
from typing import Any, NamedTuple

from waypost.store.postgres.search.keyword_keys import lookups, term_of, tokens
from waypost.store.sql.database import Database

MOST_WEIGHED = 15_000  # passages whose keywords are compared
_LEAST_WEIGHT = 1e-6  # FTS5's weight of a word that is in half of all passages or more
# Parts of a score are multiples of this, so their sum does not depend on their order.
_STEP = 2.0**-40

# Guests see only some rows of `passages`, and no index finds the last of these.
LAST_PASSAGE = (
    "coalesce(greatest((SELECT max(passage_id) FROM keywords), (SELECT max(passage_id) FROM code_keywords)), 0)"
)
_KNOWN = f"""
SELECT t.term, t.passages, t.variants, total.passages, total.tokens, {LAST_PASSAGE}
FROM {{index}}_totals total JOIN {{index}}_terms t ON t.term = ANY(?::bigint[])
"""
_BEST = """
SELECT passage_id, sum(round(
    weight * times * 2.2::float8 / (times + 1.2::float8 * (0.25::float8 + 0.75::float8 * tokens / ?1::float8))
    / ?2::float8)) * ?2::float8 AS score
FROM (
    SELECT k.passage_id, k.tokens, asked.term, asked.weight, sum(asked.times) AS times
    FROM unnest(?4::bigint[], ?5::float8[], ?6::integer[], ?7::float8[])
        AS asked (key, times, term, weight)
    CROSS JOIN LATERAL (SELECT passage_id, tokens FROM {index} WHERE keys @> ARRAY[asked.key] OFFSET 0) k{among}
    GROUP BY k.passage_id, k.tokens, asked.term, asked.weight
) found
GROUP BY passage_id ORDER BY score DESC, passage_id LIMIT ?3::bigint
"""


class _Term(NamedTuple):
    passages: int  # that contain the word
    word: str
    key: int
    variants: int
    times: int  # in the question


def best_by_keywords(
    database: Database,
    index: str,
    terms: Sequence[str],
    weights: Sequence[float],
    depth: int,
    among: Sequence[int] | None = None,
) -> dict[int, float]:
    """The best passages with their scores, best first; `among` leaves all others out.

    `index` is `keywords` or `code_keywords`, `weights` are those of its columns.
    """
    words = Counter(word for term in terms for word in tokens(term))
    keys = {term_of(word): word for word in words}
    rows = database.rows(_KNOWN.format(index=index), (in_braces(keys),))
    if not rows:
        return {}
    passages, length, last = rows[0][3:]
    weighed = [_Term(row[1], keys[row[0]], row[0], row[2], words[keys[row[0]]]) for row in rows]
    if last > MOST_WEIGHED:
        weighed = rarest(weighed)
    looked_up = [
        (key, times, place, _weight(passages, term) * term.times)
        for place, term in enumerate(weighed)
        for key, times in lookups(term.key, term.variants, weights)
    ]
    parameters: list[Any] = [length / passages, _STEP, depth]
    parameters += [in_braces(values) for values in zip(*looked_up, strict=True)]
    if among is not None:
        parameters.append(in_braces(among))
    # A join: `= ANY` would search the whole array for each passage.
    only = "" if among is None else " WHERE k.passage_id IN (SELECT unnest(?8::bigint[]))"
    sql = _BEST.format(index=index, among=only)
    return dict(database.rows(sql, parameters))


def term_counts(database: Database, index: str, terms: Sequence[str]) -> dict[str, int]:
    """How many passages contain each term."""
    keys = {term_of(term): term for term in terms}
    rows = database.rows(f"SELECT term, passages FROM {index}_terms WHERE term = ANY(?::bigint[])", (in_braces(keys),))
    return {keys[key]: passages for key, passages in rows}


def rarest(terms: Iterable[_Term]) -> list[_Term]:
    """The terms to rank by: the rarest, as many as can be weighed in time, but at least one.

    Terms of a great part of all passages hardly distinguish them, and cost the most.
    """
    kept, weighed = list[_Term](), 0
    for term in sorted(terms):
        if weighed and weighed + term.passages > MOST_WEIGHED:
            break
        kept.append(term)
        weighed += term.passages
    return kept


def _weight(passages: int, term: _Term) -> float:
    weight = log((passages - term.passages + 0.5) / (term.passages + 0.5))
    return weight if weight > 0 else _LEAST_WEIGHT


def in_braces(numbers: Iterable[float]) -> str:
    """Numbers as a PostgreSQL array literal: faster than one parameter each."""
    return "{" + ",".join(map(repr, numbers)) + "}"


def is_damaged(database: Database, index: str) -> bool:
    """Whether the totals of an index differ from its rows, or a row belongs to no passage."""
    totals = database.rows(f"SELECT passages, tokens FROM {index}_totals")
    there = database.rows(f"SELECT count(*), coalesce(sum(tokens), 0)::bigint FROM {index}")
    strays = database.rows(
        f"SELECT count(*) FROM {index} k WHERE NOT EXISTS (SELECT 1 FROM passages p WHERE p.passage_id = k.passage_id)"
    )
    return totals != there or bool(strays[0][0])
