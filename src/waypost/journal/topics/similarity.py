"""How near two utterances are: by meaning (cosine of their vectors) and by the rare words they share."""

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
MOST_LINKS = 20  # of one utterance; a topic that is talked about daily has more neighbours than it needs
ASSUMED = 60  # utterances that are thought to be there beside the known ones: a word is not common for being in 3 of 5
LEAST_PART = 5  # letters of a word in a compound
COMMON = 0.08  # a word in more of the utterances says nothing of a topic
# How sure it is that two utterances are about the same, as log odds over what unrelated pairs have: fitted on pairs of
# turns of real sessions, and alike on written German and Russian ones.
MEANING_WEIGHT = 1.3  # for each deviation of their cosine
NAME_WEIGHT = 1.5  # a name says more than another rare word
WORDS_WEIGHT = 5.0  # for the cosine of their rare words
UNRELATED = 2.2
SOON, SOON_DAYS = 1.5, 14  # what is said within so many days is rather about the same
ONE_SESSION = 0.6  # so is what is said in one conversation
UNKNOWN = 0.8  # deviations that are assumed where no engine has a vector: words alone must say more then
USUAL_MEAN, USUAL_DEVIATION, FEW = 0.1, 0.12, 30  # of cosines among utterances; counted as so many of them
_NAME = re.compile(r"\b(?:[A-ZÄÖÜ]{2,}[a-z0-9]*|[A-Za-z]*[a-z][A-Z]\w*|[A-Za-z]+\d\w*)\b")
_LATIN_NAME = re.compile(r"\b[A-Za-z][\w.+#-]*[A-Za-z0-9]\b")
_REMEMBERED = 50_000  # utterances of some years: upkeep looks at them many times in one run
_LONGEST = 2000  # characters of an utterance that name its topic


@dataclass(frozen=True, slots=True)
class Subject:
    """An utterance as far as its topic is concerned. Subjects in different `group`s are never of one topic."""

    text: str
    language: str
    group: int = 0
    day: int = 0  # as an ordinal
    session: str = ""


@lru_cache(maxsize=_REMEMBERED)
def telling_terms(text: str, language: str) -> frozenset[str]:
    """The stems and names that say what an utterance is about."""
    stops = _stemmed_stops()
    terms = keyword_terms(text[:_LONGEST], language)
    return frozenset(term for term in terms.stems if len(term) > 1 and term not in stops and not term.isdecimal())


@cache
def _stemmed_stops() -> frozenset[str]:
    """Stop words of all languages and words that stand in talk about anything, as they are and stemmed."""
    table = tomllib.loads((files("waypost.journal") / "data" / "importance_common.toml").read_text("utf-8"))
    plain = {
        (word, language)
        for language in ("en", "de", "ru")
        for word in (*stop_words(language), *map(fold, table[language].split()))
    }
    return frozenset(form for word, language in plain for form in (word, stem(word, language)))


def _parts(word: str, known: frozenset[str]) -> list[str]:
    """The words that others use alone and that begin or end a German compound: Klavier, Unterricht."""
    if len(word) < LEAST_PART + 3:
        return []
    cuts = range(LEAST_PART, len(word) - 2)
    return [part for cut in cuts for part in (word[:cut], word[-cut:]) if part in known]


def _names(subjects: Sequence[Subject], known: Container[str]) -> set[str]:
    """The terms that are names by their spelling: AWS, PostgreSQL, v2, and Latin letters in a Russian text."""
    found: set[str] = set()
    for subject in subjects:
        pattern = _LATIN_NAME if subject.language == "ru" else _NAME
        for name in pattern.findall(subject.text[:_LONGEST]):
            found.update(term for term in telling_terms(name, subject.language) if term in known)
    return found


class Vocabulary:
    """Who says which telling word, and how much it tells."""

    def __init__(self, subjects: Sequence[Subject]) -> None:
        self.terms = [telling_terms(subject.text, subject.language) for subject in subjects]
        known = frozenset(term for terms in self.terms for term in terms if len(term) >= LEAST_PART)
        for place, subject in enumerate(subjects):
            if subject.language == "de":
                parts = {part for term in self.terms[place] for part in _parts(term, known)}
                self.terms[place] = self.terms[place] | parts
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
        for term in _names(subjects, self.weight):
            self.weight[term] *= NAME_WEIGHT
        self.lengths = [sum(self.weight.get(term, 0.0) ** 2 for term in terms) ** 0.5 for terms in self.terms]

    def shared(self, rows: Sequence[int]) -> "Vectors":
        """How many rare words the utterances at these places share with all: a cosine of weights."""
        import numpy as np

        table = np.zeros((len(rows), len(self.terms)), np.float32)
        said: dict[str, list[int]] = defaultdict(list)
        for row, place in enumerate(rows):
            for term in self.terms[place]:
                said[term].append(row)
        for term, own in said.items():
            weight = self.weight.get(term)
            if weight and len(self.said_by[term]) > 1:
                table[np.ix_(own, self.said_by[term])] += weight * weight
        lengths = np.maximum(np.asarray(self.lengths, np.float32), 0.5)
        table /= lengths[list(rows), None]
        table /= lengths[None, :]
        return table


@dataclass(frozen=True, slots=True)
class Meaning:
    """The vectors of one engine, a row for each utterance, zero where there is none."""

    vectors: "Vectors"
    beside: bool = False  # it knows more languages than another one, and is used where not both are English


class Nearness:
    """How near utterances are to each other, row by row."""

    def __init__(self, subjects: Sequence[Subject], words: Vocabulary, meanings: Sequence[Meaning]) -> None:
        import numpy as np

        self._count, self._words = len(subjects), words
        self._groups = np.asarray([subject.group for subject in subjects])
        self._days = np.asarray([subject.day for subject in subjects])
        sessions = sorted({subject.session for subject in subjects} - {""})
        numbers = {name: place for place, name in enumerate(sessions, 1)}
        self._sessions = np.asarray([numbers.get(subject.session, 0) for subject in subjects])
        english = np.asarray([subject.language not in {"de", "ru", "other"} for subject in subjects])
        self._spreads = [_Spread(meaning, english) for meaning in meanings]

    def links(self, rows: Sequence[int], least: float) -> dict[tuple[int, int], float]:
        """The pairs of these utterances with any other that are at least so near; of each its nearest ones only."""
        import numpy as np

        found: dict[tuple[int, int], float] = {}
        for start in range(0, len(rows), ROWS_AT_ONCE):
            some = np.asarray(rows[start : start + ROWS_AT_ONCE])
            near = self._near(some)
            near_rows, columns = np.nonzero(near >= least)
            for row, column in _nearest(near, near_rows, columns):
                place = int(some[row])
                found[(place, column) if place < column else (column, place)] = float(near[row, column])
        return found

    def _near(self, some: "NDArray[np.intp]") -> "Vectors":
        import numpy as np

        deviations = np.full((len(some), self._count), UNKNOWN, np.float32)
        for spread in self._spreads:
            spread.fill(deviations, some)
        near = self._words.shared(some.tolist())
        near *= WORDS_WEIGHT
        near += MEANING_WEIGHT * deviations - UNRELATED
        near += SOON * (np.abs(self._days[some, None] - self._days[None, :]) <= SOON_DAYS)
        near += ONE_SESSION * (
            (self._sessions[some, None] == self._sessions[None, :]) & (self._sessions[some, None] > 0)
        )
        near[self._groups[some, None] != self._groups[None, :]] = 0.0
        near[np.arange(len(some)), some] = 0.0
        return near


class _Spread:
    """An engine's cosines, counted in deviations from what each utterance has with all others.

    Some utterances are like everything; and what is near for one engine is far for another. Where there are few
    utterances, all of them perhaps about one thing, the deviations lean on what is usual.
    """

    def __init__(self, meaning: Meaning, english: "NDArray[np.bool_]") -> None:
        import numpy as np

        self.vectors, self._english, self._beside = meaning.vectors, english, meaning.beside
        self._known = np.abs(meaning.vectors).sum(axis=1) > 0
        counted = meaning.vectors[self._known]
        count = max(len(counted), 1)
        mean = meaning.vectors @ (counted.sum(axis=0) / count)
        squares = np.einsum("nd,nd->n", meaning.vectors @ (counted.T @ counted / count), meaning.vectors)
        trust = count / (count + FEW)
        variance = np.maximum(squares - mean**2, 1e-4)
        deviation = np.sqrt(trust * variance + (1 - trust) * USUAL_DEVIATION**2)
        self._scale = (0.5 / deviation).astype(np.float32)
        self._shift = (self._scale * (trust * mean + (1 - trust) * USUAL_MEAN)).astype(np.float32)

    def fill(self, total: "Vectors", some: "NDArray[np.intp]") -> None:
        """Put in the deviations of these rows where this engine can say something: the mean of both sides."""
        import numpy as np

        near = self.vectors[some] @ self.vectors.T
        near *= self._scale[some, None] + self._scale[None, :]
        near -= self._shift[some, None] + self._shift[None, :]
        mine = self._known[some, None] & self._known[None, :]
        if self._beside:
            mine &= ~(self._english[some, None] & self._english[None, :])
        np.copyto(total, near, where=mine)


def _nearest(near: "Vectors", rows: "NDArray[np.intp]", columns: "NDArray[np.intp]") -> list[tuple[int, int]]:
    import numpy as np

    order = np.lexsort((columns, -near[rows, columns], rows))
    rows, columns = rows[order], columns[order]
    starts = np.searchsorted(rows, rows)  # where each row begins
    kept = np.arange(len(rows)) - starts < MOST_LINKS
    return list(zip(rows[kept].tolist(), columns[kept].tolist(), strict=True))
