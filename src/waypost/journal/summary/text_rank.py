"""TextRank: which texts speak for the others, and a choice among them that says nothing twice.

Likeness is the cosine of vectors where all have one, else of the stems that texts share, rare ones weighing more.
The same texts in the same order give the same answer on every machine: scores are rounded before they are compared.
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

MOST_STEMS = 1024  # columns of the table of stems: those that most texts share; keeps 2,000 texts well under a second
DAMPING = 0.85
ROUNDS = 40
SAME = 0.75  # stems: from here on two texts say the same
SAME_VECTORS = 0.92  # vectors of unlike sentences about one subject are nearer to each other than their stems
NEWNESS = 0.35  # how much a choice minds that something like it was chosen
_DIGITS = 5
_BASE_LIKENESS = 0.25  # of vectors: what any two sentences of one person have in common


def likeness(texts: Sequence[str], vectors: Sequence[Matrix | None] = ()) -> Matrix:
    """How alike each two texts are, 0-1, by vectors where every text has one, else by the stems they share."""
    import numpy as np

    if vectors and len(vectors) == len(texts) and len({None if v is None else v.shape for v in vectors}) == 1:
        known = [vector for vector in vectors if vector is not None]
        if known:
            rows = np.stack(known).astype(np.float32)
            rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)
            cosines: Matrix = np.clip((rows @ rows.T - _BASE_LIKENESS) / (1 - _BASE_LIKENESS), 0.0, 1.0)
            return cosines
    return _by_stems(texts)


def _by_stems(texts: Sequence[str]) -> Matrix:
    import numpy as np

    stems = [Counter(content_stems(text)) for text in texts]
    spread = Counter(stem for one in stems for stem in one)
    shared = sorted((stem for stem, count in spread.items() if count > 1), key=lambda stem: (-spread[stem], stem))
    column = {stem: place for place, stem in enumerate(shared[:MOST_STEMS])}
    weight = {stem: log(1 + len(texts) / count) for stem, count in spread.items()}
    rows = np.zeros((len(texts), max(1, len(column))), np.float32)
    for place, one in enumerate(stems):
        length = sum((weight[stem] * (1 + log(count))) ** 2 for stem, count in one.items()) ** 0.5 or 1.0
        for stem, count in one.items():
            if stem in column:
                rows[place, column[stem]] = weight[stem] * (1 + log(count)) / length
    likenesses: Matrix = np.clip(rows @ rows.T, 0.0, 1.0)
    return likenesses


def content_stems(text: str) -> list[str]:
    """The stems of the words that say what a text is about."""
    language = language_at_start(text)
    stops = stop_words(language) if language in {"en", "de", "ru"} else stop_words("en")
    return [stem for stem in keyword_terms(text, language).stems if stem not in stops and len(stem) > 1]


def textrank(likenesses: Matrix, wishes: Sequence[float] | None = None) -> list[float]:
    """How much each text speaks for the others; the best has 1. `wishes` is what each is worth by itself."""
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
    """The places of at most `most` texts, best first: worth much, unlike what is chosen, none said already."""
    import numpy as np

    left = np.ones(len(worths), bool)
    worth = np.asarray(worths, np.float64)
    nearest = np.zeros(len(worths))
    chosen: list[int] = []
    while left.any() and len(chosen) < most:
        standing = np.where(left, np.round((1 - NEWNESS) * worth - NEWNESS * nearest, _DIGITS), -np.inf)
        place = int(np.argmax(standing))  # the first of equals
        left[place] = False
        if nearest[place] >= same:
            continue
        chosen.append(place)
        nearest = np.maximum(nearest, likenesses[place])
    return chosen
