"""Searching without an index: every text is looked through. For a database whose keyword index or passages are damaged."""

from collections.abc import Iterable, Sequence
from math import log

from waypost.store.protocol import FoundPassage
from waypost.text.stems import fold


def search_texts(texts: Iterable[tuple[int, str, str]], terms: Sequence[str], limit: int) -> list[FoundPassage]:
    """The best of (number, memory id, text) by the terms that stand in them: rare ones count more. Stems are the beginnings
    of words, so they are looked for as pieces of the text."""
    wanted = [fold(term) for term in terms]
    held = [(number, memory_id, _held(fold(text), wanted)) for number, memory_id, text in texts]
    held = [one for one in held if one[2]]
    rarity = {term: log(1 + len(held) / max(1, sum(term in one[2] for one in held))) for term in wanted}
    found = [
        FoundPassage(-number, number, memory_id, sum(rarity[term] for term in has)) for number, memory_id, has in held
    ]
    return sorted(found, key=lambda one: (-one.score, one.passage_id))[:limit]


def _held(text: str, terms: Iterable[str]) -> frozenset[str]:
    return frozenset(term for term in terms if term and term in text)
