"""Checksums of rows that cannot be rebuilt: they reveal a bit that flips on the disk, in any column.

Triggers update them with every statement. A version costs 12 microseconds more, a change of a state 7.
"""

import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import apsw

FUNCTION = "waypost_checksum"


class StoredText(bytes):
    """The bytes of a text in the file, which may no longer be valid text."""


@dataclass(frozen=True, slots=True)
class SummedTable:
    """A table with checksums: its columns without the checksum itself, and its key."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]


def _table(name: str, columns: str, key: str) -> SummedTable:
    return SummedTable(name, tuple(columns.split(", ")), tuple(key.split(", ")))


# As of 0010_checksums, which is never edited: a later migration that adds a column creates the triggers of its table again.
_ALL = (
    _table("meta", "key, value", "key"),
    _table("checkouts", "checkout_id, root, first_seen", "checkout_id"),
    _table(
        "memories",
        "number, memory_id, kind, collection, text, recorded_at, superseded_at, valid_from, valid_until, source, actor, level, domain"
        ", module, key, session, position, speaker, time, checkout_id, name, language, traits, fingerprint, evidence, tags, details",
        "number",
    ),
    _table(
        "states",
        "memory_id, protected, is_stale, stale_reason, verified_at, archived_at, expires_at, on_expire, importance, ttl_seconds"
        ", ttl_class, refresh, accessed_at",
        "memory_id",
    ),
    _table(
        "code_refs",
        "number, place, path, symbol, first, last, hash, git_commit, made_at, verified_at, anchor, more",
        "number, place",
    ),
    _table("edges", "kind, from_id, to_id, strength, made_at", "from_id, kind, to_id"),
    _table("tombstones", "digest, made_at, cause", "digest"),
    _table("audit", "number, at, action, memory_id, source, actor, details", "number"),
    _table(
        "candidates",
        "candidate_id, made_at, confidence, origin, topic, reason, fingerprint, tombstone, draft, declined_at",
        "candidate_id",
    ),
    _table("shares", "role, other, name, offer_id, offer, made_at, made_by, revoked_at, revoked_by", "role, other"),
)
SUMMED: Mapping[str, SummedTable] = MappingProxyType({table.name: table for table in _ALL})


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


def false_rows(connection: apsw.Connection, table: SummedTable) -> Iterator[tuple[Any, ...]]:
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


def _migration() -> str:
    statements = ["DROP TRIGGER audit_keeps_words;"]
    for table in SUMMED.values():
        new = ", ".join(f"new.{column}" for column in table.columns)
        which = " AND ".join(f"{column} = new.{column}" for column in table.key)
        update = f"UPDATE {table.name} SET checksum = {FUNCTION}({new}) WHERE {which};"
        columns = ", ".join(table.columns)
        statements += [
            f"ALTER TABLE {table.name} ADD COLUMN checksum INTEGER;",
            f"UPDATE {table.name} SET checksum = {FUNCTION}({columns});",
            f"CREATE TRIGGER {table.name}_sum_new AFTER INSERT ON {table.name} BEGIN {update} END;",
            f"CREATE TRIGGER {table.name}_sum_changed AFTER UPDATE OF {columns} ON {table.name} BEGIN {update} END;",
        ]
    audit = ", ".join(SUMMED["audit"].columns)
    statements.append(
        f"CREATE TRIGGER audit_keeps_words BEFORE UPDATE OF {audit} ON audit"
        " BEGIN SELECT RAISE (ABORT, 'audit is append-only'); END;"
    )
    return "\n".join(statements)


CHECKSUMS = _migration()
