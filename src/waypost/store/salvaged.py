"""What came of the repair of a damaged database."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from waypost.store.protocol import Store

FOLDER = "damaged"  # beside a database: copies of it as it was when it was damaged
WORKPLACE = ".repair"  # in there: what a repair that runs is making
LOST_WRITES_NOTE = (
    "lost-writes.json"  # beside a database: how many writes of its log could not be read, until it is repaired
)
# Tables whose rows nobody can make again; all others follow from these, from a tree, an engine or the files of a journal.
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
CHECKOUTS_LOST = "checkouts_lost"  # in `meta`: a repair could not read all checkouts that the memory knew
Index = Callable[["Store"], None]  # makes passages and keywords for all versions of a store that has none


@dataclass(frozen=True, slots=True)
class Salvaged:
    """The new database is in place, the old one is kept under another name."""

    old: Path
    rows: Mapping[str, int]  # copied, by table
    lost_rows: Mapping[str, int]  # that were seen, but could not be read, by table
    lost_pages: Mapping[str, int]  # that could not be read at all, by table
    lost_memories: tuple[str, ...]  # ids of memories of which nothing could be read
    lost_versions: tuple[str, ...]  # ids of memories of which some versions could not be read
    doubtful: tuple[str, ...]  # ids of memories that were read, but are not as they were written
