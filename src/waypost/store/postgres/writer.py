"""Writing: inside one transaction, behind the lock of the space."""

from waypost.store.postgres.search_changes import SearchChanges
from waypost.store.sql.writer import SqlWriter


class PostgresWriter(SqlWriter, SearchChanges):
    """All that is written."""
