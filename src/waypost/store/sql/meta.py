"""The table `meta`: values by key."""

from waypost.store.sql.database import Database


class MetaRows:
    def __init__(self, database: Database) -> None:
        self._db = database

    def get(self, key: str) -> str | None:
        rows = self._db.rows("SELECT value FROM meta WHERE key = ?", (key,))
        return str(rows[0][0]) if rows else None


class MetaChanges(MetaRows):
    def set(self, key: str, value: str) -> None:
        self._db.change(
            "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (key, value),
        )

    def drop(self, key: str) -> None:
        self._db.change("DELETE FROM meta WHERE key = ?", (key,))
