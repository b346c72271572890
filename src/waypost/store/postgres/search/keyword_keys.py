"""How passages are indexed in PostgreSQL: numbers stand for words and for how often each word occurs.

A GIN index over arrays of numbers knows only whether a number is in an array. So a key encodes three things: the word
(58 bits of its hash), the column, and one power of two of the word's count. A word that occurs three times in the
body of a function has two keys: one for two times, one for once. Added up, the counts give what BM25 needs. The index
contains no words.

The tokenizer of FTS5 splits the text, so both databases index the same words.
"""

import hashlib
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

COLUMNS = 4
_POWERS = 16
_MOST_TIMES = (1 << _POWERS) - 1
_VARIANTS = COLUMNS * _POWERS  # of a word's key: 64, the lowest six bits
_REMEMBERED = 50_000
_TOKENIZER = ("unicode61", ["remove_diacritics", "0", "tokenchars", "_"])  # as in SQLite's schema


class Keys(NamedTuple):
    """The index entry of a passage."""

    tokens: int  # its length
    keys: list[int]
    terms: dict[int, int]  # for each word its base key, and 64 bits, one for each variant of the key


class _Local(threading.local):
    """A connection is used by one thread at a time, so each thread has its own, to an empty database."""

    def __init__(self) -> None:
        import apsw

        self._connection = apsw.Connection(":memory:")
        self.tokenizer: Any = self._connection.fts5_tokenizer(*_TOKENIZER)
        self.reason = apsw.FTS5_TOKENIZE_DOCUMENT


@cache
def _local() -> _Local:
    return _Local()


_terms: dict[str, int] = {}


def tokens(text: str) -> list[str]:
    """The words of an indexed text or a question, folded, as FTS5 sees them."""
    ours = _local()
    words: list[str] = ours.tokenizer(
        text.encode("utf-8", "replace"), ours.reason, None, include_offsets=False, include_colocated=False
    )
    return words


def term_of(token: str) -> int:
    """The key of a word without column and count: a signed 64-bit number whose lowest six bits are zero."""
    term = _terms.get(token)
    if term is None:
        digest = hashlib.blake2b(token.encode(), digest_size=8).digest()
        term = int.from_bytes(digest, "little", signed=True) & -_VARIANTS
        if len(_terms) >= _REMEMBERED:
            _terms.clear()
        _terms[token] = term
    return term


def keys_of(columns: Sequence[str]) -> Keys:
    """The index entry of a passage with these columns of terms. Prose has one column, code has four."""
    length, keys, terms = 0, list[int](), dict[int, int]()
    cache = _terms
    for column, text in enumerate(columns):
        words = tokens(text)
        length += len(words)
        first = column * _POWERS
        for word, times in Counter(words).items():
            term = cache.get(word) or term_of(word)
            if times == 1:
                keys.append(term + first)
                variants = 1 << first
            else:
                keys += [term + first + power for power in _powers(times)]
                variants = min(times, _MOST_TIMES) << first
            terms[term] = terms.get(term, 0) | variants
    return Keys(length, keys, terms)


@lru_cache(maxsize=1024)
def _powers(times: int) -> tuple[int, ...]:
    """The powers of two that add up to this number."""
    return tuple(power for power in range(_POWERS) if min(times, _MOST_TIMES) >> power & 1)


def lookups(term: int, variants: int, weights: Sequence[float]) -> Iterator[tuple[int, float]]:
    """The keys of a word, and what each adds to its weighted count. Columns without a weight count once."""
    for variant in range(_VARIANTS):
        if variants >> variant & 1:
            column, power = divmod(variant, _POWERS)
            weight = weights[column] if column < len(weights) else 1.0
            yield term + variant, weight * (1 << power)


def signed(bits: int) -> int:
    """64 bits as PostgreSQL's bigint."""
    return bits - (1 << 64) if bits >> 63 else bits
