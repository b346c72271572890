"""Reading: everything inside one read-only transaction that sees one state."""

from collections.abc import Iterator

from waypost.store.postgres.search_rows import SearchRows


class PostgresReader(SearchRows):
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
            yield from self._wrong_totals(index)

    def _wrong_totals(self, index: str) -> Iterator[str]:
        told = self._rows(f"SELECT passages, tokens FROM {index}_totals")
        there = self._rows(f"SELECT count(*), coalesce(sum(tokens), 0)::bigint FROM {index}")
        strays = self._rows(
            f"SELECT count(*) FROM {index} k WHERE NOT EXISTS (SELECT 1 FROM passages p WHERE p.passage_id = k.passage_id)"
        )
        if told != there or strays[0][0]:
            yield "keyword index: It is damaged."

    def size_bytes(self, schema: str) -> int:
        rows = self._rows(
            "SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class"
            " WHERE relnamespace = ?::regnamespace AND relkind = 'r'",
            (schema,),
        )
        return int(rows[0][0])
