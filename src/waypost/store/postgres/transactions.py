"""Transactions of PostgreSQL: read-only ones, and writes behind the lock of the space."""

from collections.abc import Iterator

from waypost.store.postgres.search.index_writer import PostgresIndex
from waypost.store.postgres.search.keyword_rows import is_damaged
from waypost.store.postgres.search.search import PostgresSearch, PostgresWriterSearch
from waypost.store.postgres.search.vector_samples import Samples
from waypost.store.sql.database import Database
from waypost.store.sql.transactions import SqlReader, SqlWriter
from waypost.store.sql.versions import VersionRows


class PostgresReader(SqlReader):
    def __init__(self, database: Database, samples: Samples) -> None:
        versions = VersionRows(database)
        super().__init__(database, versions)
        self.search = PostgresSearch(database, samples, versions)

    def problems(self, schema: str) -> Iterator[str]:
        """What is wrong with the tables, in sentences. The server itself checks their pages."""
        for (name,) in self.database.rows(
            "SELECT c.relname::text FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
            " WHERE c.relnamespace = ?::regnamespace AND NOT i.indisvalid ORDER BY 1",
            (schema,),
        ):
            yield f"unfinished index: {schema}.{name}"
        for index in ("keywords", "code_keywords"):
            if is_damaged(self.database, index):
                yield "keyword index: It is damaged."

    def size_bytes(self, schema: str) -> int:
        rows = self.database.rows(
            "SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class"
            " WHERE relnamespace = ?::regnamespace AND relkind = 'r'",
            (schema,),
        )
        return int(rows[0][0])


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
