"""How the cosines of a question spread over many vectors, from a sample of each language.

Hashes come in no order, so the vectors with the lowest are a fair sample, and the same one for everybody. It is kept in
this process; with 2,000 of a language the deviation is off by one or two in a hundred.
"""

import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from waypost.store.protocol import Population
from waypost.store.sql.database import Database

if TYPE_CHECKING:
    from waypost.store.postgres.vector_rows import Engine
    from waypost.store.protocol import Vector

SAMPLE = 2000
_KEPT_SECONDS = 300.0  # vectors may be replaced without their number changing
_MOST_KEPT = 64  # languages of engines, of all spaces of this process: 200 MB
_SAMPLE = """
SELECT packed FROM vectors WHERE engine_id = ? AND language = ? ORDER BY hash LIMIT ?
"""


class _Sample(NamedTuple):
    total: int  # vectors there were when it was taken
    until: float
    vectors: "Vector"


class Samples:
    """The samples of one space in this process."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._known: dict[tuple[int, int, str], _Sample] = {}
        self._lock = threading.Lock()

    def spread(self, database: Database, engine: "Engine", of_code: bool, asked: "Vector") -> dict[str, Population]:
        """How the question's cosines spread over the vectors of each language of a sort."""
        import numpy as np  # only where vectors are

        from waypost.store.sql.scores import LANGUAGES, cosines_of, is_code, language_code

        parts: dict[str, list[Population]] = {}
        for language, count in engine.counts.items():
            if is_code(language) == of_code:
                cosines = cosines_of(self._vectors(database, engine, language), asked).astype(np.float64)
                if len(cosines):
                    one = Population(count, float(cosines.mean()), float(cosines.std()))
                    parts.setdefault(LANGUAGES[language_code(language)], []).append(one)
        return {name: _together(some) for name, some in parts.items()}

    def forget(self) -> None:
        """Something was erased: it may be among them."""
        with self._lock:
            self._known.clear()

    def _vectors(self, database: Database, engine: "Engine", language: str) -> "Vector":
        from waypost.store.sql.packed import unpack

        key, count = (engine.engine_id, engine.dimensions, language), engine.counts.get(language, 0)
        known = self._known.get(key)
        if known is None or self._clock() > known.until or 4 * abs(count - known.total) > known.total:
            rows = database.rows(_SAMPLE, (engine.engine_id, language, SAMPLE))
            known = _Sample(count, self._clock() + _KEPT_SECONDS, unpack([row[0] for row in rows], engine.dimensions))
            with self._lock:
                while len(self._known) >= _MOST_KEPT:
                    del self._known[next(iter(self._known))]
                self._known[key] = known
        return known.vectors


def _together(parts: Sequence[Population]) -> Population:
    """Languages that are not told apart."""
    count = sum(one.count for one in parts)
    mean = sum(one.mean * one.count for one in parts) / count
    square = sum((one.deviation**2 + (one.mean - mean) ** 2) * one.count for one in parts) / count
    return Population(count, mean, square**0.5)
