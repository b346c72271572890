"""Turn the catalogue rows of any database into tables."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from waypost.code.schema.draft import TableDraft
from waypost.code.schema.frameworks.models import Models
from waypost.code.schema.model import Column, Index, SchemaEvidence, SchemaTable
from waypost.code.schema.relations import finish
from waypost.code.schema.sql.tokens import DEFAULT_SCHEMAS
from waypost.model.reference import LineRange

Rows = Sequence[tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Rows of a database catalogue. The schema is empty if the database has no schemas."""

    tables: Rows  # schema, table, comment
    columns: Rows  # schema, table, column, type, nullable, default, comment; in order
    keys: Rows  # schema, table, column; in the order of the key
    indexes: Rows  # schema, table, index, column, unique; in the order of the index
    references: Rows  # schema, table, column, target schema, target table, target column


def assemble(catalogue: Catalogue, place: str, kind: str) -> tuple[SchemaTable, ...]:
    """The tables, by name. `place` is the address shown as evidence."""
    drafts: dict[tuple[str, str], TableDraft] = {}
    for schema, table, comment in catalogue.tables:
        evidence = [SchemaEvidence(place, LineRange(1, 1), kind)]
        drafts[schema, table] = TableDraft(_name(schema, table), comment=comment or "", evidence=evidence)
    for schema, table, name, kind_of_column, nullable, default, comment in catalogue.columns:
        draft = drafts.get((schema, table))
        if draft is not None:
            value = None if default is None else str(default)[:200]
            draft.put(Column(name, kind_of_column or "", bool(nullable), value, comment=comment or ""))
    for schema, table, name in catalogue.keys:
        draft = drafts.get((schema, table))
        if draft is not None:
            draft.primary_key = (*draft.primary_key, name)
    _add_indexes(catalogue.indexes, drafts)
    for schema, table, name, target_schema, target, field in catalogue.references:
        draft = drafts.get((schema, table))
        column = draft.columns.get(name.lower()) if draft else None
        if draft is not None and column is not None:
            where = (_name(target_schema, target), field or "")
            draft.columns[name.lower()] = replace(column, references=where)
    return finish(list(drafts.values()), Models({}))


def _add_indexes(rows: Rows, drafts: dict[tuple[str, str], TableDraft]) -> None:
    indexes: dict[tuple[str, str, str], Index] = {}
    for schema, table, name, column, unique in rows:
        so_far = indexes.get((schema, table, name), Index((), bool(unique), name))
        indexes[schema, table, name] = replace(so_far, columns=(*so_far.columns, column or "(expression)"))
    for (schema, table, _), index in indexes.items():
        if (schema, table) in drafts:
            drafts[schema, table].add_index(index)


def _name(schema: str, table: str) -> str:
    return f"{schema}.{table}" if schema and schema.lower() not in DEFAULT_SCHEMAS else table
