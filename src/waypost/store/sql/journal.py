"""The journal: its files, and the entries they contain."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from waypost.model.memory import Version
from waypost.model.recall import View
from waypost.model.time import from_micros, to_micros
from waypost.store.journal import FileStamp, PlacedEntry
from waypost.store.sql.database import Database
from waypost.store.sql.rows import visible
from waypost.store.sql.versions import VersionRows

_PLACE = "path, memory_id, place, digest, since, by_hand"


class JournalRows:
    def __init__(self, database: Database, versions: VersionRows) -> None:
        self._db = database
        self._versions = versions

    def files(self, journal: str, *, archive: bool = True) -> dict[str, FileStamp]:
        """The files of a journal by path, with or without its archive."""
        outside = "" if archive else " AND NOT (path >= 'archive/' AND path < 'archive0')"
        rows = self._db.rows(
            f"SELECT path, size, mtime, gzipped FROM journal_files WHERE journal = ?{outside}", (journal,)
        )
        return {path: FileStamp(size, mtime, bool(gzipped)) for path, size, mtime, gzipped in rows}

    def places(self, journal: str, paths: Iterable[str]) -> list[PlacedEntry]:
        """The entries of these files, in order."""
        rows = self._db.rows(
            f"SELECT {_PLACE} FROM journal_places WHERE journal = ? AND path IN (SELECT value FROM each_text(?))"
            " ORDER BY path, place",
            (journal, list(paths)),
        )
        return [_placed(row) for row in rows]

    def places_of(self, memory_ids: Iterable[str]) -> list[tuple[str, PlacedEntry]]:
        """Journal and place of each of these memories."""
        rows = self._db.rows(
            f"SELECT journal, {_PLACE} FROM journal_places WHERE memory_id IN (SELECT value FROM each_text(?))"
            " ORDER BY journal, path, place",
            (list(memory_ids),),
        )
        return [(journal, _placed(row)) for journal, *row in rows]

    def places_like(self, journal: str, digests: Sequence[bytes]) -> list[PlacedEntry]:
        """The places with exactly this text."""
        rows = self._db.rows(
            f"SELECT {_PLACE} FROM journal_places WHERE journal = ? AND digest IN (SELECT value FROM each_blob(?))"
            " ORDER BY path, place",
            (journal, list(digests)),
        )
        return [_placed(row) for row in rows]

    def unfiled(self, limit: int) -> list[str]:
        """Ids of journal memories that are in no file of any journal, in the order they were recorded."""
        rows = self._db.rows(
            "SELECT memory_id FROM memories m WHERE collection = 'journal'"
            " AND NOT EXISTS (SELECT 1 FROM journal_places p WHERE p.memory_id = m.memory_id)"
            " GROUP BY memory_id ORDER BY min(number) LIMIT ?",
            (limit,),
        )
        return [memory_id for (memory_id,) in rows]

    def entries_between(self, start: datetime, end: datetime, view: View) -> list[Version]:
        """The visible entries from `start` until before `end`, in order."""
        condition, parameters = visible(view)
        return self._versions.select(
            f"WHERE m.collection = 'journal' AND m.valid_from >= ? AND m.valid_from < ? AND {condition}"
            " ORDER BY m.valid_from, m.number",
            (to_micros(start), to_micros(end), *parameters),
        )


class JournalChanges(JournalRows):
    def put_file(self, journal: str, path: str, file: FileStamp, places: Sequence[PlacedEntry]) -> None:
        """Replace what is stored about the file."""
        self.drop_file(journal, path)
        self.extend_file(journal, path, file, places)

    def extend_file(self, journal: str, path: str, file: FileStamp | None, places: Sequence[PlacedEntry]) -> None:
        """Add entries at the end of the file; `file` also updates its size and time."""
        if file is not None:
            self._db.change(
                "INSERT INTO journal_files VALUES (?, ?, ?, ?, ?) ON CONFLICT (journal, path)"
                " DO UPDATE SET size = excluded.size, mtime = excluded.mtime, gzipped = excluded.gzipped",
                (journal, path, file.size, file.mtime, file.gzipped),
            )
        self._db.change_many(
            "INSERT INTO journal_places (journal, path, memory_id, place, digest, since, by_hand)"
            " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (journal, path, memory_id) DO UPDATE SET place = excluded.place,"
            " digest = excluded.digest, since = excluded.since, by_hand = excluded.by_hand",
            [
                (journal, path, place.memory_id, place.place, place.digest, to_micros(place.since), place.by_hand)
                for place in places
            ],
        )

    def drop_file(self, journal: str, path: str) -> None:
        for table in ("journal_files", "journal_places"):
            self._db.change(f"DELETE FROM {table} WHERE journal = ? AND path = ?", (journal, path))


def _placed(row: Sequence[Any]) -> PlacedEntry:
    path, memory_id, place, digest, since, by_hand = row
    return PlacedEntry(path, memory_id, place, digest, from_micros(since), bool(by_hand))
