"""The tables that move with a memory to another database, and how to read and write their rows.

Tables that a database builds for itself are not among them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    pass

Row = tuple[Any, ...]  # flags as bool, vectors packed, JSON as text
NOTES = "migration:"  # prefix of keys in `meta` that describe a move: they stay in their database
_VERSION = (
    "number, memory_id, kind, collection, text, recorded_at, superseded_at, valid_from, valid_until, source, actor, level, domain"
    ", module, key, session, position, speaker, time, checkout_id, name, language, traits, fingerprint, evidence, tags, details"
)
_STATE = (
    "memory_id, protected, is_stale, stale_reason, verified_at, archived_at, expires_at, on_expire, importance, ttl_seconds"
    ", ttl_class, refresh, accessed_at"
)
_REFERENCE = "number, place, path, symbol, first, last, hash, git_commit, made_at, verified_at, anchor, more"
_VERDICT = "number, place, checkout_id, file_hash, current, state, path, first, last, amount, since, checked_at, target_hash, more"
_FILE = "file_id, checkout_id, path, size, mtime, hash, language, lines, changed_at, referrers, digest"
_CANDIDATE = "candidate_id, made_at, confidence, origin, topic, reason, fingerprint, tombstone, draft, declined_at"
_SHARE = "role, other, name, offer_id, offer, made_at, made_by, revoked_at, revoked_by"


@dataclass(frozen=True, slots=True)
class MovedTable:
    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    flags: frozenset[str] = frozenset()  # boolean columns
    checkout: str = ""  # the column with the id of a checkout
    journal: str = ""  # the column with the id of a journal
    counts: bool = False  # whether the database numbers its rows
    is_parent: bool = False  # other rows are deleted with a row of it: rows are updated in place

    def at(self, *columns: str) -> tuple[int, ...]:
        """Positions of these columns in a row."""
        return tuple(self.columns.index(column) for column in columns)


def _table(
    name: str,
    columns: str,
    key: str,
    *,
    flags: str = "",
    checkout: str = "",
    journal: str = "",
    counts: bool = False,
    is_parent: bool = False,
) -> MovedTable:
    flagged = frozenset(flags.split(", ") if flags else ())
    return MovedTable(
        name, tuple(columns.split(", ")), tuple(key.split(", ")), flagged, checkout, journal, counts, is_parent
    )


_ALL = (  # in this order: referenced tables first
    _table("meta", "key, value", "key"),
    _table("checkouts", "checkout_id, root, first_seen", "checkout_id", checkout="checkout_id"),
    _table("engines", "engine_id, name, dimensions", "engine_id", counts=True, is_parent=True),
    _table("memories", _VERSION, "number", checkout="checkout_id", counts=True, is_parent=True),
    _table("states", _STATE, "memory_id", flags="protected, is_stale"),
    _table("code_refs", _REFERENCE, "number, place"),
    _table("verdicts", _VERDICT, "number, place, checkout_id, file_hash", flags="current", checkout="checkout_id"),
    _table("passages", "passage_id, number, hash, language", "passage_id", counts=True),
    _table("vectors", "vector_id, engine_id, hash, language, packed", "vector_id", counts=True),
    _table("owed", "engine_id, hash, urgency", "engine_id, hash"),
    _table("domains", "engine_id, domain, facts, total", "engine_id, domain"),
    _table("edges", "kind, from_id, to_id, strength, made_at, lines", "from_id, kind, to_id"),
    _table("tombstones", "digest, made_at, cause", "digest"),
    _table("audit", "number, at, action, memory_id, source, actor, details", "number", counts=True),
    _table("files", _FILE, "file_id", checkout="checkout_id", counts=True),
    _table("tracked", "checkout_id, path", "checkout_id, path", checkout="checkout_id"),
    _table("candidates", _CANDIDATE, "candidate_id"),
    _table("journal_files", "journal, path, size, mtime, gzipped", "journal, path", flags="gzipped", journal="journal"),
    _table(
        "journal_places",
        "journal, path, memory_id, place, digest, since, by_hand",
        "journal, path, memory_id",
        flags="by_hand",
        journal="journal",
    ),
    _table("shares", _SHARE, "role, other"),
)
TABLES: Mapping[str, MovedTable] = MappingProxyType({table.name: table for table in _ALL})
APPEND_ONLY = "audit"


class PassagePlace(NamedTuple):
    """A stored passage, and its position among the passages of its version."""

    number: int
    place: int
    content_hash: bytes
