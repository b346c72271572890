"""Passages of any number, with vectors and questions: generated, the same on every machine with the same numpy.

Texts: words of a made-up vocabulary of 200,000, drawn by Zipf's law; 4 to 250 of them, lognormal with a median of 40, as
turns of conversations and notes are. A passage comes back to some of its words. The hundred most frequent stand for the words
that an index leaves out.

Vectors: 384 dimensions, a mean of length .3, and the rest in directions whose weights fall off as those of MiniLM do. A passage
belongs to a family of about eight that speak of one thing, a family to one of 300 topics of uneven size. How far a passage lies
from its family differs much. Beside 20,000 paragraphs of docstrings embedded by MiniLM (`python -m benchmarks.scale_data FILE.npy`
compares with vectors that are at hand):

| | MiniLM | generated |
|---|---|---|
| cosine of two passages, mean, deviation, 99th of a hundred | .09, .11, .39 | .10, .11, .36 |
| nearest of 20,000, for the 10th, 50th, 90th of a hundred | .67, .85, .96 | .73, .87, .98 |
| tenth nearest, likewise | .47, .57, .68 | .45, .56, .73 |
| hundredth nearest, in the middle | .42 | .38 |
| dimensions in use (participation ratio) | 88 | 72 |

They are rounded to 16 bits, which Waypost keeps: every system gets the very same numbers.
"""

import hashlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

DIMENSIONS = 384
CHUNK = 10_000
STOP_WORDS = 100
FACTS = 10  # every so many a fact; the others are turns
DOMAINS = 20  # of facts
_VOCABULARY = 200_000
_SLOPE = 1.07
_MEDIAN_WORDS, _SPREAD_WORDS = 40, 0.6
_SHORTEST, _LONGEST = 4, 250
_AGAIN = 6  # every so many words, one comes again
_TOPICS = 300
_FAMILY = 8
_MEAN, _TOPIC, _THING, _OWN = 0.3, 0.56, 0.6, 0.5
_FAR = (0.1, 1.7)  # from its family, in parts of _OWN
_FALL, _SHIFT = 0.48, 2.0
_LETTERS = "etaoinshrdlu"


@dataclass(frozen=True, slots=True)
class Part:
    """Passages that follow each other, from place `start` on."""

    start: int
    texts: list[str]
    terms: list[str]  # without the words that an index leaves out
    vectors: "Floats"


@dataclass(frozen=True)
class Passages:
    """So many passages. A smaller set is the beginning of a larger one."""

    count: int
    seed: int = 1

    def parts(self) -> Iterator[Part]:
        for start in range(0, self.count, CHUNK):
            yield self._part(start)

    def keyword_questions(self, count: int) -> list[tuple[int, list[str]]]:
        """Place of a passage, and some of its words."""
        chance = np.random.default_rng((self.seed, 2))
        starts = np.sort(chance.integers(0, max(1, self.count // CHUNK), count)) * CHUNK
        asked, part = [], self._part(0)
        for start in starts.tolist():
            part = part if part.start == start else self._part(start)
            place = int(chance.integers(0, len(part.terms)))
            words = list(dict.fromkeys(part.terms[place].split())) or ["nothing"]
            chosen = chance.permutation(len(words))[: int(chance.integers(3, 8))]
            asked.append((start + place, [words[one] for one in chosen.tolist()]))
        return asked

    def vector_questions(self, count: int) -> "Floats":
        """Each speaks of what some family speaks of, and is none of its passages."""
        chance = np.random.default_rng((self.seed, 3))
        starts = chance.integers(0, max(1, self.count // CHUNK), count) * CHUNK
        made = [self._vectors(chance, self._families(start), 1) for start in starts.tolist()]
        return np.concatenate(made)

    def nearest(self, asked: "Floats", k: int, views: dict[str, "NDArray[np.bool_]"]) -> dict[str, "NDArray[np.int64]"]:
        """By exact search: the places of the k nearest passages of each question, among those that a view shows."""
        found = {name: (np.zeros((len(asked), 0), np.int64), np.zeros((len(asked), 0), np.float32)) for name in views}
        for start in range(0, self.count, CHUNK):
            vectors = self._chunk_vectors(start)
            cosines = asked @ vectors.T
            for name, shown in views.items():
                places = np.flatnonzero(shown[start : start + len(vectors)])
                old_places, old = found[name]
                every = np.concatenate([old, cosines[:, places]], 1)
                numbers = np.concatenate([old_places, np.broadcast_to(places + start, (len(asked), len(places)))], 1)
                best = np.argsort(-every, 1, kind="stable")[:, :k]
                found[name] = np.take_along_axis(numbers, best, 1), np.take_along_axis(every, best, 1)
        return {name: places for name, (places, _) in found.items()}

    # -- how they are made

    @cached_property
    def _words(self) -> list[str]:
        return [_word(number) for number in range(_VOCABULARY)]

    @cached_property
    def _steps(self) -> "NDArray[np.float64]":
        weights = 1 / np.arange(1, _VOCABULARY + 1) ** _SLOPE
        steps: NDArray[np.float64] = np.cumsum(weights / weights.sum())
        return steps

    @cached_property
    def _space(self) -> "tuple[Floats, Floats, Floats, NDArray[np.float64]]":
        """The mean, directions by weight, the topics, and how often each is spoken of."""
        chance = np.random.default_rng(self.seed)
        mean = chance.standard_normal(DIMENSIONS)
        weights = (np.arange(1, DIMENSIONS + 1) + _SHIFT) ** -_FALL
        turned = np.linalg.qr(chance.standard_normal((DIMENSIONS, DIMENSIONS)))[0]
        directions = (turned * (weights / np.linalg.norm(weights))[:, None]).astype(np.float32)
        topics = chance.standard_normal((_TOPICS, DIMENSIONS)).astype(np.float32) @ directions
        share = 1 / (np.arange(_TOPICS) + 10.0)
        return (_MEAN * mean / np.linalg.norm(mean)).astype(np.float32), directions, topics, share / share.sum()

    def _part(self, start: int) -> Part:
        count = min(CHUNK, self.count - start)
        chance = np.random.default_rng((self.seed, 0, start))
        lengths = chance.lognormal(np.log(_MEDIAN_WORDS), _SPREAD_WORDS, count).clip(_SHORTEST, _LONGEST).astype(int)
        drawn = np.searchsorted(self._steps, chance.random(int(lengths.sum()))).clip(0, _VOCABULARY - 1)
        texts, terms, at = [], [], 0
        for length in lengths.tolist():
            numbers = drawn[at : at + length].tolist()
            at += length
            for place in range(_AGAIN, length, _AGAIN):
                numbers[place] = numbers[place // 2]
            texts.append(" ".join([self._words[number] for number in numbers]))
            terms.append(" ".join([self._words[number] for number in numbers if number >= STOP_WORDS]))
        return Part(start, texts, terms, self._chunk_vectors(start))

    def _chunk_vectors(self, start: int) -> "Floats":
        chance = np.random.default_rng((self.seed, 1, start))
        return self._vectors(chance, self._families(start), min(CHUNK, self.count - start))

    def _families(self, start: int) -> "Floats":
        _, directions, topics, share = self._space
        chance = np.random.default_rng((self.seed, 4, start))
        count = CHUNK // _FAMILY
        own = chance.standard_normal((count, DIMENSIONS), np.float32) @ directions
        families: Floats = _TOPIC * topics[chance.choice(_TOPICS, count, p=share)] + _THING * own
        return families

    def _vectors(self, chance: "Generator", families: "Floats", count: int) -> "Floats":
        mean, directions, *_ = self._space
        far = chance.uniform(*_FAR, (count, 1)).astype(np.float32)
        own = chance.standard_normal((count, DIMENSIONS), np.float32) @ directions
        made = mean + families[chance.integers(0, len(families), count)] + _OWN * far * own
        made /= np.linalg.norm(made, axis=1, keepdims=True)
        return made.astype(np.float16).astype(np.float32)


def is_fact(place: int) -> bool:
    return place % FACTS == 0


def domain_of(place: int) -> str:
    """Of a fact; turns have none."""
    return f"part-{place // FACTS % DOMAINS}" if is_fact(place) else ""


def content_hash(place: int) -> bytes:
    return hashlib.blake2b(str(place).encode(), digest_size=16).digest()


def views(count: int) -> dict[str, "NDArray[np.bool_]"]:
    """What is shown: everything; facts, a tenth; the facts of one domain, one passage in two hundred."""
    places = np.arange(count)
    facts = places % FACTS == 0
    return {"all": np.ones(count, bool), "facts": facts, "domain": facts & (places // FACTS % DOMAINS == 7)}


def _word(number: int) -> str:
    """A different one for each number, frequent ones short."""
    rest, letters = number + 1, ""
    while rest:
        rest, letter = divmod(rest, len(_LETTERS))
        letters += _LETTERS[letter]
    return f"{letters}{'kmp'[number % 3]}"


def _likeness(vectors: "Floats") -> dict[str, list[float]]:
    """What the table above compares."""
    asked, rest = vectors[:400], vectors[400:]
    cosines = asked @ rest.T
    ordered = np.sort(cosines, 1)
    weights = np.linalg.eigvalsh(np.cov(vectors.T))
    return {
        "two passages": [float(cosines.mean()), float(cosines.std()), float(np.quantile(cosines, 0.99))],
        "nearest": np.quantile(ordered[:, -1], (0.1, 0.5, 0.9)).tolist(),
        "tenth nearest": np.quantile(ordered[:, -10], (0.1, 0.5, 0.9)).tolist(),
        "hundredth nearest": [float(np.quantile(ordered[:, -100], 0.5))],
        "dimensions in use": [float(weights.sum() ** 2 / (weights**2).sum())],
    }


def main() -> None:
    real = np.load(sys.argv[1])
    made = np.concatenate([part.vectors for part in Passages(len(real)).parts()])
    order = np.random.default_rng(0).permutation(len(real))
    for name, found in (("given", real[order]), ("generated", made[order])):
        print(name, {key: [round(one, 3) for one in values] for key, values in _likeness(found).items()})


if __name__ == "__main__":
    main()
