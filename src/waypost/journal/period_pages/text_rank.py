"""TextRank: which texts represent the others, and a selection among them without repetition.

Similarity is the cosine of vectors if all texts have one, else of shared stems, weighted by rarity. The same texts in
the same order give the same result on every machine: scores are rounded before they are compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log
from typing import TYPE_CHECKING

from waypost.journal.wording import language_at_start
from waypost.text.keywords import keyword_terms, stop_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

MOST_STEMS = 1024  # columns of the stem table, the most shared ones; keeps 2,000 texts well under a second
DAMPING = 0.85
ROUNDS = 40
SAME = 0.75  # similarity of stems from which two texts say the same
SAME_VECTORS = 0.92  # the same for vectors, where different sentences on one subject are nearer
NEWNESS = 0.35  # how much similarity to selected texts counts against a text
_DIGITS = 5
_BASE_LIKENESS = 0.25  # of vectors: what any two sentences of one person share


def likeness(texts: Sequence[str], vectors: Sequence[Matrix | None] = ()) -> Matrix:
    """The similarity of each pair of texts, 0-1, by vectors if every text has one, else by shared stems."""
    import numpy as np

    if vectors and len(vectors) == len(texts) and len({None if v is None else v.shape for v in vectors}) == 1:
        known_vectors = [vector for vector in vectors if vector is not None]
        if known_vectors:
            rows = np.stack(known_vectors).astype(np.float32)
            rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
            cosines: Matrix = np.clip((rows @ rows.T - _BASE_LIKENESS) / (1 - _BASE_LIKENESS), 0.0, 1.0)
            return cosines
    return _by_stems(texts)


def _by_stems(texts: Sequence[str]) -> Matrix:
    import numpy as np

    stems = [Counter(content_stems(text)) for text in texts]
    spread = Counter(stem for counts in stems for stem in counts)
    shared = sorted((stem for stem, count in spread.items() if count > 1), key=lambda stem: (-spread[stem], stem))
    column = {stem: number for number, stem in enumerate(shared[:MOST_STEMS])}
    weight = {stem: log(1 + len(texts) / count) for stem, count in spread.items()}
    rows = np.zeros((len(texts), max(1, len(column))), np.float32)
    for row, counts in enumerate(stems):
        length = sum((weight[stem] * (1 + log(count))) ** 2 for stem, count in counts.items()) ** 0.5 or 1.0
        for stem, count in counts.items():
            if stem in column:
                rows[row, column[stem]] = weight[stem] * (1 + log(count)) / length
    likenesses: Matrix = np.clip(rows @ rows.T, 0.0, 1.0)
    return likenesses


def content_stems(text: str) -> list[str]:
    """The stems of the words that show what a text is about."""
    language = language_at_start(text)
    stops = stop_words(language) if language in {"en", "de", "ru"} else stop_words("en")
    return [stem for stem in keyword_terms(text, language).stems if stem not in stops and len(stem) > 1]


def textrank(likenesses: Matrix, wishes: Sequence[float] | None = None) -> list[float]:
    """How well each text represents the others; the best has 1. `wishes` is the value of each text by itself."""
    import numpy as np

    count = len(likenesses)
    if count == 0:
        return []
    links = likenesses.astype(np.float64)
    np.fill_diagonal(links, 0.0)
    sums = links.sum(axis=0)
    links = np.divide(links, sums, out=np.zeros_like(links), where=sums > 0)
    start = np.ones(count) if wishes is None else np.maximum(np.asarray(wishes, np.float64), 0.0)
    start = start / start.sum() if start.sum() > 0 else np.full(count, 1.0 / count)
    ranks = start
    for _ in range(ROUNDS):
        ranks = (1 - DAMPING) * start + DAMPING * (links @ ranks)
    best = float(ranks.max()) or 1.0
    return [round(float(rank) / best, _DIGITS) for rank in ranks]


def choose(worths: Sequence[float], likenesses: Matrix, most: int, *, same: float = SAME) -> list[int]:
    """Indices of at most `most` texts, best first: valuable, and different from those selected before."""
    import numpy as np

    is_left = np.ones(len(worths), bool)
    worth = np.asarray(worths, np.float64)
    nearest = np.zeros(len(worths))
    selected: list[int] = []
    while is_left.any() and len(selected) < most:
        values = np.where(is_left, np.round((1 - NEWNESS) * worth - NEWNESS * nearest, _DIGITS), -np.inf)
        index = int(np.argmax(values))  # the first of equals
        is_left[index] = False
        if nearest[index] >= same:
            continue
        selected.append(index)
        nearest = np.maximum(nearest, likenesses[index])
    return selected
