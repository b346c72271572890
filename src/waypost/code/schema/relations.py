"""Turn drafts into tables, with relations on both sides of each reference."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from waypost.code.schema.draft import TableDraft
from waypost.code.schema.frameworks.models import Models
from waypost.code.schema.merge import in_tests, shared_folders, worth
from waypost.code.schema.model import Column, SchemaTable, TableRelation

# Columns that a join table may have besides its keys.
_HOUSEKEEPING = frozenset({"id", "created_at", "updated_at", "created_on", "created", "sort_value", "position"})


def finish(drafts: Sequence[TableDraft], models: Models) -> tuple[SchemaTable, ...]:
    named: dict[str, list[TableDraft]] = defaultdict(list)
    for draft in drafts:
        named[draft.name.lower()].append(draft)
    for draft in drafts:
        _resolve(draft, models, named)
    for draft in drafts:
        _imply(draft, named)
    ordered = sorted(drafts, key=lambda draft: (draft.name.lower(), draft.evidence[0].path if draft.evidence else ""))
    return tuple(_table(draft) for draft in ordered)


def _resolve(draft: TableDraft, models: Models, named: Mapping[str, list[TableDraft]]) -> None:
    """Replace classes by tables, and missing columns of references by the primary key."""
    path = draft.evidence[0].path if draft.evidence else ""
    for key, column in draft.columns.items():
        if column.references:
            table = models.table_named(column.references[0], path)
            target = _nearest(named.get(table.lower(), []), draft)
            field = column.references[1]
            if target is not None:
                table = target.name
                field = field or (target.primary_key[0] if len(target.primary_key) == 1 else "")
            draft.columns[key] = replace(column, references=(table, field))
    relations = []
    for relation in draft.relations:
        name = models.table_named(relation.target, path)
        via = models.table_named(relation.via, path)
        target_draft = _nearest(named.get(name.lower(), []), draft)
        relations.append(replace(relation, target=target_draft.name if target_draft else name, via=via))
    draft.relations = [_resolved(relation, draft, named) for relation in dict.fromkeys(relations)]


def _resolved(relation: TableRelation, draft: TableDraft, named: Mapping[str, list[TableDraft]]) -> TableRelation:
    """Resolve `relationship("X")`: the foreign keys show which side it is."""
    if not relation.kind.startswith("relates"):
        return relation
    ours = [column for column in draft.columns.values() if _points(column, relation.target)]
    target = _nearest(named.get(relation.target.lower(), []), draft)
    theirs = [column for column in target.columns.values() if _points(column, draft.name)] if target else []
    if ours and not (theirs and relation.kind == "relates_one"):
        column = next((c for c in ours if relation.name and c.name.startswith(relation.name)), ours[0])
        return replace(relation, kind="belongs_to", via=column.name)
    kind = "has_one" if relation.kind == "relates_one" else "has_many"
    return replace(relation, kind=kind, via=theirs[0].name if len(theirs) == 1 else "")


def _points(column: Column, table: str) -> bool:
    return column.references is not None and column.references[0].lower() == table.lower()


def _nearest(candidates: Sequence[TableDraft], draft: TableDraft) -> TableDraft | None:
    """The nearest of several tables of one name."""
    if len(candidates) < 2:
        return candidates[0] if candidates else None
    here = draft.evidence[0].path if draft.evidence else ""

    def nearness(other: TableDraft) -> tuple[bool, int]:
        path = other.evidence[0].path if other.evidence else ""
        return (in_tests(path) == in_tests(here), shared_folders(here, path))

    return max(candidates, key=nearness)


def _imply(draft: TableDraft, named: Mapping[str, list[TableDraft]]) -> None:
    keys = [column for column in draft.columns.values() if column.references]
    between = len(keys) == 2 and all(column.references or key in _HOUSEKEEPING for key, column in draft.columns.items())
    for column in keys:
        assert column.references
        table = column.references[0]
        if not _says(draft, table, column.name, ("belongs_to", "has_one")):
            draft.relations.append(TableRelation("belongs_to", table, column.name))
        target = _nearest(named.get(table.lower(), []), draft)
        if target is None:
            continue
        if between:
            other = next(key for key in keys if key is not column)
            assert other.references
            if not _says(target, other.references[0], draft.name, ("belongs_to_many", "has_many")):
                target.relations.append(TableRelation("belongs_to_many", other.references[0], draft.name))
        else:
            kind = "has_one" if _is_unique(draft, column) else "has_many"
            if not _says(target, draft.name, column.name, ("has_many", "has_one")):
                target.relations.append(TableRelation(kind, draft.name, column.name))


def _says(draft: TableDraft, target: str, via: str, kinds: tuple[str, ...]) -> bool:
    return any(
        relation.kind in kinds
        and relation.target.lower() == target.lower()
        and (not relation.via or relation.via.lower() == via.lower())
        for relation in draft.relations
    )


def _is_unique(draft: TableDraft, column: Column) -> bool:
    """Whether each value of this column is in at most one row."""
    return (
        column.unique
        or draft.primary_key == (column.name,)
        or any(index.unique and index.columns == (column.name,) for index in draft.indexes)
    )


def _table(draft: TableDraft) -> SchemaTable:
    key = draft.primary_key
    unique = {index.columns[0].lower() for index in draft.indexes if index.unique and len(index.columns) == 1}
    columns = []
    for name, column in draft.columns.items():
        primary = len(key) == 1 and key[0].lower() == name
        nullable = False if name in map(str.lower, key) else column.nullable
        is_unique = column.unique or name in unique
        columns.append(replace(column, primary=primary, unique=is_unique, nullable=nullable))
    return SchemaTable(
        name=draft.name,
        columns=tuple(columns),
        primary_key=key,
        indexes=tuple(draft.indexes),
        relations=tuple(draft.relations),
        evidence=tuple(sorted(draft.evidence, key=worth)),
        description=draft.comment,
        conflicts=tuple(draft.conflicts),
    )
