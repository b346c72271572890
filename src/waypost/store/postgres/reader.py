"""Reading: everything inside one read-only transaction that sees one state."""

from collections.abc import Iterator

from waypost.store.postgres.search.keyword_rows import is_damaged
from waypost.store.postgres.search.search import PostgresSearchRows


class PostgresReader(PostgresSearchRows):
    """All that is read."""

    def problems(self, schema: str) -> Iterator[str]:
        """What is wrong with the tables, in sentences. Their pages are the server's own affair."""
        for (name,) in self._rows(
            "SELECT c.relname::text FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
            " WHERE c.relnamespace = ?::regnamespace AND NOT i.indisvalid ORDER BY 1",
            (schema,),
        ):
            yield f"unfinished index: {schema}.{name}"
        for index in ("keywords", "code_keywords"):
            if is_damaged(self._db, index):
                yield "keyword index: It is damaged."

    def size_bytes(self, schema: str) -> int:
        rows = self._rows(
            "SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class"
            " WHERE relnamespace = ?::regnamespace AND relkind = 'r'",
            (schema,),
        )
        return int(rows[0][0])
