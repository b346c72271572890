"""Running a statement of the directory, whatever form of cursor the connection gives out."""

from collections.abc import Mapping, Sequence
from typing import Any

import psycopg


def run(
    connection: "psycopg.Connection[Any]", statement: str, given: Sequence[object] | Mapping[str, object] = ()
) -> "psycopg.Cursor[Any]":
    """Parameters are `%s` or `%(name)s`. Without any, there may be several statements."""
    return psycopg.Cursor(connection).execute(statement.encode(), given or None)
