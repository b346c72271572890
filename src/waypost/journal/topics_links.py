"""How near two utterances are: by meaning (cosine of their vectors) and by the rare words they share."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import log
from typing import TYPE_CHECKING, NamedTuple

from waypost.text.stems import stem
from waypost.text.words import keyword_terms, stop_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

ROWS_AT_ONCE = 512
MOST_LINKS = 40  # of one utterance; a topic that is talked about daily has more neighbours than it needs
ASSUMED = 60  # utterances that are thought to be there beside the known ones: a word is not common for being in 3 of 5
COMMON = 0.08  # a word in more of the utterances says nothing of a topic
_LONGEST = 2000  # characters of an utterance that name its topic


@dataclass(frozen=True, slots=True)
class Subject:
    """An utterance as far as its topic is concerned. Subjects in different `group`s are never of one topic."""

    text: str
    language: str
    group: int = 0


class Link(NamedTuple):
    first: int
    second: int
    strength: float


def telling_terms(subject: Subject) -> frozenset[str]:
    """The stems and names that say what it is about."""
    stops = _stemmed_stops()
    terms = keyword_terms(subject.text[:_LONGEST], subject.language)
    return frozenset(term for term in terms.stems if len(term) > 1 and term not in stops and not term.isdecimal())


@cache
def _stemmed_stops() -> frozenset[str]:
    """Stop words of all languages, as they are and stemmed."""
    plain = {(word, language) for language in ("en", "de", "ru") for word in stop_words(language)}
    return frozenset(form for word, language in plain for form in (word, stem(word, language)))


class Vocabulary:
    """Who says which telling word, and how much it tells."""

    def __init__(self, subjects: Sequence[Subject]) -> None:
        self.terms = [telling_terms(subject) for subject in subjects]
        self.said_by: dict[str, list[int]] = defaultdict(list)
        for place, terms in enumerate(self.terms):
            for term in sorted(terms):
                self.said_by[term].append(place)
        count = len(subjects)
        most = max(COMMON * (count + ASSUMED), 8)
        self.weight = {
            term: log((count + ASSUMED) / len(places)) / log(count + ASSUMED)
            for term, places in self.said_by.items()
            if len(places) <= most
        }
        self.lengths = [sum(self.weight.get(term, 0.0) ** 2 for term in terms) ** 0.5 for terms in self.terms]

    def shared(self, start: int, end: int) -> "Vectors":
        """How many rare words the utterances from `start` to `end` share with all: a cosine of weights."""
        import numpy as np

        table = np.zeros((end - start, len(self.terms)), np.float32)
        rows: dict[str, list[int]] = defaultdict(list)
        for place in range(start, end):
            for term in self.terms[place]:
                rows[term].append(place - start)
        for term, own in rows.items():
            weight = self.weight.get(term)
            if weight and len(self.said_by[term]) > 1:
                table[np.ix_(own, self.said_by[term])] += weight * weight
        lengths = np.maximum(np.asarray(self.lengths, np.float32), 0.5)
        table /= lengths[start:end, None]
        table /= lengths[None, :]
        return table


def links(
    subjects: Sequence[Subject],
    words: Vocabulary,
    meanings: "Sequence[tuple[Vectors, Meaning]]",
    least: float,
) -> list[Link]:
    """Every pair that is at least so near, strongest first; of each utterance its nearest ones only."""
    import numpy as np

    groups = np.asarray([subject.group for subject in subjects])
    english = np.asarray([subject.language not in {"de", "ru", "other"} for subject in subjects])
    found: dict[tuple[int, int], float] = {}
    for start in range(0, len(subjects), ROWS_AT_ONCE):
        end = min(start + ROWS_AT_ONCE, len(subjects))
        near = WORDS_WEIGHT * words.shared(start, end)
        near += _meaning(meanings, english, start, end)
        near[groups[start:end, None] != groups[None, :]] = 0.0
        near[np.arange(end - start), np.arange(start, end)] = 0.0
        rows, columns = np.nonzero(near >= least)
        for row, column in _nearest(near, rows, columns):
            pair = (start + row, column) if start + row < column else (column, start + row)
            found[pair] = float(near[row, column])
    ordered = sorted(found.items(), key=lambda item: (-item[1], item[0]))
    return [Link(first, second, strength) for (first, second), strength in ordered]


WORDS_WEIGHT = 1.0


@dataclass(frozen=True, slots=True)
class Meaning:
    """How an engine's cosines are read: `floor` is what unrelated utterances have, `full` what the same in other words has."""

    floor: float
    full: float
    english_only: bool


def _meaning(
    meanings: "Sequence[tuple[Vectors, Meaning]]", english: "NDArray[np.bool_]", start: int, end: int
) -> "Vectors":
    """Cosines on one scale: of the main engine where both are English, else of the one that knows more languages."""
    import numpy as np

    total = np.zeros((end - start, len(english)), np.float32)
    for vectors, scale in meanings:
        near = np.clip((vectors[start:end] @ vectors.T - scale.floor) / (scale.full - scale.floor), 0.0, 1.0)
        both = english[start:end, None] & english[None, :]
        total += near * (both if scale.english_only else ~both)
    return total


def _nearest(near: "Vectors", rows: "NDArray[np.intp]", columns: "NDArray[np.intp]") -> list[tuple[int, int]]:
    import numpy as np

    order = np.lexsort((columns, -near[rows, columns], rows))
    rows, columns = rows[order], columns[order]
    starts = np.searchsorted(rows, rows)  # where each row begins
    kept = np.arange(len(rows)) - starts < MOST_LINKS
    return list(zip(rows[kept].tolist(), columns[kept].tolist(), strict=True))
