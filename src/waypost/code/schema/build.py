"""The tables of a repository, put together from what its files say."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from waypost.code.schema.draft import DatabaseDraft, TableDraft, alter
from waypost.code.schema.frameworks.django_state import django_tables
from waypost.code.schema.frameworks.model_tables import model_tables
from waypost.code.schema.frameworks.models import MAX_SAME, Models
from waypost.code.schema.merge import in_tests, merge_model, merge_stored, similar, worth
from waypost.code.schema.model import SchemaChange, SchemaTable
from waypost.code.schema.order import by_database, in_order
from waypost.code.schema.relations import finish

Changes = Mapping[str, Sequence[SchemaChange]]
Named = dict[str, list[TableDraft]]  # by name in lower case; several where databases share a name
Homeless = list[tuple[str, SchemaChange]]  # changes of tables that were not made where they are changed


def build_schema(changes: Changes) -> tuple[SchemaTable, ...]:
    """Every table that the files tell of, by name; each with its witnesses.

    Migrations are applied in their order; a dump stands above the migrations beside it, a model above both. Tables of
    one name that have little in common stay apart: they are of different databases.
    """
    models = Models(changes)
    tables: Named = {}
    homeless = _stored(changes, tables, models)
    for draft in django_tables(changes, models):
        _join(tables, draft)
    homeless = _settle(tables, homeless)
    for draft in model_tables(models, tables.keys()):
        _join_model(tables, draft)
    _witness(tables, homeless)
    return finish([draft for same_name in tables.values() for draft in same_name], models)


def _stored(changes: Changes, tables: Named, models: Models) -> Homeless:
    """Add the tables that SQL and migrations make; the changes of tables that they do not make."""
    homeless: Homeless = []
    for steps in by_database(changes).values():
        database = _run(
            {path: [_named(change, path, models) for change in file_changes] for path, file_changes in steps.items()}
        )
        homeless += database.homeless
        for draft in database.tables.values():
            _join(tables, draft)
    return homeless


def _named(change: SchemaChange, path: str, models: Models) -> SchemaChange:
    """A migration may name the class of a table instead of the table."""
    return replace(change, table=models.table_named(change.table, path)) if change.table.startswith("@") else change


def _run(steps: Mapping[str, Sequence[SchemaChange]]) -> DatabaseDraft:
    """Apply the changes of one database. Where it has a dump, older migrations only bear witness."""
    database = DatabaseDraft()
    dumps = [path for path in sorted(steps) if any(change.role == "dump" for change in steps[path])]
    for path in dumps:
        for change in steps[path]:
            database.apply(path, change)
    # Laravel's dump is followed by newer migrations; that of Rails is written anew by each.
    complete = any(
        change.kind != "SQL dump" or path.endswith("structure.sql") for path in dumps for change in steps[path]
    )
    for path in in_order({path: steps[path] for path in steps if path not in dumps}):
        for change in steps[path]:
            if not complete:
                database.apply(path, change, keep_known=True)
            elif change.table.lower() in database.tables and change.action != "drop_table":
                database.tables[change.table.lower()].witness(path, change)
    return database


def _join(tables: Named, draft: TableDraft) -> None:
    named = tables.setdefault(draft.name.lower(), [])
    for other in named[-MAX_SAME:]:
        if similar(other, draft):
            merge_stored(other, draft)
            return
    named.append(draft)


def _settle(tables: Named, homeless: Homeless) -> Homeless:
    """Apply changes of tables that were made elsewhere, by another folder's migrations or another file; the rest."""
    left = []
    for path, change in homeless:
        matching = [draft for draft in tables.get(change.table.lower(), ()) if _same_part(path, draft)]
        if not matching:
            left.append((path, change))
        elif change.action not in ("drop_table", "rename_table", "drop_column", "rename_column"):
            # without an order, nothing that is there may vanish
            for draft in matching:
                draft.witness(path, change)
                alter(draft, change)
    return left


def _witness(tables: Named, homeless: Homeless) -> None:
    """Changes of tables that only models tell of: the model knows better, but the places are worth knowing."""
    for path, change in homeless:
        for draft in tables.get(change.table.lower(), ()):
            if change.action != "drop_table" and _same_part(path, draft):
                draft.witness(path, change)


def _same_part(path: str, draft: TableDraft) -> bool:
    return in_tests(path) == all(in_tests(evidence.path) for evidence in draft.evidence)


def _join_model(tables: Named, draft: TableDraft) -> None:
    """Lay a model over what is stored. A second model of the same table, as a subclass, adds to the first."""
    named = tables.setdefault(draft.name.lower(), [])
    for other in named[-MAX_SAME:]:
        if draft.partial or similar(other, draft):
            has_model = any(worth(evidence) == 0 for evidence in other.evidence)
            if has_model and not draft.partial:
                merge_stored(other, draft)
            else:
                merge_model(other, draft)
            return
    named.append(draft)
