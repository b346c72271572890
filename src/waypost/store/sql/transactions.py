"""One read transaction: every answer comes from the same state."""

from typing import TYPE_CHECKING

from waypost.store.sql.audit import AuditRows
from waypost.store.sql.code import CodeRows
from waypost.store.sql.database import Database
from waypost.store.sql.domains import DomainMeans
from waypost.store.sql.edges import EdgeRows
from waypost.store.sql.facts import FactRows
from waypost.store.sql.journal import JournalRows
from waypost.store.sql.memories import MemoryRows
from waypost.store.sql.meta import MetaRows
from waypost.store.sql.references import ReferenceRows
from waypost.store.sql.shares import ShareRows
from waypost.store.sql.tombstones import TombstoneRows
from waypost.store.sql.vectors import VectorRows
from waypost.store.sql.versions import VersionRows

if TYPE_CHECKING:
    from waypost.store.sql.moving import TableRows


class SqlReader:
    """All groups but search, which each database adds."""

    def __init__(self, database: Database, versions: VersionRows) -> None:
        self.database = database
        self.memories = MemoryRows(database, versions)
        self.edges = EdgeRows(database)
        self.vectors = VectorRows(database, versions)
        self.code = CodeRows(database)
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
