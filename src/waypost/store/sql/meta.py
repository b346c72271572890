"""The table `meta`: values by key, and the notes of a move in it.

The notes prevent using a memory that was moved away, or has not arrived completely.
"""

import json
from typing import Any

from waypost.errors import StoreError
from waypost.store.sql.database import TablePart

MOVED, UNFINISHED = "migration:moved", "migration:unfinished"
SELECT_NOTES = f"SELECT key, value FROM meta WHERE key IN ('{MOVED}', '{UNFINISHED}')"


class MetaRows(TablePart):
    def get(self, key: str) -> str | None:
        rows = self._db.lasting_rows("SELECT value FROM meta WHERE key = ?", (key,))
        return str(rows[0][0]) if rows else None


class MetaChanges(MetaRows):
    def set(self, key: str, value: str) -> None:
        self._db.change(
            "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (key, value),
        )

    def drop(self, key: str) -> None:
        self._db.change("DELETE FROM meta WHERE key = ?", (key,))


def refuse_moved(notes: list[Any]) -> None:
    """Raise StoreError if one of these rows of `meta` says that this memory must not be used here."""
    values = {key: json.loads(value) for key, value in notes}
    if MOVED in values:
        note = values[MOVED]
        raise StoreError(
            f"This memory was moved to {note['to']} on {note['at'][:10]}; this copy is from then.",
            f"Use it there: {note['remedy']}",
        )
    if UNFINISHED in values:
        raise StoreError(
            f"This memory is being moved here from {values[UNFINISHED]['from']}, and is not complete yet.",
            "Use it there until then. If the move was stopped, repeat `waypost migrate`: it continues.",
        )
