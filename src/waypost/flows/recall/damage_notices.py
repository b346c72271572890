"""Notices about damage in the database, for answers."""

from pathlib import Path

from waypost.store.protocol import Store
from waypost.store.salvaged import LOST_WRITES_NOTE
from waypost.text.plural import counted

_INDEXES = {"keywords": "the keyword index", "code_keywords": "the keyword index of code", "vectors": "the embeddings"}


def damage_notices(store: Store) -> tuple[str, ...]:
    """A notice if reads could not read something, else none."""
    tables = store.known_damage()
    if not tables:
        return ()
    lost = len(store.unreadable()) if "memories" in tables else 0
    without = [counted(lost, "memory", "memories")] if lost else []
    without += [name for table, name in _INDEXES.items() if table in tables]
    others = [table for table in tables if table not in (*_INDEXES, "memories")]
    parts = [f"this answer is without {' and '.join(without)}"] if without else []
    parts += [f"parts of {', '.join(others)} may be missing"] if others else []
    details = f": {'; '.join(parts)}" if parts else ""
    return (f"The database is damaged{details}. Run `waypost doctor --fix`.",)


def lost_write_notices(folder: Path) -> tuple[str, ...]:
    """A notice that the end of the log could not be read, until somebody has confirmed it."""
    if not (folder / LOST_WRITES_NOTE).exists():
        return ()
    return ("Writes at the end of the database's log could not be read. Run `waypost doctor`.",)
