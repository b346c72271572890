"""Vectors on their way to PostgreSQL and back, in its binary format and half precision.

The values are those that SQLite's store packs, so both give the same cosines. pgvector's format has a header (dimensions,
nothing) and the highest byte of each number first.
"""

import struct
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from psycopg.adapt import AdaptersMap

    from waypost.store.protocol import Vector

_HEADER = struct.Struct(">HH")
_ARRAY = struct.Struct(">iiIii")  # dimensions of the array, has nulls, type of its elements, how many, the first number
_LENGTH = struct.Struct(">i")


@dataclass(frozen=True, slots=True)
class HalfVector:
    """A parameter for `$1::halfvec`: a vector as SQLite's store packs it."""

    packed: bytes


@dataclass(frozen=True, slots=True)
class Full:
    """A parameter for `$1::vector`: in single precision, as a question is."""

    vector: "Vector"


@dataclass(frozen=True, slots=True)
class Halves:
    """A parameter for `$1::halfvec[]`: vectors as SQLite's store packs them. `type_id` is what this database calls the
    type `halfvec`."""

    vectors: Sequence[bytes]
    type_id: int


def half_bytes(packed: bytes) -> bytes:
    return _HEADER.pack(len(packed) // 2, 0) + _swapped(packed)


def full_bytes(vector: "Vector") -> bytes:
    import numpy as np  # only where vectors are

    return _HEADER.pack(len(vector), 0) + np.ascontiguousarray(vector, ">f4").tobytes()


def array_bytes(halves: Halves) -> bytes:
    if not halves.vectors:
        return struct.pack(">iiI", 0, 0, halves.type_id)
    parts = [_ARRAY.pack(1, 0, halves.type_id, len(halves.vectors), 1)]
    for vector in halves.vectors:
        parts += (_LENGTH.pack(_HEADER.size + len(vector)), half_bytes(vector))
    return b"".join(parts)


def packed(sent: bytes) -> bytes:
    """What the database sends, as SQLite's store keeps it: the lowest byte of each number first."""
    return _swapped(sent[_HEADER.size :])


def _swapped(numbers: bytes) -> bytes:
    swapped = array("H", numbers)
    swapped.byteswap()
    return swapped.tobytes()


def register(adapters: "AdaptersMap") -> None:
    """Teach a connection, or all of them, these parameters."""
    from psycopg.adapt import Dumper
    from psycopg.pq import Format

    class Binary(Dumper):
        """Without a type's number: the cast in the statement says which it is, and numbers differ between databases."""

        format = Format.BINARY
        oid = 0

    class HalfDumper(Binary):
        def dump(self, obj: HalfVector) -> bytes:
            return half_bytes(obj.packed)

    class FullDumper(Binary):
        def dump(self, obj: Full) -> bytes:
            return full_bytes(obj.vector)

    class HalvesDumper(Binary):
        def dump(self, obj: Halves) -> bytes:
            return array_bytes(obj)

    adapters.register_dumper(HalfVector, HalfDumper)
    adapters.register_dumper(Full, FullDumper)
    adapters.register_dumper(Halves, HalvesDumper)
