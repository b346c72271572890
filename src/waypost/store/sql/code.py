"""Reading what is derived from trees: files, their memories, and what ranking needs of these."""

import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from waypost.model.recall import View
from waypost.model.time import from_micros
from waypost.store.protocol import CodeSketch, DerivedRow, FileRow
from waypost.store.sql.database import Database
from waypost.store.sql.rows import visible

_FILE_COLUMNS = "path, size, mtime, hash, language, lines, changed_at"
_DIGESTS = 500  # read at once
_DERIVED = (
    "SELECT m.number, m.memory_id, m.kind, coalesce(m.name, ''), coalesce(r.path, ''), m.fingerprint FROM memories m"
    " LEFT JOIN code_refs r ON r.number = m.number AND r.place = 0"
)


class CodeRows:
    """The part of the reader that knows files."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def _rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        return self._db.rows(sql, parameters)

    def files(self, checkout_id: str, paths: Iterable[str] | None = None) -> dict[str, FileRow]:
        chosen = "" if paths is None else "AND path IN (SELECT value FROM each_text(?)) "
        rows = self._rows(
            f"SELECT {_FILE_COLUMNS} FROM files WHERE checkout_id = ? {chosen}ORDER BY path",
            (checkout_id,) if paths is None else (checkout_id, list(paths)),
        )
        return {
            path: FileRow(path, size, mtime, digest.hex(), language, lines, from_micros(changed_at))
            for path, size, mtime, digest, language, lines, changed_at in rows
        }

    def digests(self, checkout_id: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Some at a time: all of a large tree are hundreds of megabytes."""
        last = ""
        while rows := self._rows(
            "SELECT path, digest FROM files WHERE checkout_id = ? AND path > ? ORDER BY path LIMIT ?",
            (checkout_id, last, _DIGESTS),
        ):
            for path, digest in rows:
                yield path, json.loads(zlib.decompress(digest))
            last = rows[-1][0]

    def derived(self, checkout_id: str, paths: Iterable[str], kinds: Sequence[str]) -> list[DerivedRow]:
        rows = self._rows(
            "SELECT m.number, m.memory_id, m.kind, coalesce(m.name, ''), r.path, m.fingerprint FROM each_text(?) asked"
            " THEN JOIN code_refs r ON r.path = asked.value AND r.place = 0"
            " THEN JOIN memories m ON m.number = r.number AND m.checkout_id = ?"
            " AND m.kind IN (SELECT value FROM each_text(?)) ORDER BY m.number",
            (list(paths), checkout_id, list(kinds)),
        )
        return [DerivedRow._make(row) for row in rows]

    def derived_of_kind(self, checkout_id: str, kind: str) -> list[DerivedRow]:
        rows = self._rows(f"{_DERIVED} WHERE m.checkout_id = ? AND m.kind = ? ORDER BY m.number", (checkout_id, kind))
        return [DerivedRow._make(row) for row in rows]

    def derived_counts(self, checkout_id: str) -> dict[tuple[str, str], int]:
        rows = self._rows(
            "SELECT kind, coalesce(field(details, type), kind), count(*) FROM memories"
            " WHERE checkout_id = ? GROUP BY 1, 2",
            (checkout_id,),
        )
        return {(kind, sort): count for kind, sort, count in rows}

    def has_code(self, checkout_id: str | None) -> bool:
        chosen, parameters = ("IS NOT NULL", ()) if checkout_id is None else ("= ?", (checkout_id,))
        return bool(self._rows(f"SELECT 1 FROM memories WHERE checkout_id {chosen} LIMIT 1", parameters))

    def code_named(self, names: Sequence[str], limit: int, view: View) -> list[int]:
        condition, parameters = visible(view)
        rows = self._rows(
            f"SELECT DISTINCT m.number FROM each_text(?) asked THEN JOIN memories m ON last_name(m.name) = asked.value"
            f" WHERE m.checkout_id IS NOT NULL AND m.kind = 'symbol' AND {condition} LIMIT ?",
            (list(names), *parameters, limit),
        )
        return [row[0] for row in rows]

    def code_with_id(self, symbol_id: str, view: View) -> list[int]:
        condition, parameters = visible(view)
        rows = self._rows(
            "SELECT m.number FROM code_refs r JOIN memories m ON m.number = r.number"
            f" WHERE last16(r.symbol) = last16(?1) AND r.symbol = ?1 AND m.kind = 'symbol' AND m.checkout_id IS NOT NULL"
            f" AND {condition}",
            (symbol_id, *parameters),
        )
        return [row[0] for row in rows]

    def code_in_files(self, endings: Sequence[str], limit: int, view: View) -> list[int]:
        condition, parameters = visible(view)
        rows = self._rows(
            "SELECT DISTINCT m.number FROM each_text(?) asked, memories m JOIN code_refs r"
            " ON r.number = m.number AND r.place = 0"
            # The end of the path; where the path is shorter there is nothing that could be equal.
            " WHERE substr('/' || r.path, length(r.path) - length(asked.value) + 1) = '/' || asked.value"
            f" AND m.checkout_id IS NOT NULL AND m.kind = 'file' AND m.name = r.path AND {condition} LIMIT ?",
            (list(endings), *parameters, limit),
        )
        return [row[0] for row in rows]

    def code_files(self, paths: Iterable[str], view: View) -> list[int]:
        condition, parameters = visible(view)
        rows = self._rows(
            "SELECT m.number FROM each_text(?) asked THEN JOIN code_refs r ON r.path = asked.value AND r.place = 0"
            " THEN JOIN memories m ON m.number = r.number AND m.kind = 'file' AND m.name = r.path"
            f" AND m.checkout_id IS NOT NULL WHERE {condition}",
            (list(paths), *parameters),
        )
        return [row[0] for row in rows]

    def code_sketches(self, numbers: Iterable[int]) -> dict[int, CodeSketch]:
        rows = self._rows(
            "SELECT m.number, m.memory_id, m.kind, coalesce(field(m.details, type), m.kind),"
            " coalesce(m.name, ''), coalesce(r.path, ''), coalesce(r.first, 0),"
            " coalesce(r.last, 0), m.language, m.traits, coalesce(f.referrers, 0)"
            " FROM memories m LEFT JOIN code_refs r ON r.number = m.number AND r.place = 0"
            " LEFT JOIN files f ON f.checkout_id = m.checkout_id AND f.path = r.path"
            " WHERE m.number IN (SELECT value FROM each_number(?))",
            (list(numbers),),
        )
        return {row[0]: CodeSketch._make(row) for row in rows}

    def tracked(self, checkout_id: str) -> list[str]:
        return [row[0] for row in self._rows("SELECT path FROM tracked WHERE checkout_id = ?", (checkout_id,))]
