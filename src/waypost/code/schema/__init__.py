"""The database schema of a repository, from SQL, migrations and models, or from a live database."""

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
