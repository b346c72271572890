"""A connection to SQLite as the shared statements use it."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

import apsw

from waypost.store.sql.database import for_sqlite


class SqliteDatabase:
    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        try:
            return self.connection.execute(for_sqlite(sql), _bound(parameters)).fetchall()
        except UnicodeDecodeError as error:
            raise apsw.CorruptError("a text is not valid UTF-8") from error

    def lasting_rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        return self.rows(sql, parameters)

    def change(self, sql: str, parameters: Sequence[Any] = ()) -> int:
        before = self.connection.total_changes()
        self.connection.execute(for_sqlite(sql), _bound(parameters))
        return int(self.connection.total_changes() - before)

    def change_many(self, sql: str, rows: Iterable[Sequence[Any]]) -> int:
        before = self.connection.total_changes()
        self.connection.executemany(for_sqlite(sql), rows)
        return int(self.connection.total_changes() - before)

    def load(self, table: str, columns: str, rows: Iterable[Sequence[Any]]) -> None:
        values = ", ".join("?" * (columns.count(", ") + 1))
        self.connection.executemany(f"INSERT INTO {table} ({columns}) VALUES ({values})", rows)

    def reserve(self, table: str, count: int) -> int:  # noqa: ARG002  they are counted when they are used
        """The next numbers are free until they are used: nobody else writes."""
        last: list[Any] = self.connection.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchall()
        return int(last[0][0]) + 1 if last else 1


def _bound(parameters: Sequence[Any]) -> Sequence[Any]:
    """Lists as JSON for `json_each`: one parameter for any number of values."""
    if not any(type(value) is list for value in parameters):
        return parameters
    return [_as_json(value) if type(value) is list else value for value in parameters]


def _as_json(values: list[Any]) -> str:
    if values and type(values[0]) is int:
        return str(values)  # a third of the encoder's time
    if values and isinstance(values[0], bytes):
        return '["' + '","'.join(value.hex() for value in values) + '"]'
    return json.dumps(values, ensure_ascii=False)
