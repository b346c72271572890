"""The shared schema `waypost`: spaces, their members and rights; and its migrations.

A migration is a name and its statements. Missing ones run in order, in one transaction with their records, in one
process at a time. A released migration is never edited.
"""

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waypost.errors import ForeignFile, SchemaTooNew, StoreError
from waypost.store.postgres.directory.execute import is_true, lock_directory, run
from waypost.store.sql.migrations import Migrations

if TYPE_CHECKING:
    from psycopg import Connection

USER_PATTERN = "^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$"
TOKEN_PATTERN = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"  # noqa: S105  the form of a name

_SET_UP = "Let an administrator of the database run `waypost team init`."

MIGRATIONS: Mapping[str, str] = Migrations(
    Path(__file__).with_name("migrations"), "0001_ground", "0002_functions", "0003_policies", "0004_shares"
)


def migrate_directory(connection: "Connection[Any]", now: datetime) -> bool:
    """Bring the shared schema to this version, and return whether it changed. Several processes may start at once.

    Raises SchemaTooNew after a later version, and StoreError if an administrator has to do it.
    """
    if not missing_migrations(connection):
        return False
    with connection.transaction():
        lock_directory(connection)
        missing = missing_migrations(connection)  # again, under the lock
        if missing and not _is_ours_to_change(connection):
            raise StoreError(
                f"The directory of this database lacks {missing[0]}, and this role may not change it.",
                _SET_UP,
            )
        if missing == list(MIGRATIONS):
            _make_ground(connection)
        for name in missing:
            run(connection, MIGRATIONS[name])
            run(connection, "INSERT INTO waypost.migrations VALUES (%s, %s)", (name, now))
        # PostgreSQL lets everybody call a new function; `roles` grants the rights.
        run(connection, "REVOKE ALL ON ALL FUNCTIONS IN SCHEMA waypost FROM PUBLIC")
    return bool(missing)


def check_directory(connection: "Connection[Any]") -> None:
    """Raises StoreError if the shared schema is outdated, and names who has to do what."""
    if missing_migrations(connection):
        raise StoreError("The directory of this database is not set up, or older than this Waypost.", _SET_UP)


def missing_migrations(connection: "Connection[Any]") -> list[str]:
    """Migrations that the database lacks, in order. Raises SchemaTooNew if it has one that this version does not know."""
    with connection.transaction():
        there = run(
            connection,
            "SELECT c.oid IS NOT NULL FROM pg_namespace n"
            " LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = 'migrations' WHERE n.nspname = 'waypost'",
        ).fetchone()
        if there is None:
            return list(MIGRATIONS)
        if not there[0]:
            raise ForeignFile(
                "The database has a schema `waypost` that is not ours.", "Rename it, or give Waypost another database."
            )
        rows = run(connection, "SELECT name FROM waypost.migrations ORDER BY name").fetchall()
    applied = [name for (name,) in rows]
    if later := [name for name in applied if name not in MIGRATIONS]:
        raise SchemaTooNew(
            f"The database was written by a later version of Waypost (its directory has {later[0]}).",
            "Upgrade Waypost; this version leaves the database untouched.",
        )
    return [name for name in MIGRATIONS if name not in applied]


def _is_ours_to_change(connection: "Connection[Any]") -> bool:
    return is_true(
        connection,
        "SELECT coalesce((SELECT pg_has_role(nspowner, 'USAGE') FROM pg_namespace WHERE nspname = 'waypost'),"
        " has_database_privilege(current_database(), 'CREATE'))",
    )


def _make_ground(connection: "Connection[Any]") -> None:
    run(
        connection,
        "CREATE SCHEMA waypost;CREATE TABLE waypost.migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL)",
    )
