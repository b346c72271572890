"""Code: checkouts, their files, and the memories derived from them.

Derived memories are replaced in place: the files are the truth, and git has their history.
"""

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from waypost.model.memory import Version
from waypost.model.recall import View
from waypost.model.time import from_micros, to_micros
from waypost.store.code import CodeSketch, DerivedRow, FileRow
from waypost.store.memories import PassageRow
from waypost.store.sql.database import Database, TablePart
from waypost.store.sql.passages import Passages
from waypost.store.sql.references import REFERENCE_COLUMNS, add_references, reference_rows
from waypost.store.sql.rows import VERSION_COLUMNS, version_parameters, visible

_FILE_COLUMNS = "path, size, mtime, hash, language, lines, changed_at"
_DIGESTS_AT_ONCE = 500
_COLUMNS = VERSION_COLUMNS.split(", ")[1:]  # without the number
_DERIVED = (
    "SELECT m.number, m.memory_id, m.kind, coalesce(m.name, ''), coalesce(r.path, ''), m.fingerprint,"
    " coalesce(r.first, 0) FROM memories m LEFT JOIN code_refs r ON r.number = m.number AND r.place = 0"
)


class CodeRows(TablePart):
    def checkouts(self) -> dict[str, str]:
        """Ids and roots of the checkouts that have used this space."""
        return dict(self._db.rows("SELECT checkout_id, root FROM checkouts ORDER BY first_seen, checkout_id"))

    def latest_checkout(self) -> str | None:
        """The id of the checkout that was added last."""
        rows = self._db.rows("SELECT checkout_id FROM checkouts ORDER BY first_seen DESC, checkout_id DESC LIMIT 1")
        return str(rows[0][0]) if rows else None

    def files(self, checkout_id: str, paths: Iterable[str] | None = None) -> dict[str, FileRow]:
        """Indexed files of a checkout, all or these, ordered by path."""
        chosen = "" if paths is None else "AND path IN (SELECT value FROM each_text(?)) "
        rows = self._db.rows(
            f"SELECT {_FILE_COLUMNS} FROM files WHERE checkout_id = ? {chosen}ORDER BY path",
            (checkout_id,) if paths is None else (checkout_id, list(paths)),
        )
        return {
            path: FileRow(path, size, mtime, digest.hex(), language, lines, from_micros(changed_at))
            for path, size, mtime, digest, language, lines, changed_at in rows
        }

    def digest(self, checkout_id: str, path: str) -> dict[str, Any]:
        """The digest of an indexed file. Empty if it is not indexed."""
        rows = self._db.rows("SELECT digest FROM files WHERE checkout_id = ? AND path = ?", (checkout_id, path))
        return json.loads(zlib.decompress(rows[0][0])) if rows else {}

    def digests(self, checkout_id: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Path and digest of every indexed file, ordered by path.

        Some are read at a time: those of a large checkout are hundreds of megabytes.
        """
        last = ""
        while rows := self._db.rows(
            "SELECT path, digest FROM files WHERE checkout_id = ? AND path > ? ORDER BY path LIMIT ?",
            (checkout_id, last, _DIGESTS_AT_ONCE),
        ):
            for path, digest in rows:
                yield path, json.loads(zlib.decompress(digest))
            last = rows[-1][0]

    def derived(self, checkout_id: str, paths: Iterable[str], kinds: Sequence[str]) -> list[DerivedRow]:
        """The current memories of these kinds derived from these files."""
        rows = self._db.rows(
            "SELECT m.number, m.memory_id, m.kind, coalesce(m.name, ''), r.path, m.fingerprint, coalesce(r.first, 0)"
            " FROM each_text(?) asked THEN JOIN code_refs r ON r.path = asked.value AND r.place = 0"
            " THEN JOIN memories m ON m.number = r.number AND m.checkout_id = ?"
            " AND m.kind IN (SELECT value FROM each_text(?)) ORDER BY m.number",
            (list(paths), checkout_id, list(kinds)),
        )
        return [DerivedRow._make(row) for row in rows]

    def derived_of_kind(self, checkout_id: str, kind: str) -> list[DerivedRow]:
        rows = self._db.rows(
            f"{_DERIVED} WHERE m.checkout_id = ? AND m.kind = ? ORDER BY m.number", (checkout_id, kind)
        )
        return [DerivedRow._make(row) for row in rows]

    def numbers_into(self, checkout_id: str, kind: str, paths: Sequence[str]) -> list[int]:
        """Derived memories of a kind that point into one of these files."""
        rows = self._db.rows(
            "SELECT DISTINCT m.number FROM each_text(?) asked THEN JOIN code_refs r ON r.path = asked.value"
            " THEN JOIN memories m ON m.number = r.number WHERE m.checkout_id = ? AND m.kind = ? ORDER BY 1",
            (list(paths), checkout_id, kind),
        )
        return [number for (number,) in rows]

    def derived_counts(self, checkout_id: str) -> dict[tuple[str, str], int]:
        """How many derived memories there are of each kind and type."""
        rows = self._db.rows(
            "SELECT kind, coalesce(field(details, type), kind), count(*) FROM memories"
            " WHERE checkout_id = ? GROUP BY 1, 2",
            (checkout_id,),
        )
        return {(kind, sort): count for kind, sort, count in rows}

    def has_any(self, checkout_id: str | None) -> bool:
        """Whether this checkout has derived memories. None means any checkout."""
        chosen, parameters = ("IS NOT NULL", ()) if checkout_id is None else ("= ?", (checkout_id,))
        return bool(self._db.lasting_rows(f"SELECT 1 FROM memories WHERE checkout_id {chosen} LIMIT 1", parameters))

    def symbols_named(self, names: Sequence[str], limit: int, view: View) -> list[int]:
        """Symbols whose name after the last dot is one of these, in any case."""
        condition, parameters = visible(view)
        rows = self._db.rows(
            f"SELECT DISTINCT m.number FROM each_text(?) asked THEN JOIN memories m ON last_name(m.name) = asked.value"
            f" WHERE m.checkout_id IS NOT NULL AND m.kind = 'symbol' AND {condition} LIMIT ?",
            (list(names), *parameters, limit),
        )
        return [row[0] for row in rows]

    def symbol_names(self, limit: int, view: View) -> list[str]:
        """Qualified names of symbols, each once."""
        condition, parameters = visible(view)
        rows = self._db.rows(
            "SELECT DISTINCT m.name FROM memories m WHERE m.checkout_id IS NOT NULL AND m.kind = 'symbol'"
            f" AND m.name IS NOT NULL AND {condition} LIMIT ?",
            (*parameters, limit),
        )
        return [row[0] for row in rows]

    def symbols_with_id(self, symbol_id: str, view: View) -> list[int]:
        """Symbols with this SCIP id."""
        condition, parameters = visible(view)
        rows = self._db.rows(
            "SELECT m.number FROM code_refs r JOIN memories m ON m.number = r.number"
            f" WHERE last16(r.symbol) = last16(?1) AND r.symbol = ?1 AND m.kind = 'symbol' AND m.checkout_id IS NOT NULL"
            f" AND {condition}",
            (symbol_id, *parameters),
        )
        return [row[0] for row in rows]

    def files_ending(self, endings: Sequence[str], limit: int, view: View) -> list[int]:
        """Files whose path is one of these or ends with one of them."""
        condition, parameters = visible(view)
        rows = self._db.rows(
            "SELECT DISTINCT m.number FROM each_text(?) asked, memories m JOIN code_refs r"
            " ON r.number = m.number AND r.place = 0"
            # The end of the path. A shorter path never matches.
            " WHERE substr('/' || r.path, length(r.path) - length(asked.value) + 1) = '/' || asked.value"
            f" AND m.checkout_id IS NOT NULL AND m.kind = 'file' AND m.name = r.path AND {condition} LIMIT ?",
            (list(endings), *parameters, limit),
        )
        return [row[0] for row in rows]

    def files_at(self, paths: Iterable[str], view: View) -> list[int]:
        """Files with exactly these paths."""
        condition, parameters = visible(view)
        rows = self._db.rows(
            "SELECT m.number FROM each_text(?) asked THEN JOIN code_refs r ON r.path = asked.value AND r.place = 0"
            " THEN JOIN memories m ON m.number = r.number AND m.kind = 'file' AND m.name = r.path"
            f" AND m.checkout_id IS NOT NULL WHERE {condition}",
            (list(paths), *parameters),
        )
        return [row[0] for row in rows]

    def sketches(self, numbers: Iterable[int]) -> dict[int, CodeSketch]:
        rows = self._db.rows(
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
        """Paths that were reported as changed and not indexed since."""
        return [row[0] for row in self._db.rows("SELECT path FROM tracked WHERE checkout_id = ?", (checkout_id,))]


class CodeChanges(CodeRows):
    def __init__(self, database: Database, passages: Passages) -> None:
        super().__init__(database)
        self._passages = passages

    def add_checkout(self, checkout_id: str, root: str, at: datetime) -> None:
        self._db.change(
            "INSERT INTO checkouts (checkout_id, root, first_seen) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            (checkout_id, root, to_micros(at)),
        )

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
        """Update size and times of a file whose content is the same. The digest stays."""
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
        """As `MemoryChanges.add`, for many derived memories."""
        # Numbers are assigned here: asking the database for each one would take most of the time.
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
        self._passages.load([(number, row) for number, (_, rows) in numbered for row in rows], engines, urgency)

    def move_derived(self, number: int, version: Version) -> None:
        """Replace everything but the text and passages of a derived memory."""
        self._db.change(
            f"UPDATE memories SET ({', '.join(_COLUMNS)}, collection) = ({', '.join('?' * len(_COLUMNS))}, ?)"
            " WHERE number = ?",
            (*version_parameters(version, 0), number),
        )
        self._db.change("DELETE FROM code_refs WHERE number = ?", (number,))
        add_references(self._db, number, version.refs)

    def replace_derived(
        self,
        number: int,
        version: Version,
        passages: Sequence[PassageRow],
        engines: Sequence[str],
        *,
        urgency: float = 1.0,
    ) -> None:
        """Replace a derived memory with its text and passages."""
        self.move_derived(number, version)
        self._passages.replace(number, passages, engines, urgency=urgency)

    def erase_derived(self, rows: Sequence[DerivedRow]) -> None:
        """Remove derived memories and everything that belongs to them."""
        numbers = [row.number for row in rows]
        chosen = "number IN (SELECT value FROM each_number(?))"
        self._passages.drop_where(chosen, (numbers,))
        self._db.change(f"DELETE FROM memories WHERE checkout_id IS NOT NULL AND {chosen}", (numbers,))
        ids = [row.memory_id for row in rows]
        for table, column in (("states", "memory_id"), ("edges", "from_id"), ("edges", "to_id")):
            self._db.change(f"DELETE FROM {table} WHERE {column} IN (SELECT value FROM each_text(?))", (ids,))

    def set_referrers(self, checkout_id: str, referrers: Mapping[str, int]) -> None:
        """Set how many other files use something of each file; 0 for files that are not named."""
        self._db.change("UPDATE files SET referrers = 0 WHERE checkout_id = ? AND referrers > 0", (checkout_id,))
        self._db.change_many(
            "UPDATE files SET referrers = ? WHERE checkout_id = ? AND path = ?",
            [(count, checkout_id, path) for path, count in referrers.items()],
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
