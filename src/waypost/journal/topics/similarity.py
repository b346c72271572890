"""How near two utterances are: by meaning (cosine of their vectors) and by shared rare words."""

import re
import tomllib
from collections import defaultdict
from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from math import log
from typing import TYPE_CHECKING

from waypost.text.keywords import keyword_terms, stop_words
from waypost.text.stems import fold, stem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

ROWS_AT_ONCE = 512
MOST_LINKS = 20  # per utterance; a daily topic has more neighbours than it needs
PRIOR_COUNT = 60  # utterances assumed beside the real ones: a word in 3 of 5 is not common
LEAST_PART = 5  # letters of a word in a compound
COMMON = 0.08  # share of utterances above which a word says nothing about a topic
# Log odds that two utterances have the same topic, against unrelated pairs: fitted on pairs of turns of real sessions.
# They hold for written German and Russian as well.
MEANING_WEIGHT = 1.3  # per deviation of their cosine
NAME_WEIGHT = 1.5  # a name says more than another rare word
WORDS_WEIGHT = 5.0  # for the cosine of their rare words
UNRELATED = 2.2
SOON, SOON_DAYS = 1.5, 14  # utterances within these days are more likely about the same
ONE_SESSION = 0.6  # so are those of one conversation
UNKNOWN = 0.8  # deviations assumed without a vector: shared words must then say more
USUAL_MEAN, USUAL_DEVIATION, FEW = 0.1, 0.12, 30  # of cosines between utterances, and the weight of this prior
_NAME = re.compile(r"\b(?:[A-ZÄÖÜ]{2,}[a-z0-9]*|[A-Za-z]*[a-z][A-Z]\w*|[A-Za-z]+\d\w*)\b")
_LATIN_NAME = re.compile(r"\b[A-Za-z][\w.+#-]*[A-Za-z0-9]\b")
_CACHED = 50_000  # utterances of some years: one maintenance run reads them many times
_LONGEST = 2000  # characters of an utterance that name its topic


@dataclass(frozen=True, slots=True)
class Subject:
    """An utterance, as far as its topic is concerned. Subjects of different `group`s never share a topic."""

    text: str
    language: str
    group: int = 0
    day: int = 0  # as an ordinal
    session: str = ""


@lru_cache(maxsize=_CACHED)
def topic_terms(text: str, language: str) -> frozenset[str]:
    """The stems and names that show what an utterance is about."""
    stops = _stemmed_stops()
    terms = keyword_terms(text[:_LONGEST], language)
    return frozenset(term for term in terms.stems if len(term) > 1 and term not in stops and not term.isdecimal())


@cache
def _stemmed_stops() -> frozenset[str]:
    """Stop words of all languages and words common to all talk, as they are and stemmed."""
    table = tomllib.loads((files("waypost.journal") / "data" / "importance_common.toml").read_text("utf-8"))
    words = {language: (*stop_words(language), *map(fold, table[language].split())) for language in ("en", "de", "ru")}
    return frozenset(form for language in words for word in words[language] for form in (word, stem(word, language)))


def _parts(word: str, vocabulary: frozenset[str]) -> list[str]:
    """Words of the vocabulary that begin or end a German compound: Klavier, Unterricht."""
    if len(word) < LEAST_PART + 3:
        return []
    cuts = range(LEAST_PART, len(word) - 2)
    return [part for cut in cuts for part in (word[:cut], word[-cut:]) if part in vocabulary]


def _names(subjects: Sequence[Subject], vocabulary: Container[str]) -> set[str]:
    """Terms that are names by their spelling: AWS, PostgreSQL, v2, and Latin letters in a Russian text."""
    names: set[str] = set()
    for subject in subjects:
        pattern = _LATIN_NAME if subject.language == "ru" else _NAME
        for name in pattern.findall(subject.text[:_LONGEST]):
            names.update(term for term in topic_terms(name, subject.language) if term in vocabulary)
    return names


class Vocabulary:
    """Which utterances contain a topic term, and the weight of each term."""

    def __init__(self, subjects: Sequence[Subject]) -> None:
        self.terms = [topic_terms(subject.text, subject.language) for subject in subjects]
        vocabulary = frozenset(term for terms in self.terms for term in terms if len(term) >= LEAST_PART)
        for index, subject in enumerate(subjects):
            if subject.language == "de":
                parts = {part for term in self.terms[index] for part in _parts(term, vocabulary)}
                self.terms[index] = self.terms[index] | parts
        self.said_by: dict[str, list[int]] = defaultdict(list)
        for index, terms in enumerate(self.terms):
            for term in sorted(terms):
                self.said_by[term].append(index)
        count = len(subjects)
        most = max(COMMON * (count + PRIOR_COUNT), 8)
        self.weight = {
            term: log((count + PRIOR_COUNT) / len(places)) / log(count + PRIOR_COUNT)
            for term, places in self.said_by.items()
            if len(places) <= most
        }
        for term in _names(subjects, self.weight):
            self.weight[term] *= NAME_WEIGHT
        self.lengths = [sum(self.weight.get(term, 0.0) ** 2 for term in terms) ** 0.5 for terms in self.terms]

    def shared_words(self, rows: Sequence[int]) -> "Vectors":
        """How much the utterances at these indices share rare words with all: a cosine of weights."""
        import numpy as np

        table = np.zeros((len(rows), len(self.terms)), np.float32)
        rows_by_term: dict[str, list[int]] = defaultdict(list)
        for row, index in enumerate(rows):
            for term in self.terms[index]:
                rows_by_term[term].append(row)
        for term, own_rows in rows_by_term.items():
            weight = self.weight.get(term)
            if weight and len(self.said_by[term]) > 1:
                table[np.ix_(own_rows, self.said_by[term])] += weight * weight
        lengths = np.maximum(np.asarray(self.lengths, np.float32), 0.5)
        table /= lengths[list(rows), None]
        table /= lengths[None, :]
        return table


@dataclass(frozen=True, slots=True)
class Meaning:
    """The vectors of one embedding model, one row per utterance. A missing vector is zero."""

    vectors: "Vectors"
    beside: bool = False  # knows more languages than another model; used unless both utterances are English


class Nearness:
    """How near utterances are to each other, row by row."""

    def __init__(self, subjects: Sequence[Subject], words: Vocabulary, meanings: Sequence[Meaning]) -> None:
        import numpy as np

        self._count, self._words = len(subjects), words
        self._groups = np.asarray([subject.group for subject in subjects])
        self._days = np.asarray([subject.day for subject in subjects])
        sessions = sorted({subject.session for subject in subjects} - {""})
        session_numbers = {name: number for number, name in enumerate(sessions, 1)}
        self._sessions = np.asarray([session_numbers.get(subject.session, 0) for subject in subjects])
        english = np.asarray([subject.language not in {"de", "ru", "other"} for subject in subjects])
        self._spreads = [_Spread(meaning, english) for meaning in meanings]

    def links(self, rows: Sequence[int], least: float) -> dict[tuple[int, int], float]:
        """Pairs of these utterances with any other that are at least this near; per utterance only the nearest."""
        import numpy as np

        links: dict[tuple[int, int], float] = {}
        for start in range(0, len(rows), ROWS_AT_ONCE):
            batch = np.asarray(rows[start : start + ROWS_AT_ONCE])
            near = self._near(batch)
            near_rows, columns = np.nonzero(near >= least)
            for row, column in _nearest(near, near_rows, columns):
                index = int(batch[row])
                links[(index, column) if index < column else (column, index)] = float(near[row, column])
        return links

    def _near(self, batch: "NDArray[np.intp]") -> "Vectors":
        import numpy as np

        deviations = np.full((len(batch), self._count), UNKNOWN, np.float32)
        for spread in self._spreads:
            spread.fill(deviations, batch)
        near = self._words.shared_words(batch.tolist())
        near *= WORDS_WEIGHT
        near += MEANING_WEIGHT * deviations - UNRELATED
        near += SOON * (np.abs(self._days[batch, None] - self._days[None, :]) <= SOON_DAYS)
        near += ONE_SESSION * (
            (self._sessions[batch, None] == self._sessions[None, :]) & (self._sessions[batch, None] > 0)
        )
        near[self._groups[batch, None] != self._groups[None, :]] = 0.0
        near[np.arange(len(batch)), batch] = 0.0
        return near


class _Spread:
    """A model's cosines, as deviations from those that each utterance has with all others.

    Some utterances resemble everything, and models differ in scale. With few utterances, perhaps all about one thing,
    usual values weigh in.
    """

    def __init__(self, meaning: Meaning, english: "NDArray[np.bool_]") -> None:
        import numpy as np

        self.vectors, self._english, self._beside = meaning.vectors, english, meaning.beside
        self._known = np.abs(meaning.vectors).sum(axis=1) > 0
        embedded = meaning.vectors[self._known]
        count = max(len(embedded), 1)
        mean = meaning.vectors @ (embedded.sum(axis=0) / count)
        squares = np.einsum("nd,nd->n", meaning.vectors @ (embedded.T @ embedded / count), meaning.vectors)
        trust = count / (count + FEW)
        variance = np.maximum(squares - mean**2, 1e-4)
        deviation = np.sqrt(trust * variance + (1 - trust) * USUAL_DEVIATION**2)
        self._scale = (0.5 / deviation).astype(np.float32)
        self._shift = (self._scale * (trust * mean + (1 - trust) * USUAL_MEAN)).astype(np.float32)

    def fill(self, total: "Vectors", rows: "NDArray[np.intp]") -> None:
        """Set the deviations of these rows where this model has vectors: the mean of both sides."""
        import numpy as np

        near = self.vectors[rows] @ self.vectors.T
        near *= self._scale[rows, None] + self._scale[None, :]
        near -= self._shift[rows, None] + self._shift[None, :]
        is_valid = self._known[rows, None] & self._known[None, :]
        if self._beside:
            is_valid &= ~(self._english[rows, None] & self._english[None, :])
        np.copyto(total, near, where=is_valid)


def _nearest(near: "Vectors", rows: "NDArray[np.intp]", columns: "NDArray[np.intp]") -> list[tuple[int, int]]:
    import numpy as np

    order = np.lexsort((columns, -near[rows, columns], rows))
    rows, columns = rows[order], columns[order]
    starts = np.searchsorted(rows, rows)  # the begin of each row
    is_kept = np.arange(len(rows)) - starts < MOST_LINKS
    return list(zip(rows[is_kept].tolist(), columns[is_kept].tolist(), strict=True))
