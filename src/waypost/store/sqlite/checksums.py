"""Checksums of rows that cannot be rebuilt: they reveal a bit that flips on the disk, in any column.

Triggers update them with every statement. A version costs 12 microseconds more, a change of a state 7.
"""

import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import apsw

from waypost.store.salvaged import KEPT
from waypost.store.tables import TABLES, MovedTable

FUNCTION = "waypost_checksum"


class StoredText(bytes):
    """The bytes of a text in the file, which may no longer be valid text."""


# A migration that adds a column to one of these tables creates its triggers again (see 0010_checksums).
SUMMED: Mapping[str, MovedTable] = MappingProxyType({name: TABLES[name] for name in KEPT})


def checksum(*values: object) -> int:
    """The checksum of the values of a row, in the order of its columns. A text and a blob of the same bytes differ."""
    parts = list[bytes]()
    for value in values:
        if value is None:
            parts.append(b"n")
        elif isinstance(value, str):
            raw = value.encode()
            parts += (b"t%d:" % len(raw), raw)
        elif isinstance(value, int):
            parts.append(b"i%d" % value)
        elif isinstance(value, float):
            parts += (b"f", struct.pack(">d", value))
        else:
            assert isinstance(value, bytes)
            parts += (b"%s%d:" % (b"b" if type(value) is bytes else b"t", len(value)), value)
    return zlib.crc32(b"".join(parts))


def add_checksum_function(connection: apsw.Connection) -> None:
    """Every connection that changes a row with a checksum needs this function."""
    connection.create_scalar_function(FUNCTION, checksum, -1, deterministic=True, flags=apsw.SQLITE_INNOCUOUS)


def false_rows(connection: apsw.Connection, table: MovedTable) -> Iterator[tuple[Any, ...]]:
    """The keys of rows that differ from what was written."""
    # Texts come as bytes: a damaged one cannot be returned as text.
    values = ", ".join(
        f"CASE typeof({column}) WHEN 'text' THEN CAST({column} AS BLOB) ELSE {column} END" for column in table.columns
    )
    sorts = " || ".join(f"substr(typeof({column}), 1, 1)" for column in table.columns)
    for stored, sorted_as, *row in connection.execute(f"SELECT checksum, {sorts}, {values} FROM {table.name}"):
        if stored != checksum(*_as_stored(row, str(sorted_as))):
            yield tuple(row[table.columns.index(column)] for column in table.key)


def _as_stored(row: Iterable[Any], sorts: str) -> Iterator[Any]:
    for value, sort in zip(row, sorts, strict=True):
        yield StoredText(value) if sort == "t" else value
