"""Writing: inside one transaction, behind the lock of the space."""

from waypost.store.postgres.search.index import SearchChanges
from waypost.store.sql.writer import SqlWriter


class PostgresWriter(SqlWriter, SearchChanges):
    """All that is written."""

    # Who of the team it was is known by the database; what they used is said by us: `ann/command line`. A server has named
    # both already.
    _ACTOR = (
        "(SELECT CASE WHEN who IS NULL OR said = who OR starts_with(said, who || '/') THEN said ELSE who || '/' || said END"
        " FROM (SELECT waypost.acting_user() AS who, CAST(? AS text) AS said) told)"
    )
