"""Upkeep of the tables of a space, which PostgreSQL does outside of any transaction: VACUUM and ANALYZE.

For the owner of the tables, and from PostgreSQL 17 on for whoever has MAINTAIN on them. What is set for it holds for the
whole connection, so it has to be one that nobody else gets afterwards. Behind a pooler, which gives it to others all the
same, nothing is set: no role is taken on, and who is in the way is asked again and again instead of waited for.
"""

import time
from typing import Any

import psycopg

from waypost.store.postgres.connection import ServerConnection
from waypost.store.postgres.search.schema import SEARCHED_TABLES
from waypost.store.postgres.security import MAINTAIN_FROM

# Whoever comes while we wait for a lock waits behind us: so never for long, but often, with a pause for the others.
_ATTEMPT_MILLISECONDS = 1000
_PAUSE = 0.1  # seconds
_WITHOUT_WORDS = "migrations"
_TABLES = """
SELECT relname::text FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'r' AND relname <> $2 ORDER BY 1
"""
_OWNS = "SELECT pg_has_role(nspowner, 'USAGE') FROM pg_namespace WHERE nspname = $1"
_MAINTAINS = """
SELECT bool_and(has_table_privilege(oid, 'MAINTAIN')) FROM pg_class
WHERE relnamespace = $1::regnamespace AND relkind = 'r' AND relname <> $2
"""


class TableMaintenance:
    """Of the tables of one schema, on a connection that is closed afterwards."""

    def __init__(self, connection: ServerConnection, schema: str) -> None:
        self._connection, self._schema = connection, schema

    def take_on(self, group: str) -> None:
        """Be this role from here on, as far as the login may: for a server, whose own rights are none."""
        if self._connection.is_direct:
            try:
                self._connection.execute("SELECT set_config('role', $1, false)", (group,))
            except (psycopg.errors.InvalidParameterValue, psycopg.errors.InsufficientPrivilege):
                return

    def is_allowed(self) -> bool:
        owns = self._rows(_OWNS, self._schema)
        if owns and owns[0][0]:
            return True
        if not owns or self._connection.raw.info.server_version < MAINTAIN_FROM:
            return False
        return bool(self._rows(_MAINTAINS, self._schema, _WITHOUT_WORDS)[0][0])

    def vacuum(self, milliseconds: int) -> bool:
        """Write every table with words anew, without what was deleted; of the indexes, which hold numbers, only free the
        place. False: somebody was in the way for so long."""
        self._take_time(min(milliseconds, _ATTEMPT_MILLISECONDS))
        return all(self._vacuum(f"{self._schema}.{table}", table, milliseconds) for table in self._tables())

    def analyze(self) -> None:
        self._take_time(0)
        for table in self._tables():
            self._connection.execute(f"ANALYZE {self._schema}.{table}")

    def _take_time(self, milliseconds: int) -> None:
        """Wait so long for a lock (0: as long as it takes), and let no limit of the login stop what has begun."""
        if self._connection.is_direct:
            self._connection.execute(
                "SELECT set_config('lock_timeout', $1, false), set_config('statement_timeout', '0', false)",
                (f"{milliseconds}ms",),
            )

    def _vacuum(self, name: str, table: str, milliseconds: int) -> bool:
        until = time.monotonic() + milliseconds / 1000
        while True:
            if table in SEARCHED_TABLES:
                done = self._attempt(f"VACUUM (ANALYZE) {name}")
            elif self._connection.is_direct:
                done = self._attempt(f"VACUUM (FULL, ANALYZE) {name}")
            else:
                before = self._file(name)
                done = self._attempt(f"VACUUM (FULL, ANALYZE, SKIP_LOCKED) {name}") and self._file(name) != before
            if done or time.monotonic() > until:
                return done
            time.sleep(_PAUSE)

    def _attempt(self, sql: str) -> bool:
        try:
            self._connection.execute(sql)
        except psycopg.errors.LockNotAvailable:
            return False
        return True

    def _file(self, name: str) -> int:
        """A table that was written anew is in another."""
        return int(self._rows("SELECT pg_relation_filenode($1)::bigint", name)[0][0])

    def _tables(self) -> list[str]:
        return [name for (name,) in self._rows(_TABLES, self._schema, _WITHOUT_WORDS)]

    def _rows(self, sql: str, *parameters: str) -> list[Any]:
        return self._connection.execute(sql, parameters).fetchall()
