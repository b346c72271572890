"""The cosines of one question with many vectors: which are best, and how they spread over languages."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Ids = NDArray[np.int64]
    Codes = NDArray[np.uint8]

LANGUAGES = (
    "",
    "en",
    "de",
    "ru",
    "other",
    "code",
    "code-other",
    "code-test",
)  # their positions are stored in files: only append
_FIRST_OF_CODE = 5
_CODE = {language: code for code, language in enumerate(LANGUAGES)}


def language_code(language: str) -> int:
    return _CODE[language] if language in _CODE else _CODE["code-other" if is_code(language) else "other"]


def is_code(language: str) -> bool:
    return language.startswith("code")


def cosines_of(matrix: "Floats", question: "Floats") -> "Floats":
    # Not `@`: BLAS uses two threads here. On a busy machine they wait for each other: 28 ms against 1.6 at 20,000 rows.
    # With one thread it is no faster.
    cosines: Floats = np.einsum("ij,j->i", matrix, question)
    return cosines


@dataclass(frozen=True, slots=True)
class VectorScores:
    """Cosines of vectors, ordered by vector id."""

    ids: "Ids"
    languages: "Codes"
    cosines: "Floats"

    def part(self, code: bool) -> "VectorScores":
        """Only code, or only prose."""
        chosen = (self.languages >= _FIRST_OF_CODE) == code
        if chosen.all():
            return self
        return VectorScores(self.ids[chosen], self.languages[chosen], self.cosines[chosen])

    def only(self, vector_ids: list[int]) -> "VectorScores":
        """Only these vectors, if they are here."""
        if not vector_ids or not len(self.ids):
            return VectorScores(self.ids[:0], self.languages[:0], self.cosines[:0])
        wanted = np.unique(np.array(vector_ids, np.int64))
        places = np.minimum(np.searchsorted(self.ids, wanted), len(self.ids) - 1)
        places = places[self.ids[places] == wanted]
        return VectorScores(self.ids[places], self.languages[places], self.cosines[places])

    def best(self, count: int) -> "NDArray[np.intp]":
        """Positions of the highest cosines, best first; equal ones in the order of their ids."""
        if count < len(self.cosines):
            edge = np.partition(self.cosines, -count)[-count]
            places = np.flatnonzero(self.cosines >= edge)
        else:
            places = np.arange(len(self.cosines))
        return places[np.argsort(-self.cosines[places], kind="stable")][:count]

    def by_language(self) -> Iterator[tuple[str, int, float, float]]:
        """(language, count, mean, deviation) of the cosines."""
        counts = np.bincount(self.languages)
        sums = np.bincount(self.languages, self.cosines)
        for code in np.flatnonzero(counts):
            mean = sums[code] / counts[code]
            chosen = self.cosines if counts[code] == len(self.cosines) else self.cosines[self.languages == code]
            square = np.square(chosen - np.float32(mean)).mean(dtype=np.float64)
            yield LANGUAGES[code], int(counts[code]), float(mean), float(square**0.5)

    def of(self, vector_ids: "Ids") -> "Floats":
        """The cosines of these vectors; NaN for missing ones."""
        if not len(self.ids):
            return np.full(len(vector_ids), np.nan, np.float32)
        places = np.minimum(np.searchsorted(self.ids, vector_ids), len(self.ids) - 1)
        return np.where(self.ids[places] == vector_ids, self.cosines[places], np.float32(np.nan))
