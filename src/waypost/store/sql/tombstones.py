"""Tombstones of what was rejected or forgotten."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from waypost.model.time import to_micros
from waypost.store.sql.database import TablePart


class TombstoneRows(TablePart):
    def any(self) -> bool:
        """Whether anything was ever rejected or forgotten here."""
        return bool(self._db.rows("SELECT 1 FROM tombstones LIMIT 1"))

    def matching(self, digests: Sequence[bytes]) -> set[bytes]:
        """Which of these digests have a tombstone."""
        rows = self._db.rows(
            "SELECT digest FROM tombstones WHERE digest IN (SELECT value FROM each_blob(?))", (list(digests),)
        )
        return {digest for (digest,) in rows}


class TombstoneChanges(TombstoneRows):
    def add(self, digest: bytes, at: datetime, cause: str = "") -> None:
        """All tombstones of one rejection have the same `cause`, which contains none of the text."""
        self._db.change(
            "INSERT INTO tombstones (digest, made_at, cause) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            (digest, to_micros(at), cause),
        )

    def remove(self, digests: Iterable[bytes]) -> int:
        """Remove these tombstones and all others of the same rejections. Returns how many there were."""
        return self._db.change(
            "DELETE FROM tombstones WHERE digest IN (SELECT value FROM each_blob(?1)) OR cause IN (SELECT cause FROM"
            " tombstones WHERE cause <> '' AND digest IN (SELECT value FROM each_blob(?1)))",
            (list(digests),),
        )
