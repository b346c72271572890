"""Embedding vectors, and the texts that still have to be embedded."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from waypost.model.memory import Version

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]


class VectorReader(Protocol):
    def get(self, engine: str, hashes: Sequence[bytes]) -> "dict[bytes, Vector]":
        """The stored vectors of these texts."""

    def missing(self, engine: str, hashes: Sequence[bytes]) -> list[bytes]:
        """Which of these texts the engine has not embedded yet."""

    def pending(self) -> dict[str, int]:
        """How many texts each engine still has to embed."""

    def pending_versions(self, engine: str, limit: int) -> list[Version]:
        """Versions with a text that this engine still has to embed, the most urgent ones."""


class VectorWriter(VectorReader, Protocol):
    def put(self, engine: str, rows: "Sequence[tuple[bytes, str, Vector]]", *, again: bool = False) -> None:
        """Store (content hash, language, vector). These texts are no longer pending. `again` replaces stored vectors."""

    def queue_missing(self, engine: str) -> None:
        """Make every text without a vector of this engine pending."""

    def set_urgency(self, checkout_id: str, urgency: Mapping[str, float]) -> None:
        """Set the urgency of the pending texts of these files."""

    def drop_engine(self, engine: str) -> None:
        """Remove all vectors of an engine that is no longer used."""
