"""One write transaction, behind the lock of the space."""

from waypost.store.postgres.search.index_writer import PostgresIndex
from waypost.store.postgres.search.search import PostgresWriterSearch
from waypost.store.postgres.search.vector_samples import Samples
from waypost.store.sql.database import Database
from waypost.store.sql.versions import VersionRows
from waypost.store.sql.writer import SqlWriter

# The database knows the team member, the entry names what they used: `ann/command line`. A server has named both already.
_ACTOR = (
    "(SELECT CASE WHEN who IS NULL OR said = who OR starts_with(said, who || '/') THEN said ELSE who || '/' || said END"
    " FROM (SELECT waypost.acting_user() AS who, CAST(? AS text) AS said) told)"
)


class PostgresWriter(SqlWriter):
    def __init__(self, database: Database, samples: Samples) -> None:
        self.search = PostgresWriterSearch(database, samples)
        self.index = PostgresIndex(database, self.search)
        super().__init__(database, VersionRows(database), self.index, actor=_ACTOR)
