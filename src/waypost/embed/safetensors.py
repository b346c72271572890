"""Read float32 tensors out of a .safetensors file without copying them."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waypost.errors import ModelCorrupt

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_REMEDY = "Run `waypost model install` to fetch it anew."
_HEADER_LIMIT = 10_000_000
_FLOAT_BYTES = 4


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the file a tensor's bytes are."""

    shape: tuple[int, ...]
    offset: int
    length: int


def places(path: Path) -> dict[str, Place]:
    """The float32 tensors of the file by name. Raises `ModelCorrupt` if the header or a bound is wrong."""
    size = path.stat().st_size
    with path.open("rb") as file:
        header_length = int.from_bytes(file.read(8), "little")
        if not 0 < header_length <= min(_HEADER_LIMIT, size - 8):
            raise ModelCorrupt(f"{path} has no valid header.", _REMEDY)
        try:
            header = json.loads(file.read(header_length))
        except ValueError as error:
            raise ModelCorrupt(f"{path} has no valid header.", _REMEDY) from error
    found = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry.get("dtype") == "F32":
            found[name] = _place(path, entry, 8 + header_length, size)
    return found


def _place(path: Path, entry: dict[str, Any], base: int, size: int) -> Place:
    begin, end = entry["data_offsets"]
    shape = tuple(entry["shape"])
    if not 0 <= begin <= end <= size - base or end - begin != _FLOAT_BYTES * math.prod(shape):
        raise ModelCorrupt(f"{path} is cut off or its header is wrong.", _REMEDY)
    return Place(shape, base + begin, end - begin)


def load(path: Path) -> dict[str, NDArray[np.float32]]:
    """Every float32 tensor as a read-only view of the memory-mapped file."""
    import numpy as np

    content = np.memmap(path, np.uint8, "r")
    return {name: np.ndarray(place.shape, np.float32, content, place.offset) for name, place in places(path).items()}
