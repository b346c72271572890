"""What Waypost needs from a database. SQLite and PostgreSQL both implement all of it.

A `Reader` sees one consistent state of the space. A `Writer` also sees its own changes: either all of them are on disk
when its block ends, or none. Writers wait for each other. Most groups of methods are the same for both databases and
described in `store.sql`.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from waypost.model.memory import AuditEntry
from waypost.store.code import CodeSketch, DerivedRow, FileRow
from waypost.store.edges import Edge
from waypost.store.memories import Filter, PassageRow, VersionSketch
from waypost.store.references import ReferenceRow, StoredVerdict
from waypost.store.search import FoundPassage, Population, SearchReader, SearchWriter, TermCounts, Twin, VectorAnswer

if TYPE_CHECKING:
    from waypost.store.salvaged import Index, Salvaged
    from waypost.store.sql.audit import AuditChanges, AuditRows
    from waypost.store.sql.code import CodeChanges, CodeRows
    from waypost.store.sql.edges import EdgeChanges, EdgeRows, StructureRows
    from waypost.store.sql.facts import FactChanges, FactRows
    from waypost.store.sql.journal import JournalChanges, JournalRows
    from waypost.store.sql.memories import MemoryChanges, MemoryRows
    from waypost.store.sql.meta import MetaChanges, MetaRows
    from waypost.store.sql.moving import TableChanges, TableRows
    from waypost.store.sql.references import ReferenceChanges, ReferenceRows
    from waypost.store.sql.shares import ShareChanges, ShareRows
    from waypost.store.sql.tombstones import TombstoneChanges, TombstoneRows
    from waypost.store.sql.vectors import VectorChanges, VectorRows
    from waypost.store.vectors import Vector as Vector  # noqa: PLC0414  it is re-exported

__all__ = [
    "AuditEntry",
    "CodeSketch",
    "DerivedRow",
    "Edge",
    "FileRow",
    "Filter",
    "FoundPassage",
    "PassageRow",
    "Population",
    "Reader",
    "ReferenceRow",
    "Store",
    "StoredVerdict",
    "TermCounts",
    "Twin",
    "VectorAnswer",
    "VersionSketch",
    "Writer",
]


class Reader(Protocol):
    @property
    def memories(self) -> "MemoryRows": ...
    @property
    def edges(self) -> "EdgeRows": ...
    @property
    def search(self) -> SearchReader: ...
    @property
    def vectors(self) -> "VectorRows": ...
    @property
    def code(self) -> "CodeRows": ...
    @property
    def structure(self) -> "StructureRows": ...
    @property
    def references(self) -> "ReferenceRows": ...
    @property
    def facts(self) -> "FactRows": ...
    @property
    def journal(self) -> "JournalRows": ...
    @property
    def shares(self) -> "ShareRows": ...
    @property
    def audit(self) -> "AuditRows": ...
    @property
    def tombstones(self) -> "TombstoneRows": ...
    @property
    def meta(self) -> "MetaRows": ...

    def damage(self) -> list[str]:
        """Names of tables in which this transaction could not read something because the database is damaged.

        Answers leave those rows out. A writer leaves nothing out: it fails.
        """

    def tables(self) -> "TableRows":
        """All tables row by row, to move a memory to another database."""


class Writer(Reader, Protocol):
    @property
    def memories(self) -> "MemoryChanges": ...
    @property
    def edges(self) -> "EdgeChanges": ...
    @property
    def search(self) -> SearchWriter: ...
    @property
    def vectors(self) -> "VectorChanges": ...
    @property
    def code(self) -> "CodeChanges": ...
    @property
    def references(self) -> "ReferenceChanges": ...
    @property
    def facts(self) -> "FactChanges": ...
    @property
    def journal(self) -> "JournalChanges": ...
    @property
    def shares(self) -> "ShareChanges": ...
    @property
    def audit(self) -> "AuditChanges": ...
    @property
    def tombstones(self) -> "TombstoneChanges": ...
    @property
    def meta(self) -> "MetaChanges": ...

    def tables(self) -> "TableChanges": ...


class Store(Protocol):
    def read(self) -> AbstractContextManager[Reader]: ...

    def write(self) -> AbstractContextManager[Writer]: ...

    def scrub(self, traces: Sequence[str], *, wait: bool = True, rewrite: bool = False) -> bool:
        """Remove what erased memories left in free space, logs and derived files.

        Afterwards none of the texts in `traces` remains, except in other memories. Returns False if another process was in
        the way: for too long or, without `wait`, at all. `rewrite` is for a second try, which no longer has the texts.
        """

    def compact(self) -> None:
        """Optimize derived indexes after many changes."""

    def problems(self) -> Iterator[str]:
        """What is wrong with the database, in sentences; nothing if it is sound."""

    def is_sound(self) -> bool:
        """Whether everything can be read as it was written. Reads every page."""

    def repair(self, index: "Index") -> "Salvaged | None":
        """Rebuild a damaged database from everything that can be read, and keep the damaged one.

        `index` builds passages and keywords. None: this database repairs itself by other means.
        """

    @property
    def place(self) -> str:
        """Where it is, for people: a folder, or a database without its password."""

    @property
    def may_write(self) -> bool:
        """Whether the caller may write: not every team member may. If not, reads skip what they would note."""

    def known_damage(self) -> tuple[str, ...]:
        """The tables in which reads of this store met damage that is still there. Does not check the rest."""

    def unreadable(self) -> tuple[str, ...]:
        """Ids of memories that cannot be read, or not as they were written. Reads the whole file, once."""

    @property
    def schema_version(self) -> int:
        """How many migrations the database has."""

    def size_bytes(self) -> int: ...

    def close(self) -> None: ...
