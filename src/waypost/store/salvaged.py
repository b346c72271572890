"""The result of repairing a damaged database."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from waypost.store.protocol import Store

FOLDER = "damaged"  # folder beside a database: copies of it from when it was damaged
WORKPLACE = ".repair"  # folder in there: the new database of a running repair
LOST_WRITES_NOTE = (
    "lost-writes.json"  # beside a database: how many writes of its log were unreadable, until it is repaired
)
# Tables that cannot be rebuilt. All others follow from these, from code, an engine or the files of a journal.
KEPT = (
    "meta",
    "checkouts",
    "memories",
    "states",
    "code_refs",
    "edges",
    "tombstones",
    "audit",
    "candidates",
    "shares",
)
CHECKOUTS_LOST = "checkouts_lost"  # key in `meta`: a repair could not read all checkouts
Index = Callable[["Store"], None]  # builds passages and keywords for all versions of a store without any


@dataclass(frozen=True, slots=True)
class Salvaged:
    """The new database is in place; the old one is kept under another name."""

    old: Path
    rows: Mapping[str, int]  # copied rows by table
    lost_rows: Mapping[str, int]  # unreadable rows by table
    lost_pages: Mapping[str, int]  # unreadable pages by table
    lost_memories: tuple[str, ...]  # ids of memories that could not be read at all
    lost_versions: tuple[str, ...]  # ids of memories with unreadable versions
    doubtful: tuple[str, ...]  # ids of readable memories that differ from what was written
