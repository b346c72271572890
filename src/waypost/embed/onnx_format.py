"""Enough of ONNX's protobuf format to write a model without the `onnx` and `protobuf` packages.

Field numbers are those of onnx.proto. Each function returns the bytes of one message.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FLOAT, INT32, INT64 = 1, 6, 7
_TYPE_CODES = {"float32": FLOAT, "int32": INT32, "int64": INT64}
_IR_VERSION = 8
_OPSET = 17
_MICROSOFT_OPSET = 1
MICROSOFT = "com.microsoft"  # the domain of onnxruntime's fused operators

Attribute = int | float | Sequence[int]


def tensor(name: str, values: NDArray[np.generic]) -> bytes:
    """A constant inside the model file."""
    dims = b"".join(_number(1, size) for size in values.shape)
    return dims + _number(2, _TYPE_CODES[values.dtype.name]) + _text(8, name) + _bytes(9, values.tobytes())


def external_tensor(name: str, shape: Sequence[int], location: str, offset: int, length: int) -> bytes:
    """A float32 constant in another file of the model's folder."""
    dims = b"".join(_number(1, size) for size in shape)
    entries = {"location": location, "offset": str(offset), "length": str(length)}
    places = b"".join(_bytes(13, _text(1, key) + _text(2, value)) for key, value in entries.items())
    return dims + _number(2, FLOAT) + _text(8, name) + places + _number(14, 1)


def node(
    operator: str, inputs: Sequence[str], outputs: Sequence[str], domain: str = "", **attributes: Attribute
) -> bytes:
    parts = [_text(1, name) for name in inputs]
    parts += [_text(2, name) for name in outputs]
    parts.append(_text(4, operator))
    parts += [_bytes(5, _attribute(name, value)) for name, value in attributes.items()]
    parts.append(_text(7, domain))
    return b"".join(parts)


def value(name: str, type_code: int, dims: Sequence[int | str]) -> bytes:
    """An input or output. A dimension given by name may have any size."""
    sizes = b"".join(_bytes(1, _text(2, d) if isinstance(d, str) else _number(1, d)) for d in dims)
    return _text(1, name) + _bytes(2, _bytes(1, _number(1, type_code) + _bytes(2, sizes)))


def model(
    nodes: Sequence[bytes], constants: Sequence[bytes], inputs: Sequence[bytes], outputs: Sequence[bytes]
) -> bytes:
    graph = [_bytes(1, part) for part in nodes]
    graph.append(_text(2, "graph"))
    graph += [_bytes(5, part) for part in constants]
    graph += [_bytes(11, part) for part in inputs]
    graph += [_bytes(12, part) for part in outputs]
    opsets = _bytes(8, _text(1, "") + _number(2, _OPSET))
    opsets += _bytes(8, _text(1, MICROSOFT) + _number(2, _MICROSOFT_OPSET))
    return _number(1, _IR_VERSION) + _bytes(7, b"".join(graph)) + opsets


def _attribute(name: str, content: Attribute) -> bytes:
    if isinstance(content, float):
        return _text(1, name) + _varint(2 << 3 | 5) + struct.pack("<f", content) + _number(20, 1)
    if isinstance(content, int):
        return _text(1, name) + _number(3, content) + _number(20, 2)
    return _text(1, name) + b"".join(_number(8, item) for item in content) + _number(20, 7)


def _varint(number: int) -> bytes:
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _number(field: int, number: int) -> bytes:
    return _varint(field << 3) + _varint(number)


def _bytes(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _text(field: int, content: str) -> bytes:
    return _bytes(field, content.encode())
