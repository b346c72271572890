"""A connection to PostgreSQL as the shared statements use it."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

import psycopg

from waypost.store.postgres.connection import ServerConnection
from waypost.store.postgres.errors import translated, without_password
from waypost.store.sql.database import for_postgres

_AT_ONCE = 1_000  # rows in one batch
_FEW = 64  # rows: below, a plain insert is faster than COPY
_KEYS = {"memories": "number", "passages": "passage_id"}


class PostgresDatabase:
    def __init__(self, connection: ServerConnection) -> None:
        self.connection = connection

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        with self._translated_errors():
            return self.connection.execute(for_postgres(sql), parameters).fetchall()

    def lasting_rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        return self.rows(sql, parameters)

    def change(self, sql: str, parameters: Sequence[Any] = ()) -> int:
        with self._translated_errors():
            return max(self.connection.execute(for_postgres(sql), parameters).rowcount, 0)

    def change_many(self, sql: str, rows: Iterable[Sequence[Any]]) -> int:
        changed, left = 0, iter(rows)
        with self._translated_errors():
            while some := list(islice(left, _AT_ONCE)):
                changed += self.connection.many(for_postgres(sql), some) if len(some) > 1 else self.change(sql, some[0])
        return changed

    def load(self, table: str, columns: str, rows: Iterable[Sequence[Any]]) -> None:
        given = list(rows)
        # PostgreSQL refuses COPY where row-level security applies: for all but the owner of the tables.
        if len(given) <= _FEW or self.rows("SELECT row_security_active(?)", (table,))[0][0]:
            values = ", ".join("?" * (columns.count(", ") + 1))
            self.change_many(f"INSERT INTO {table} ({columns}) VALUES ({values})", given)
            return
        with (
            self._translated_errors(),
            self.connection.raw.cursor() as cursor,
            cursor.copy(f"COPY {table} ({columns}) FROM STDIN".encode()) as copy,
        ):
            for row in given:
                copy.write_row(row)

    def reserve(self, table: str, count: int) -> int:
        """Consecutive, because nobody else writes into this space."""
        if not count:
            return 0
        sequence = f"pg_get_serial_sequence('{table}', '{_KEYS[table]}')"
        last = self.rows(f"SELECT setval({sequence}, nextval({sequence}) + ? - 1)", (count,))[0][0]
        return int(last) - count + 1

    @contextmanager
    def _translated_errors(self) -> Iterator[None]:
        """Translated at the statement, not at the end: a question to several memories has to know which one failed."""
        try:
            yield
        except psycopg.Error as error:
            raise translated(error, self._place) from error

    @property
    def _place(self) -> str:
        try:
            return without_password(self.connection.raw.info.dsn)
        except psycopg.Error:  # it is closed
            return without_password("?")
