"""Converts vectors to and from PostgreSQL's binary format in half precision.

The values are those that SQLite's store packs, so both give the same cosines. pgvector's format has a header
(dimensions, zero) and is big-endian.
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
_ARRAY = struct.Struct(">iiIii")  # of an array: dimensions, has nulls, element type, length, first index
_LENGTH = struct.Struct(">i")


@dataclass(frozen=True, slots=True)
class HalfVector:
    """A parameter for `$1::halfvec`: a vector as SQLite's store packs it."""

    packed: bytes


@dataclass(frozen=True, slots=True)
class Full:
    """A parameter for `$1::vector`: a question in single precision."""

    vector: "Vector"


@dataclass(frozen=True, slots=True)
class Halves:
    """A parameter for `$1::halfvec[]`: vectors as SQLite's store packs them. `type_id` is this database's id of
    `halfvec`.
    """

    vectors: Sequence[bytes]
    type_id: int


def half_bytes(packed: bytes) -> bytes:
    return _HEADER.pack(len(packed) // 2, 0) + _swapped(packed)


def full_bytes(vector: "Vector") -> bytes:
    import numpy as np  # loaded only where vectors are

    return _HEADER.pack(len(vector), 0) + np.ascontiguousarray(vector, ">f4").tobytes()


def array_bytes(halves: Halves) -> bytes:
    if not halves.vectors:
        return struct.pack(">iiI", 0, 0, halves.type_id)
    parts = [_ARRAY.pack(1, 0, halves.type_id, len(halves.vectors), 1)]
    for vector in halves.vectors:
        parts += (_LENGTH.pack(_HEADER.size + len(vector)), half_bytes(vector))
    return b"".join(parts)


def packed(sent: bytes) -> bytes:
    """A vector from the database as SQLite's store packs it: little-endian."""
    return _swapped(sent[_HEADER.size :])


def _swapped(numbers: bytes) -> bytes:
    swapped = array("H", numbers)
    swapped.byteswap()
    return swapped.tobytes()


def register(adapters: "AdaptersMap") -> None:
    """Register these parameter types for a connection, or for all."""
    from psycopg.adapt import Dumper
    from psycopg.pq import Format

    class Binary(Dumper):
        """Without a type id: the cast in the statement names the type, and ids differ between databases."""

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
