"""Build the tables of models."""

from collections.abc import Collection, Iterator
from dataclasses import replace

from waypost.code.schema.draft import TableDraft, fill
from waypost.code.schema.frameworks.models import ModelClass, Models
from waypost.code.schema.joins import join_tables
from waypost.code.schema.model import Column, SchemaChange, TableRelation


def model_tables(models: Models, table_names: Collection[str]) -> Iterator[TableDraft]:
    """Yield the tables of all models except Django's, which `django_state` builds."""
    models.table_names = table_names
    drafts = list(_model_drafts(models))
    yield from drafts
    yield from join_tables(drafts, table_names)


def _model_drafts(models: Models) -> Iterator[TableDraft]:
    for entry in sorted(models.entries(), key=lambda entry: (entry.path, entry.change.lines)):
        change = entry.change
        if "Django" in change.kind or {"abstract", "mixin"} & set(change.flags) or not models.is_model(entry):
            continue
        draft = TableDraft(models.table(entry), scope=change.scope, partial="partial" in change.flags)
        ancestors = models.ancestors(entry)
        if change.kind == "Entity Framework model" and "set" not in change.flags and change.model in models.set_names:
            continue  # its DbSet defines it
        for part in (*reversed(ancestors), entry):
            is_own = part == entry or {"abstract", "mixin"} & set(part.change.flags)
            if is_own or {"one_table", "set"} & set(change.flags):
                fill(draft, with_tables(part, models))
        draft.comment = change.comment
        draft.add_evidence(entry.path, change)
        if "set" in change.flags:
            for base in models.bases(entry)[:1]:
                draft.add_evidence(base.path, base.change)
        yield draft


def with_tables(entry: ModelClass, models: Models) -> SchemaChange:
    """The change with classes replaced by tables in references and relations."""
    change, path = entry.change, entry.path

    def table(reference: str) -> str:
        return models.table_named(reference, path, change.kind)

    def column(own: Column) -> Column:
        return replace(own, references=(table(own.references[0]), own.references[1])) if own.references else own

    def relation(own: TableRelation) -> TableRelation:
        return replace(own, target=table(own.target), via=table(own.via) if own.via.startswith("@") else own.via)

    columns, relations = _split_values(change, path, models)
    return replace(change, columns=tuple(map(column, columns)), relations=tuple(map(relation, relations)))


def _split_values(
    change: SchemaChange, path: str, models: Models
) -> tuple[tuple[Column, ...], tuple[TableRelation, ...]]:
    """Columns and relations, after deciding which types are models and which plain values."""
    columns, relations = change.columns, change.relations

    def is_model(reference: str) -> bool:
        bare = reference.removesuffix("[]")
        return bare[1:] in models.set_names or models.find(bare, path, change.kind) is not None

    if change.kind == "Prisma schema":
        values = {c.type.removesuffix("[]") for c in columns if c.type[:1] == "@" and not is_model(c.type)}
        relations = tuple(r for r in relations if r.target not in values)
        columns = tuple(
            replace(c, type=f"enum {c.type[1:]}") if c.type[:1] == "@" else c
            for c in columns
            if c.type[:1] != "@" or c.type.removesuffix("[]") in values
        )
    elif change.kind == "Entity Framework model":
        columns += tuple(
            Column(r.name, r.target[1:]) for r in relations if r.kind == "belongs_to" and not is_model(r.target)
        )
        relations = tuple(r for r in relations if r.target[1:] in models.set_names)
    return columns, relations
