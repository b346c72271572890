"""Runs statements of the directory with any cursor factory."""

from collections.abc import Mapping, Sequence
from typing import Any

import psycopg

_LOCK = (0x57_41_59_50, 1)  # "WAYP"


def run(
    connection: "psycopg.Connection[Any]", statement: str, given: Sequence[object] | Mapping[str, object] = ()
) -> "psycopg.Cursor[Any]":
    """Parameters are `%s` or `%(name)s`. Without any, there may be several statements."""
    return psycopg.Cursor(connection).execute(statement.encode(), given or None)


def is_true(connection: "psycopg.Connection[Any]", statement: str, given: Sequence[object] = ()) -> bool:
    """Whether the first column of the first row is true. False without a row."""
    row = run(connection, statement, given).fetchone()
    return bool(row and row[0])


def lock_directory(connection: "psycopg.Connection[Any]") -> None:
    """Lock the directory's tables and roles until the end of the transaction."""
    run(connection, "SELECT pg_advisory_xact_lock(%s, %s)", _LOCK)
