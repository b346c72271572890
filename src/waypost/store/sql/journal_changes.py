"""Writing what is known of the journal's files."""

from collections.abc import Sequence

from waypost.model.time import to_micros
from waypost.store.journal import KnownFile, PlacedEntry
from waypost.store.sql.fact_changes import FactChanges


class JournalChanges(FactChanges):
    """The part of the writer that knows the journal."""

    def put_journal_file(self, journal: str, path: str, known: KnownFile, places: Sequence[PlacedEntry]) -> None:
        self.drop_journal_file(journal, path)
        self.extend_journal_file(journal, path, known, places)

    def extend_journal_file(
        self, journal: str, path: str, known: KnownFile | None, places: Sequence[PlacedEntry]
    ) -> None:
        if known is not None:
            self._db.change(
                "INSERT INTO journal_files VALUES (?, ?, ?, ?, ?) ON CONFLICT (journal, path)"
                " DO UPDATE SET size = excluded.size, mtime = excluded.mtime, gzipped = excluded.gzipped",
                (journal, path, known.size, known.mtime, known.gzipped),
            )
        self._db.change_many(
            "INSERT INTO journal_places (journal, path, memory_id, place, digest, since, by_hand)"
            " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (journal, path, memory_id) DO UPDATE SET place = excluded.place,"
            " digest = excluded.digest, since = excluded.since, by_hand = excluded.by_hand",
            [
                (journal, path, one.memory_id, one.place, one.digest, to_micros(one.since), one.by_hand)
                for one in places
            ],
        )

    def drop_journal_file(self, journal: str, path: str) -> None:
        for table in ("journal_files", "journal_places"):
            self._db.change(f"DELETE FROM {table} WHERE journal = ? AND path = ?", (journal, path))
