"""The tables of one space, in a schema of its own, and their migrations.

A migration is a name and its statements. Migrations run in order, in one process at a time. Each runs in one
transaction with its record. A released migration is never edited.

Texts are compared by their bytes (`COLLATE "C"`) and times are whole microseconds, as in SQLite: the same order, the
same answers.
"""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from waypost.errors import ConfigError, SchemaTooNew
from waypost.model.time import to_micros
from waypost.store.postgres.connection import ServerConnection, ServerPool
from waypost.store.sql.migrations import Migrations

OLDEST_SERVER = 150_000  # 15
OLDEST_PGVECTOR = (0, 8)

MIGRATIONS: Mapping[str, str] = Migrations(
    Path(__file__).with_name("migrations"),
    "0001_ground",
    "0002_declined_candidates",
    "0003_tombstone_causes",
    "0004_edge_lines",
    "0005_edge_kinds",
)


def check_server(connections: ServerPool) -> None:
    """Raise ConfigError for a server that lacks what Waypost needs."""
    with connections.alone() as connection:
        version = int(connection.raw.info.server_version)
        rows = connection.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchall()
        if version < OLDEST_SERVER:
            raise ConfigError(f"{connections.shown} is PostgreSQL {version // 10_000}.", "Use version 15 or later.")
        if not rows:
            _make_extension(connection, connections.shown)
            rows = connection.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchall()
    installed = rows[0][0]
    if tuple(int(part) for part in installed.split(".")[:2]) < OLDEST_PGVECTOR:
        raise ConfigError(
            f"{connections.shown} has pgvector {installed}.",
            "Install 0.8 or later, then: ALTER EXTENSION vector UPDATE.",
        )


def _make_extension(connection: ServerConnection, place: str) -> None:
    import psycopg

    try:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except psycopg.Error as error:
        raise ConfigError(
            f"{place} has no pgvector.",
            "Install it on the server, then run as its administrator: CREATE EXTENSION vector.",
        ) from error


def missing(connection: ServerConnection, schema: str, place: str) -> list[str]:
    """Migrations that the space lacks, in order. Raises SchemaTooNew if it has one that this version does not know."""
    there: list[Any] = connection.execute("SELECT to_regclass($1) IS NOT NULL", (f"{schema}.migrations",)).fetchall()
    if not there[0][0]:
        return list(MIGRATIONS)
    applied = [name for (name,) in connection.execute(f"SELECT name FROM {schema}.migrations ORDER BY name").fetchall()]
    later = [name for name in applied if name not in MIGRATIONS]
    if later:
        raise SchemaTooNew(
            f"This memory in {place} was written by a later version of Waypost (it has {later[0]}).",
            "Upgrade Waypost; this version leaves the database untouched.",
        )
    return [name for name in MIGRATIONS if name not in applied]


def migrate(connection: ServerConnection, schema: str, place: str, now: datetime) -> bool:
    """Bring the schema of a space to this version, in a transaction without other writers. Returns whether it was new."""
    wanted = missing(connection, schema, place)
    made = wanted == list(MIGRATIONS)
    if made:
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
        connection.execute(f"CREATE TABLE {schema}.migrations (name text PRIMARY KEY, applied_at bigint NOT NULL)")
    for name in wanted:
        connection.begin(MIGRATIONS[name])
        connection.execute(f"INSERT INTO {schema}.migrations VALUES ($1, $2)", (name, to_micros(now)))
    return made
