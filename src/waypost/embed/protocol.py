"""What every embedding engine offers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Engine(Protocol):
    """Turns texts into vectors of length 1, so that a dot product is the cosine.

    A text gets the same vector alone, in any batch and in any process. What cannot be embedded right now raises
    `EngineUnavailable`; weights that are not what they claim to be raise `ModelCorrupt`.
    """

    @property
    def name(self) -> str:
        """The identity stored with each vector: vectors of different names must not be compared."""

    @property
    def dimensions(self) -> int:
        """The length of each vector."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of passages, one row for each text in the order given."""

    def embed_question(self, text: str) -> NDArray[np.float32]:
        """The vector of one question, as soon as possible also in a process that has just begun."""

    def warm(self) -> None:
        """Load now what makes later calls fast: for a process that will embed more than once."""
