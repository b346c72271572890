"""Read tensors from a .safetensors file without copying them, and write such files."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waypost.errors import EngineUnavailable, ModelCorrupt

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_REMEDY = "Run `waypost model install`."
_HEADER_LIMIT = 10_000_000
_TYPES = {"F32": ("float32", 4), "I32": ("int32", 4), "U32": ("uint32", 4), "U8": ("uint8", 1)}
_ALIGNMENT = 64  # of tensors in the files written here: a cache line


@dataclass(frozen=True, slots=True)
class TensorPlace:
    """Where in the file a tensor's bytes are."""

    kind: str  # numpy's name of the type
    shape: tuple[int, ...]
    offset: int
    length: int


def places(path: Path) -> dict[str, TensorPlace]:
    """The tensors of the file by name, without those of unsupported types.

    Raises `ModelCorrupt` if the header or a bound is wrong, `EngineUnavailable` if the file cannot be read.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            header_length = int.from_bytes(file.read(8), "little")
            if not 0 < header_length <= min(_HEADER_LIMIT, size - 8):
                raise ModelCorrupt(f"{path} has no valid header.", _REMEDY)
            header = json.loads(file.read(header_length))
        entries = {n: e for n, e in header.items() if n != "__metadata__" and e["dtype"] in _TYPES}
        return {name: _place(entry, 8 + header_length, size) for name, entry in entries.items()}
    except OSError as error:
        raise EngineUnavailable(f"{path} cannot be read: {error.strerror}.", _REMEDY) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelCorrupt(f"{path} is cut off or its header is wrong.", _REMEDY) from error


def _place(entry: dict[str, Any], base: int, size: int) -> TensorPlace:
    begin, end = entry["data_offsets"]
    shape = tuple(entry["shape"])
    kind, width = _TYPES[entry["dtype"]]
    if not 0 <= begin <= end <= size - base or end - begin != width * math.prod(shape):
        raise ValueError("a tensor is outside the file")
    return TensorPlace(kind, shape, base + begin, end - begin)


def load(path: Path) -> dict[str, NDArray[Any]]:
    """Every tensor as a read-only view of the memory-mapped file."""
    import numpy as np

    tensors = places(path)
    content = np.memmap(path, np.uint8, "r")
    return {name: np.ndarray(place.shape, place.kind, content, place.offset) for name, place in tensors.items()}


def load_floats(path: Path) -> dict[str, NDArray[np.float32]]:
    """Only the float32 tensors."""
    return {name: array for name, array in load(path).items() if array.dtype.name == "float32"}


def write(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write tensors, each at a multiple of 64 bytes."""
    import numpy as np

    codes = {kind: code for code, (kind, _) in _TYPES.items()}
    header: dict[str, dict[str, Any]] = {}
    position = 0
    for name, array in arrays.items():
        end = position + array.nbytes
        header[name] = {
            "dtype": codes[array.dtype.name],
            "shape": list(array.shape),
            "data_offsets": [position, end],
        }
        position = _aligned(end)
    encoded = json.dumps(header).encode()
    encoded += b" " * (_aligned(8 + len(encoded)) - 8 - len(encoded))
    with path.open("wb") as file:
        file.write(len(encoded).to_bytes(8, "little") + encoded)
        for array in arrays.values():
            file.write(np.ascontiguousarray(array).data)
            file.write(bytes(_aligned(array.nbytes) - array.nbytes))


def _aligned(position: int) -> int:
    return -(-position // _ALIGNMENT) * _ALIGNMENT
