"""Build the tables of a repository from the changes in its files."""

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
Named = dict[str, list[TableDraft]]  # by lower-case name; several if databases share a name
Unresolved = list[tuple[str, SchemaChange]]  # changes of tables that another file creates


def build_schema(changes: Changes) -> tuple[SchemaTable, ...]:
    """Every table in the files, by name, with its evidence.

    Migrations are applied in order. A dump outranks the migrations next to it, and a model outranks both. Tables of one
    name with little in common stay apart: they belong to different databases.
    """
    models = Models(changes)
    tables: Named = {}
    unresolved = _stored(changes, tables, models)
    for draft in django_tables(changes, models):
        _join(tables, draft)
    unresolved = _apply_elsewhere(tables, unresolved)
    for draft in model_tables(models, tables.keys()):
        _join_model(tables, draft)
    _add_evidence(tables, unresolved)
    return finish([draft for same_name in tables.values() for draft in same_name], models)


def _stored(changes: Changes, tables: Named, models: Models) -> Unresolved:
    """Add the tables that SQL and migrations create. Returns the changes of tables that they do not create."""
    unresolved: Unresolved = []
    for steps in by_database(changes).values():
        named = {path: [_with_table_name(change, path, models) for change in steps[path]] for path in steps}
        database = _run(named)
        unresolved += database.unresolved
        for draft in database.tables.values():
            _join(tables, draft)
    return unresolved


def _with_table_name(change: SchemaChange, path: str, models: Models) -> SchemaChange:
    """A migration may name the class of a table."""
    return replace(change, table=models.table_named(change.table, path)) if change.table.startswith("@") else change


def _run(steps: Mapping[str, Sequence[SchemaChange]]) -> DatabaseDraft:
    """Apply the changes of one database. With a dump, older migrations only add evidence."""
    database = DatabaseDraft()
    dumps = [path for path in sorted(steps) if any(change.role == "dump" for change in steps[path])]
    for path in dumps:
        for change in steps[path]:
            database.apply(path, change)
    # Newer migrations follow a Laravel dump. Rails rewrites its dump with each migration.
    complete = any(
        change.kind != "SQL dump" or path.endswith("structure.sql") for path in dumps for change in steps[path]
    )
    for path in in_order({path: steps[path] for path in steps if path not in dumps}):
        for change in steps[path]:
            if not complete:
                database.apply(path, change, keep_existing=True)
            elif change.table.lower() in database.tables and change.action != "drop_table":
                database.tables[change.table.lower()].add_evidence(path, change)
    return database


def _join(tables: Named, draft: TableDraft) -> None:
    named = tables.setdefault(draft.name.lower(), [])
    for other in named[-MAX_SAME:]:
        if similar(other, draft):
            merge_stored(other, draft)
            return
    named.append(draft)


def _apply_elsewhere(tables: Named, unresolved: Unresolved) -> Unresolved:
    """Apply changes of tables that other files create. Returns the rest."""
    rest: Unresolved = []
    for path, change in unresolved:
        matching = [draft for draft in tables.get(change.table.lower(), ()) if _same_part(path, draft)]
        if not matching:
            rest.append((path, change))
        elif change.action not in ("drop_table", "rename_table", "drop_column", "rename_column"):
            # without an order, nothing may be removed
            for draft in matching:
                draft.add_evidence(path, change)
                alter(draft, change)
    return rest


def _add_evidence(tables: Named, unresolved: Unresolved) -> None:
    """Add evidence for tables that only models define. The model itself stays as it is."""
    for path, change in unresolved:
        for draft in tables.get(change.table.lower(), ()):
            if change.action != "drop_table" and _same_part(path, draft):
                draft.add_evidence(path, change)


def _same_part(path: str, draft: TableDraft) -> bool:
    return in_tests(path) == all(in_tests(evidence.path) for evidence in draft.evidence)


def _join_model(tables: Named, draft: TableDraft) -> None:
    """Merge a model into the stored table. A second model of the same table, such as a subclass, adds to the first."""
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
