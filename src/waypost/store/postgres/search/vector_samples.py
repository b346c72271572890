"""Estimates from a sample of each language how the cosines of a question spread over many vectors.

Hashes are random, so the vectors with the lowest hashes are a fair sample, and every process takes the same. Samples
are cached in this process. The nearest vectors, of which a sample would have too many or too few, are known from the
search: the sample stands for the others. Deviations of hits are mostly off by a hundredth or less.
"""

import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from waypost.store.protocol import Population
from waypost.store.sql.database import Database

if TYPE_CHECKING:
    from waypost.store.postgres.search.vector_rows import NearVector, StoredEngine
    from waypost.store.protocol import Vector

SAMPLE = 4000
_KEPT_SECONDS = 300.0  # vectors may be replaced while their count stays
_MOST_KEPT = 32  # samples of a space in this process: 200 MB
_SAMPLE = """
SELECT packed FROM vectors WHERE engine_id = ? AND language = ? ORDER BY hash LIMIT ?
"""


class _Sample(NamedTuple):
    total: int  # vectors when it was taken
    until: float
    vectors: "Vector"


class Samples:
    """The samples of one space in this process."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._samples: dict[tuple[int, int, str], _Sample] = {}
        self._lock = threading.Lock()

    def spread(
        self,
        database: Database,
        engine: "StoredEngine",
        of_code: bool,
        vector: "Vector",
        nearest: "Sequence[NearVector]",
    ) -> dict[str, Population]:
        """How a question's cosines spread over the vectors of each language. `nearest`: the best hits."""
        from waypost.store.sql.scores import LANGUAGES, cosines_of, is_code, language_code

        parts: dict[str, list[Population]] = {}
        edge = min((near.cosine for near in nearest), default=-2.0)  # lower cosines are not among the nearest
        for language, count in engine.counts.items():
            if is_code(language) == of_code:
                sample = cosines_of(self._vectors(database, engine, language), vector)
                near_cosines = [near.cosine for near in nearest if near.language == language]
                if len(sample):
                    population = _estimated_population(sample, count, near_cosines, edge)
                    parts.setdefault(LANGUAGES[language_code(language)], []).append(population)
        return {name: _combined(some) for name, some in parts.items()}

    def forget(self) -> None:
        """Something was erased: it may be in a sample."""
        with self._lock:
            self._samples.clear()

    def _vectors(self, database: Database, engine: "StoredEngine", language: str) -> "Vector":
        from waypost.store.sql.packed import unpack

        key, count = (engine.engine_id, engine.dimensions, language), engine.counts.get(language, 0)
        sample = self._samples.get(key)
        if sample is None or self._clock() > sample.until or 4 * abs(count - sample.total) > sample.total:
            rows = database.rows(_SAMPLE, (engine.engine_id, language, SAMPLE))
            sample = _Sample(count, self._clock() + _KEPT_SECONDS, unpack([row[0] for row in rows], engine.dimensions))
            with self._lock:
                while len(self._samples) >= _MOST_KEPT:
                    del self._samples[next(iter(self._samples))]
                self._samples[key] = sample
        return sample.vectors


def _estimated_population(sample: "Vector", count: int, nearest: Sequence[float], edge: float) -> Population:
    """The population of `count` cosines, given all those above an edge."""
    import numpy as np  # loaded only where vectors are

    below = sample[sample < edge]
    left = count - len(nearest)
    if len(sample) >= count or not len(below) or left <= 0:
        return _population_of(sample, count)
    parts = [_population_of(below, left)]
    if nearest:
        parts.append(_population_of(np.array(nearest, np.float32), len(nearest)))
    return _combined(parts)


def _population_of(cosines: "Vector", count: int) -> Population:
    return Population(count, float(cosines.mean(dtype="f8")), float(cosines.std(dtype="f8")))


def _combined(parts: Sequence[Population]) -> Population:
    """Combine languages that count as one."""
    count = sum(part.count for part in parts)
    mean = sum(part.mean * part.count for part in parts) / count
    square = sum((part.deviation**2 + (part.mean - mean) ** 2) * part.count for part in parts) / count
    return Population(count, mean, square**0.5)
