"""Notes of a move in the table `meta`: they prevent using a memory that was moved away, or has not arrived completely."""

import json
from typing import Any

from waypost.errors import StoreError

MOVED, UNFINISHED = "migration:moved", "migration:unfinished"
SELECT_NOTES = f"SELECT key, value FROM meta WHERE key IN ('{MOVED}', '{UNFINISHED}')"


def refuse_moved(notes: list[Any]) -> None:
    """Raise StoreError if one of these rows of `meta` says that this memory must not be used here."""
    values = {key: json.loads(value) for key, value in notes}
    if MOVED in values:
        note = values[MOVED]
        raise StoreError(
            f"This memory was moved to {note['to']} on {note['at'][:10]}; what is here is how it was then.",
            f"Use it there: {note['remedy']}",
        )
    if UNFINISHED in values:
        raise StoreError(
            f"This memory is just being moved here from {values[UNFINISHED]['from']}, and has not arrived whole.",
            "Until then it is used where it was. If the move was stopped, repeat `waypost migrate`: it goes on from there.",
        )
