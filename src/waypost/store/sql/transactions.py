"""Transactions. Every answer of a reader comes from the same state; one writer at a time may change it."""

from typing import TYPE_CHECKING

from waypost.store.sql.audit import AuditChanges, AuditRows
from waypost.store.sql.code import CodeChanges, CodeRows
from waypost.store.sql.database import Database
from waypost.store.sql.domains import DomainMeans, DomainSums
from waypost.store.sql.edges import EdgeChanges, EdgeRows, StructureRows
from waypost.store.sql.facts import FactChanges, FactRows
from waypost.store.sql.index_writer import SearchIndex
from waypost.store.sql.journal import JournalChanges, JournalRows
from waypost.store.sql.memories import MemoryChanges, MemoryRows
from waypost.store.sql.meta import MetaChanges, MetaRows
from waypost.store.sql.passages import Passages
from waypost.store.sql.references import ReferenceChanges, ReferenceRows
from waypost.store.sql.shares import ShareChanges, ShareRows
from waypost.store.sql.tombstones import TombstoneChanges, TombstoneRows
from waypost.store.sql.vectors import VectorChanges, VectorRows
from waypost.store.sql.versions import VersionRows

if TYPE_CHECKING:
    from waypost.store.sql.moving import TableChanges, TableRows


class SqlReader:
    """All groups but search, which each database adds."""

    def __init__(self, database: Database, versions: VersionRows) -> None:
        self.database = database
        self.memories = MemoryRows(database, versions)
        self.edges = EdgeRows(database)
        self.vectors = VectorRows(database, versions)
        self.code = CodeRows(database)
        self.structure = StructureRows(database)
        self.references = ReferenceRows(database)
        self.facts = FactRows(database, versions, DomainMeans(database))
        self.journal = JournalRows(database, versions)
        self.shares = ShareRows(database)
        self.audit = AuditRows(database)
        self.tombstones = TombstoneRows(database)
        self.meta = MetaRows(database)

    def damage(self) -> list[str]:
        return []

    def tables(self) -> "TableRows":
        from waypost.store.sql.moving import TableRows  # only to move a memory

        return TableRows(self.database)


class SqlWriter:
    """All groups but search, which each database adds."""

    def __init__(self, database: Database, versions: VersionRows, index: SearchIndex, *, actor: str = "?") -> None:
        """`actor` is the SQL expression for the actor of an audit entry."""
        self.database = database
        self._index = index
        sums = DomainSums(database)
        self.vectors = VectorChanges(database, versions, index, sums)
        passages = Passages(database, index, self.vectors, sums)
        self.memories = MemoryChanges(database, versions, passages, sums)
        self.edges = EdgeChanges(database)
        self.code = CodeChanges(database, passages)
        self.structure = StructureRows(database)
        self.references = ReferenceChanges(database)
        self.facts = FactChanges(database, versions, sums)
        self.journal = JournalChanges(database, versions)
        self.shares = ShareChanges(database)
        self.audit = AuditChanges(database, actor)
        self.tombstones = TombstoneChanges(database)
        self.meta = MetaChanges(database)

    def damage(self) -> list[str]:
        return []

    def tables(self) -> "TableChanges":
        from waypost.store.sql.moving import TableChanges  # only to move a memory

        return TableChanges(self.database, self._index)
