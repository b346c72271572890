"""What one file says about a database."""

from waypost.code.schema.model import SchemaChange
from waypost.code.schema.sql import find_sql
from waypost.code.source import Parsed, Source


def find_schema(source: Source, parsed: Parsed | None = None) -> tuple[SchemaChange, ...]:
    if source.path.endswith(".sql"):
        return find_sql(source)
    return ()
