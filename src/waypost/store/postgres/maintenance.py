"""Maintains the tables of a space outside of any transaction: VACUUM and ANALYZE.

For the owner of the tables, and from PostgreSQL 17 on for everyone with MAINTAIN on them. Settings apply to the whole
connection, so nobody else may get it afterwards. A pooler would give it to others, so behind one nothing is set: no
role is assumed, and locks are retried instead of waited for.
"""

import time
from typing import Any

import psycopg

from waypost.store.postgres.connection import ServerConnection
from waypost.store.postgres.security import MAINTAIN_FROM

# Others queue behind a waiting lock: so never wait for long, but often, with a pause for the others.
_ATTEMPT_MILLISECONDS = 1000
_PAUSE = 0.1  # seconds
# They contain only numbers, and rewriting them takes minutes when they are many.
SEARCHED_TABLES = ("vectors", "keywords", "code_keywords")
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
    """For the tables of one schema, on a connection that is closed afterwards."""

    def __init__(self, connection: ServerConnection, schema: str) -> None:
        self._connection, self._schema = connection, schema

    def take_on(self, group: str) -> None:
        """Assume this role if the login may: a server has no rights of its own."""
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
        """Rewrite every table with text, without deleted rows. Indexes contain numbers: they only free the space.

        False: another process blocked it for too long.
        """
        self._take_time(min(milliseconds, _ATTEMPT_MILLISECONDS))
        return all(self._vacuum(f"{self._schema}.{table}", table, milliseconds) for table in self._tables())

    def analyze(self) -> None:
        self._take_time(0)
        for table in self._tables():
            self._connection.execute(f"ANALYZE {self._schema}.{table}")

    def _take_time(self, milliseconds: int) -> None:
        """Wait so long for a lock (0: for ever), and disable the statement timeout."""
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
        """The file of a table: another one after it was rewritten."""
        return int(self._rows("SELECT pg_relation_filenode($1)::bigint", name)[0][0])

    def _tables(self) -> list[str]:
        return [name for (name,) in self._rows(_TABLES, self._schema, _WITHOUT_WORDS)]

    def _rows(self, sql: str, *parameters: str) -> list[Any]:
        return self._connection.execute(sql, parameters).fetchall()
