"""The tables of a repository, put together from what its files say."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from waypost.code.schema.django_state import django_tables
from waypost.code.schema.draft import Database, Draft, alter
from waypost.code.schema.merge import in_tests, merge_model, merge_stored, similar
from waypost.code.schema.model import SchemaChange, Table
from waypost.code.schema.models import Models, model_tables
from waypost.code.schema.order import by_database, in_order
from waypost.code.schema.relations import finish

Changes = Mapping[str, Sequence[SchemaChange]]


def build_schema(changes: Changes) -> tuple[Table, ...]:
    """Every table that the files tell of, by name; each with its witnesses.

    Migrations are applied in their order; a dump stands above the migrations beside it, a model above both. Tables of
    one name that have little in common stay apart: they are of different databases.
    """
    models = Models(changes)
    tables, homeless = _stored(changes)
    for draft in django_tables(changes, models):
        _join(tables, draft)
    homeless = _settle(tables, homeless)
    for draft in model_tables(models, {draft.name.lower() for draft in tables}):
        _join_model(tables, draft)
    _witness(tables, homeless)
    return finish(tables, models)


def _stored(changes: Changes) -> tuple[list[Draft], list[tuple[str, SchemaChange]]]:
    """The tables that SQL and migrations make, and the changes of tables that they do not make."""
    tables: list[Draft] = []
    homeless: list[tuple[str, SchemaChange]] = []
    for steps in by_database(changes).values():
        database = _run(steps)
        homeless += database.homeless
        for draft in database.tables.values():
            _join(tables, draft)
    return tables, homeless


def _run(steps: Mapping[str, Sequence[SchemaChange]]) -> Database:
    """Apply the changes of one database. Where it has a dump, older migrations only bear witness."""
    database = Database()
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


def _join(tables: list[Draft], draft: Draft) -> None:
    for other in tables:
        if other.name.lower() == draft.name.lower() and similar(other, draft):
            merge_stored(other, draft)
            return
    tables.append(draft)


Homeless = list[tuple[str, SchemaChange]]


def _settle(tables: Iterable[Draft], homeless: Homeless) -> Homeless:
    """Apply changes of tables that were made elsewhere, by another folder's migrations or another file; the rest."""
    left = []
    by_name = _by_name(tables)
    for path, change in homeless:
        found = [draft for draft in by_name.get(change.table.lower(), ()) if _same_part(path, draft)]
        if not found:
            left.append((path, change))
        elif change.action not in ("drop_table", "rename_table", "drop_column", "rename_column"):
            # without an order, nothing that is there may vanish
            for draft in found:
                draft.witness(path, change)
                alter(draft, change)
    return left


def _witness(tables: Iterable[Draft], homeless: Homeless) -> None:
    """Changes of tables that only models tell of: the model knows better, but the places are worth knowing."""
    by_name = _by_name(tables)
    for path, change in homeless:
        for draft in by_name.get(change.table.lower(), ()):
            if change.action != "drop_table" and _same_part(path, draft):
                draft.witness(path, change)


def _by_name(tables: Iterable[Draft]) -> dict[str, list[Draft]]:
    found: dict[str, list[Draft]] = {}
    for draft in tables:
        found.setdefault(draft.name.lower(), []).append(draft)
    return found


def _same_part(path: str, draft: Draft) -> bool:
    return in_tests(path) == all(in_tests(evidence.path) for evidence in draft.evidence)


def _join_model(tables: list[Draft], draft: Draft) -> None:
    named = [other for other in tables if other.name.lower() == draft.name.lower()]
    for other in named:
        if draft.partial or similar(other, draft):
            merge_model(other, draft)
            return
    tables.append(replace(draft, evidence=list(draft.evidence)))
