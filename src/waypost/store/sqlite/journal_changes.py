"""Writing what is known of the journal's files."""

from collections.abc import Sequence

from waypost.model.time import to_micros
from waypost.store.journal_protocol import KnownFile, Placed
from waypost.store.sqlite.fact_changes import FactChanges


class JournalChanges(FactChanges):
    """The part of the writer that knows the journal."""

    def put_journal_file(self, journal: str, path: str, known: KnownFile, places: Sequence[Placed]) -> None:
        self.drop_journal_file(journal, path)
        self.extend_journal_file(journal, path, known, places)

    def extend_journal_file(self, journal: str, path: str, known: KnownFile | None, places: Sequence[Placed]) -> None:
        if known is not None:
            self._db.execute(
                "INSERT OR REPLACE INTO journal_files VALUES (?, ?, ?, ?, ?)",
                (journal, path, known.size, known.mtime, int(known.gzipped)),
            )
        self._db.executemany(
            "INSERT OR REPLACE INTO journal_places (journal, path, memory_id, place, digest, since, by_hand)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            [
                (journal, path, one.memory_id, one.place, one.digest, to_micros(one.since), int(one.by_hand))
                for one in places
            ],
        )

    def drop_journal_file(self, journal: str, path: str) -> None:
        for table in ("journal_files", "journal_places"):
            self._db.execute(f"DELETE FROM {table} WHERE journal = ? AND path = ?", (journal, path))
