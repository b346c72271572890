"""What Waypost needs from a database. SQLite and PostgreSQL both implement all of it.

A `Reader` sees one consistent state of the space. A `Writer` also sees its own changes: either all of them are on disk
when its block ends, or none. Writers wait for each other. Each group of methods is described in the module of its name.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from waypost.model.audit import AuditEntry
from waypost.store.audit import AuditReader, AuditWriter
from waypost.store.code import CodeReader, CodeSketch, CodeWriter, DerivedRow, FileRow
from waypost.store.edges import Edge, EdgeReader, EdgeWriter
from waypost.store.facts import FactReader, FactWriter
from waypost.store.journal import JournalReader, JournalWriter
from waypost.store.memories import Filter, MemoryReader, MemoryWriter, PassageRow, VersionSketch
from waypost.store.references import ReferenceReader, ReferenceRow, ReferenceWriter, StoredVerdict
from waypost.store.search import FoundPassage, Population, SearchReader, SearchWriter, Twin, VectorAnswer
from waypost.store.shares import ShareReader, ShareWriter
from waypost.store.tombstones import TombstoneReader, TombstoneWriter
from waypost.store.vectors import VectorReader, VectorWriter

if TYPE_CHECKING:
    from waypost.store.salvaged import Index, Salvaged
    from waypost.store.tables import TableReader, TableWriter
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
    "Twin",
    "VectorAnswer",
    "VersionSketch",
    "Writer",
]


class MetaReader(Protocol):
    def get(self, key: str) -> str | None: ...


class MetaWriter(MetaReader, Protocol):
    def set(self, key: str, value: str) -> None: ...


class Reader(Protocol):
    @property
    def memories(self) -> MemoryReader: ...
    @property
    def edges(self) -> EdgeReader: ...
    @property
    def search(self) -> SearchReader: ...
    @property
    def vectors(self) -> VectorReader: ...
    @property
    def code(self) -> CodeReader: ...
    @property
    def references(self) -> ReferenceReader: ...
    @property
    def facts(self) -> FactReader: ...
    @property
    def journal(self) -> JournalReader: ...
    @property
    def shares(self) -> ShareReader: ...
    @property
    def audit(self) -> AuditReader: ...
    @property
    def tombstones(self) -> TombstoneReader: ...
    @property
    def meta(self) -> MetaReader: ...

    def damage(self) -> list[str]:
        """Names of tables in which this transaction could not read something because the database is damaged.

        Answers leave those rows out. A writer leaves nothing out: it fails.
        """

    def tables(self) -> "TableReader":
        """All tables row by row, to move a memory to another database."""


class Writer(Reader, Protocol):
    @property
    def memories(self) -> MemoryWriter: ...
    @property
    def edges(self) -> EdgeWriter: ...
    @property
    def search(self) -> SearchWriter: ...
    @property
    def vectors(self) -> VectorWriter: ...
    @property
    def code(self) -> CodeWriter: ...
    @property
    def references(self) -> ReferenceWriter: ...
    @property
    def facts(self) -> FactWriter: ...
    @property
    def journal(self) -> JournalWriter: ...
    @property
    def shares(self) -> ShareWriter: ...
    @property
    def audit(self) -> AuditWriter: ...
    @property
    def tombstones(self) -> TombstoneWriter: ...
    @property
    def meta(self) -> MetaWriter: ...

    def tables(self) -> "TableWriter": ...


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
