"""One write transaction, on the only connection that may write into this space at the moment."""

from typing import TYPE_CHECKING

from waypost.store.sql.audit import AuditChanges
from waypost.store.sql.code import CodeChanges
from waypost.store.sql.database import Database
from waypost.store.sql.domains import DomainSums
from waypost.store.sql.edges import EdgeChanges
from waypost.store.sql.facts import FactChanges
from waypost.store.sql.index_writer import SearchIndex
from waypost.store.sql.journal import JournalChanges
from waypost.store.sql.memories import MemoryChanges
from waypost.store.sql.meta import MetaChanges
from waypost.store.sql.passages import Passages
from waypost.store.sql.references import ReferenceChanges
from waypost.store.sql.shares import ShareChanges
from waypost.store.sql.tombstones import TombstoneChanges
from waypost.store.sql.vectors import VectorChanges
from waypost.store.sql.versions import VersionRows

if TYPE_CHECKING:
    from waypost.store.sql.moving import TableChanges


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
