"""Reading what is known of the journal's files."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from waypost.model.memory import Version
from waypost.model.recall import View
from waypost.model.time import from_micros, to_micros
from waypost.store.journal import KnownFile, PlacedEntry
from waypost.store.sql.facts import FactRows
from waypost.store.sql.rows import visible

_PLACE = "path, memory_id, place, digest, since, by_hand"


def _placed(row: Sequence[Any]) -> PlacedEntry:
    path, memory_id, place, digest, since, by_hand = row
    return PlacedEntry(path, memory_id, place, digest, from_micros(since), bool(by_hand))


class JournalRows(FactRows):
    """The part of the reader that knows the journal."""

    def journal_files(self, journal: str, *, archive: bool = True) -> dict[str, KnownFile]:
        outside = "" if archive else " AND NOT (path >= 'archive/' AND path < 'archive0')"
        rows = self._rows(
            f"SELECT path, size, mtime, gzipped FROM journal_files WHERE journal = ?{outside}", (journal,)
        )
        return {path: KnownFile(size, mtime, bool(gzipped)) for path, size, mtime, gzipped in rows}

    def journal_places(self, journal: str, paths: Iterable[str]) -> list[PlacedEntry]:
        rows = self._rows(
            f"SELECT {_PLACE} FROM journal_places WHERE journal = ? AND path IN (SELECT value FROM each_text(?))"
            " ORDER BY path, place",
            (journal, list(paths)),
        )
        return [_placed(row) for row in rows]

    def places_of(self, memory_ids: Iterable[str]) -> list[tuple[str, PlacedEntry]]:
        rows = self._rows(
            f"SELECT journal, {_PLACE} FROM journal_places WHERE memory_id IN (SELECT value FROM each_text(?))"
            " ORDER BY journal, path, place",
            (list(memory_ids),),
        )
        return [(journal, _placed(row)) for journal, *row in rows]

    def places_like(self, journal: str, digests: Sequence[bytes]) -> list[PlacedEntry]:
        rows = self._rows(
            f"SELECT {_PLACE} FROM journal_places WHERE journal = ? AND digest IN (SELECT value FROM each_blob(?))"
            " ORDER BY path, place",
            (journal, list(digests)),
        )
        return [_placed(row) for row in rows]

    def unfiled(self, limit: int) -> list[str]:
        rows = self._rows(
            "SELECT memory_id FROM memories m WHERE collection = 'journal'"
            " AND NOT EXISTS (SELECT 1 FROM journal_places p WHERE p.memory_id = m.memory_id)"
            " GROUP BY memory_id ORDER BY min(number) LIMIT ?",
            (limit,),
        )
        return [memory_id for (memory_id,) in rows]

    def said_between(self, start: datetime, end: datetime, view: View) -> list[Version]:
        condition, parameters = visible(view)
        return self._versions(
            f"WHERE m.collection = 'journal' AND m.valid_from >= ? AND m.valid_from < ? AND {condition}"
            " ORDER BY m.valid_from, m.number",
            (to_micros(start), to_micros(end), *parameters),
        )
