"""The database of a repository, read from its files: SQL, migrations, models; and from a live one."""

from waypost.code.schema.build import build_schema
from waypost.code.schema.find import find_schema
from waypost.code.schema.model import Column, Index, SchemaChange, SchemaEvidence, SchemaTable, TableRelation

__all__ = [
    "Column",
    "Index",
    "SchemaChange",
    "SchemaEvidence",
    "SchemaTable",
    "TableRelation",
    "build_schema",
    "find_schema",
]
