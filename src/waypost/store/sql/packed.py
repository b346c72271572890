"""Vectors as they are stored: half precision, little-endian."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]


class Packed(bytes):
    """A packed vector as a parameter: a database may have its own type for it."""

    __slots__ = ()


def pack(vector: "Floats") -> Packed:
    return Packed(np.ascontiguousarray(vector, dtype="<f2").tobytes())


def unpack(rows: list[bytes], dimensions: int) -> "Floats":
    if not rows:
        return np.empty((0, dimensions), np.float32)
    return np.frombuffer(b"".join(rows), dtype="<f2").reshape(len(rows), dimensions).astype(np.float32)
