"""What every store is asked to do."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


class Peer(Protocol):
    """A store in a folder of its own. `add` returns when the texts can be found."""

    def add(self, ids: Sequence[str], texts: Sequence[str], vectors: "Floats") -> None: ...

    def search(self, vector: "Floats", k: int) -> list[str]:
        """The texts that lie nearest, best first."""

    def close(self) -> None: ...
