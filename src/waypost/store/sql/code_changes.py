"""Writing what is derived from trees. It is replaced in place: the tree is the truth, and git has its history."""

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from waypost.model.memory import Version
from waypost.model.time import to_micros
from waypost.store.protocol import DerivedRow, Edge, FileRow, PassageRow
from waypost.store.sql.facts import EDGE, edge_parameters
from waypost.store.sql.reference_changes import ReferenceChanges
from waypost.store.sql.references import REFERENCE_COLUMNS, reference_rows
from waypost.store.sql.rows import VERSION_COLUMNS, version_parameters

_COLUMNS = VERSION_COLUMNS.split(", ")[1:]  # without the number


class CodeChanges(ReferenceChanges):
    """The part of the writer that knows files."""

    def put_file(self, checkout_id: str, row: FileRow, digest: Mapping[str, Any]) -> None:
        packed = zlib.compress(json.dumps(digest, ensure_ascii=False, separators=(",", ":")).encode(), 1)
        self._db.change(
            "INSERT INTO files (checkout_id, path, size, mtime, hash, language, lines, changed_at, digest)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (checkout_id, path) DO UPDATE SET size = excluded.size,"
            " mtime = excluded.mtime, hash = excluded.hash, language = excluded.language, lines = excluded.lines,"
            " changed_at = excluded.changed_at, digest = excluded.digest",
            (checkout_id, *_file_parameters(row), packed),
        )

    def touch_file(self, checkout_id: str, row: FileRow) -> None:
        _, size, mtime, *_, changed_at = _file_parameters(row)
        self._db.change(
            "UPDATE files SET size = ?, mtime = ?, changed_at = ? WHERE checkout_id = ? AND path = ?",
            (size, mtime, changed_at, checkout_id, row.path),
        )

    def drop_file(self, checkout_id: str, path: str) -> None:
        self._db.change("DELETE FROM files WHERE checkout_id = ? AND path = ?", (checkout_id, path))

    def add_derived(
        self, items: Sequence[tuple[Version, Sequence[PassageRow]]], engines: Sequence[str], *, urgency: float = 1.0
    ) -> None:
        # Numbers are given here: asking for each one takes most of the time.
        numbered = list(enumerate(items, self._db.reserve("memories", len(items))))
        self._db.load(
            "memories",
            f"number, {', '.join(_COLUMNS)}, collection",
            [(number, *version_parameters(version, 0)) for number, (version, _) in numbered],
        )
        self._db.load(
            "code_refs",
            f"number, place, {REFERENCE_COLUMNS}",
            [row for number, (version, _) in numbered for row in reference_rows(number, version.refs)],
        )
        self._load_passages([(number, row) for number, (_, rows) in numbered for row in rows], engines, urgency)

    def move_derived(self, number: int, version: Version) -> None:
        self._db.change(
            f"UPDATE memories SET ({', '.join(_COLUMNS)}, collection) = ({', '.join('?' * len(_COLUMNS))}, ?)"
            " WHERE number = ?",
            (*version_parameters(version, 0), number),
        )
        self._db.change("DELETE FROM code_refs WHERE number = ?", (number,))
        self._add_refs(number, version)

    def replace_derived(
        self,
        number: int,
        version: Version,
        passages: Sequence[PassageRow],
        engines: Sequence[str],
        *,
        urgency: float = 1.0,
    ) -> None:
        self.move_derived(number, version)
        self.replace_passages(number, passages, engines, urgency=urgency)

    def erase_derived(self, rows: Sequence[DerivedRow]) -> None:
        numbers = [row.number for row in rows]
        chosen = "number IN (SELECT value FROM each_number(?))"
        self._drop_passages(self._rows(f"SELECT passage_id, hash FROM passages WHERE {chosen}", (numbers,)))
        self._db.change(f"DELETE FROM memories WHERE checkout_id IS NOT NULL AND {chosen}", (numbers,))
        ids = [row.memory_id for row in rows]
        for table, column in (("states", "memory_id"), ("edges", "from_id"), ("edges", "to_id")):
            self._db.change(f"DELETE FROM {table} WHERE {column} IN (SELECT value FROM each_text(?))", (ids,))

    def replace_relations(self, from_ids: Sequence[str], kinds: Sequence[str], edges: Sequence[Edge]) -> None:
        self._db.change(
            "DELETE FROM edges WHERE from_id IN (SELECT value FROM each_text(?))"
            " AND kind IN (SELECT value FROM each_text(?))",
            (list(from_ids), list(kinds)),
        )
        self._db.change_many(
            f"INSERT INTO edges ({EDGE}) VALUES (?, ?, ?, ?, ?) ON CONFLICT (from_id, kind, to_id)"
            " DO UPDATE SET strength = excluded.strength, made_at = excluded.made_at",
            [edge_parameters(edge) for edge in edges],
        )

    def set_referrers(self, checkout_id: str, referrers: Mapping[str, int]) -> None:
        self._db.change("UPDATE files SET referrers = 0 WHERE checkout_id = ? AND referrers > 0", (checkout_id,))
        self._db.change_many(
            "UPDATE files SET referrers = ? WHERE checkout_id = ? AND path = ?",
            [(count, checkout_id, path) for path, count in referrers.items()],
        )

    def hurry(self, checkout_id: str, urgency: Mapping[str, float]) -> None:
        self._db.change_many(
            "UPDATE owed SET urgency = ? WHERE engine_id IN (SELECT engine_id FROM engines)"  # else all are looked through
            " AND hash IN (SELECT p.hash FROM code_refs r"
            " JOIN memories m ON m.number = r.number AND m.checkout_id = ? JOIN passages p ON p.number = m.number"
            " WHERE r.path = ?)",
            [(value, checkout_id, path) for path, value in urgency.items()],
        )

    def track(self, checkout_id: str, paths: Iterable[str]) -> None:
        self._db.change_many(
            "INSERT INTO tracked VALUES (?, ?) ON CONFLICT DO NOTHING", [(checkout_id, path) for path in paths]
        )

    def untrack(self, checkout_id: str, paths: Iterable[str]) -> None:
        self._db.change_many(
            "DELETE FROM tracked WHERE checkout_id = ? AND path = ?", [(checkout_id, path) for path in paths]
        )


def _file_parameters(row: FileRow) -> tuple[Any, ...]:
    digest = bytes.fromhex(row.hash)
    return row.path, row.size, row.mtime_ns, digest, row.language, row.lines, to_micros(row.changed_at)
