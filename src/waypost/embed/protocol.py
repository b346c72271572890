"""The interface of every embedding engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Engine(Protocol):
    """Turns texts into vectors of length 1, so that a dot product is the cosine.

    A text gets the same vector alone, in any batch and in any process. An engine that cannot embed right now raises
    `EngineUnavailable`; damaged or unexpected weights raise `ModelCorrupt`.
    """

    @property
    def name(self) -> str:
        """Stored with each vector: vectors of engines with different names cannot be compared."""

    @property
    def dimensions(self) -> int:
        """The length of each vector."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of passages, one row for each text in the order given."""

    def embed_question(self, text: str) -> NDArray[np.float32]:
        """The vector of one question, as fast as possible even in a new process."""

    def warm(self) -> None:
        """Load everything that makes later calls fast, for a process that embeds more than once."""
