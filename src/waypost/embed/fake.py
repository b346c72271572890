"""An engine for tests, without weights: vectors from the words and character trigrams of a text."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from waypost.errors import EngineUnavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_WORD_WEIGHT = 2.0  # shared words count more than shared trigrams, so that repetitions rank before similar words


@dataclass(slots=True)
class FakeEngine:
    """Deterministic. Texts that share words or parts of words are similar, others nearly orthogonal.

    `fail` says whether calls raise `EngineUnavailable`: a bool, or a function of the texts. If `calls` is a list, the
    texts of each call are appended to it.
    """

    size: int = 64
    label: str = "fake"
    fail: bool | Callable[[Sequence[str]], bool] = False
    calls: list[list[str]] | None = None

    @property
    def name(self) -> str:
        return f"{self.label}-{self.size}"

    @property
    def dimensions(self) -> int:
        return self.size

    def warm(self) -> None:
        """Nothing to load."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        if self.fail(texts) if callable(self.fail) else self.fail:
            raise EngineUnavailable("The fake engine is set to fail.", "Set `fail` to False.")
        if self.calls is not None:
            self.calls.append(list(texts))
        rows = [_vector(text, self.size) for text in texts]
        return np.array(rows, np.float32).reshape(len(rows), self.size)

    def embed_question(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self.embed([text])[0]
        return vector


def _vector(text: str, size: int) -> NDArray[np.float32]:
    import numpy as np

    vector = np.zeros(size, np.float64)
    for word in text.casefold().split():
        _add(vector, word, _WORD_WEIGHT)
        padded = f"<{word}>"
        for start in range(len(padded) - 2):
            _add(vector, padded[start : start + 3], 1.0)
    length = float(np.linalg.norm(vector))
    if length == 0.0:
        vector[0] = length = 1.0
    return (vector / length).astype(np.float32)


def _add(vector: NDArray[np.float64], part: str, weight: float) -> None:
    digest = hashlib.blake2b(part.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    sign = 1.0 if digest[0] & 1 else -1.0
    vector[int.from_bytes(digest[1:], "little") % len(vector)] += sign * weight
