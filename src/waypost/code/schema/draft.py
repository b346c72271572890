"""Tables under construction: changes are applied one after the other."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from waypost.code.schema.model import Column, Index, SchemaChange, SchemaEvidence, TableRelation

MAX_EVIDENCE = 40  # enough for a table that sixty migrations touch


@dataclass(slots=True)
class TableDraft:
    name: str
    columns: dict[str, Column] = field(default_factory=dict)  # by lower-case name
    primary_key: tuple[str, ...] = ()
    indexes: list[Index] = field(default_factory=list)
    relations: list[TableRelation] = field(default_factory=list)
    evidence: list[SchemaEvidence] = field(default_factory=list)
    comment: str = ""
    conflicts: list[str] = field(default_factory=list)
    scope: str = ""  # of the model, to resolve its relations
    partial: bool = False  # it does not list all columns

    def add_evidence(self, path: str, change: SchemaChange) -> None:
        evidence = SchemaEvidence(path, change.lines, change.kind)
        if len(self.evidence) < MAX_EVIDENCE and evidence not in self.evidence:
            self.evidence.append(evidence)

    def put(self, column: Column) -> None:
        """Add a column, or update the existing one."""
        existing = self.columns.get(column.name.lower())
        self.columns[column.name.lower()] = overlay(existing, column) if existing else column
        if column.primary and column.name not in self.primary_key:
            self.primary_key = (*self.primary_key, column.name)

    def drop(self, name: str) -> None:
        self.columns.pop(name.lower(), None)
        self.primary_key = tuple(key for key in self.primary_key if key.lower() != name.lower())
        self.indexes = [index for index in self.indexes if name.lower() not in map(str.lower, index.columns)]
        self.relations = [relation for relation in self.relations if relation.via.lower() != name.lower()]

    def rename(self, old: str, new: str) -> None:
        def renamed(name: str) -> str:
            return new if name.lower() == old.lower() else name

        self.columns = {
            renamed(key).lower(): replace(column, name=renamed(column.name)) for key, column in self.columns.items()
        }
        self.primary_key = tuple(renamed(name) for name in self.primary_key)
        self.indexes = [replace(index, columns=tuple(map(renamed, index.columns))) for index in self.indexes]

    def add_index(self, index: Index) -> None:
        present = [(other.unique, [name.lower() for name in other.columns]) for other in self.indexes]
        if (index.unique, [name.lower() for name in index.columns]) in present:
            return
        self.indexes.append(index)

    def drop_index(self, name: str) -> None:
        self.indexes = [index for index in self.indexes if index.name.lower() != name.lower()]


def overlay(older: Column, newer: Column) -> Column:
    """The newer column, with the values of the older one where it says nothing."""
    return Column(
        name=newer.name or older.name,
        type=newer.type or older.type,
        nullable=newer.nullable if newer.nullable is not None else older.nullable,
        default=newer.default if newer.default is not None else older.default,
        primary=newer.primary or older.primary,
        unique=newer.unique or older.unique,
        references=newer.references or older.references,
        comment=newer.comment or older.comment,
    )


class DatabaseDraft:
    """The tables of one sequence of changes, by lower-case name."""

    def __init__(self) -> None:
        self.tables: dict[str, TableDraft] = {}
        self.unresolved: list[tuple[str, SchemaChange]] = []  # changes of tables that are not created here

    def apply(self, path: str, change: SchemaChange, *, keep_existing: bool = False) -> None:
        """Apply one change. `keep_existing`: an existing table only gets more evidence."""
        if change.action in ("revision", "app", "model"):
            return
        if change.action == "create_table":
            self._create(path, change, keep_existing)
            return
        if change.action in ("drop_index", "rename_index") and not change.table:
            for each in self.tables.values():
                alter(each, change)
            return
        draft = self.tables.get(change.table.lower())
        if draft is None:
            self.unresolved.append((path, change))
        elif change.action == "drop_table":
            del self.tables[change.table.lower()]
        elif change.action == "rename_table":
            self._rename(draft, change, path)
        else:
            draft.add_evidence(path, change)
            alter(draft, change)

    def _create(self, path: str, change: SchemaChange, keep_existing: bool) -> None:
        key = change.table.lower()
        existing = self.tables.get(key)
        if existing is not None and (keep_existing or existing.columns):
            existing.add_evidence(path, change)
            return
        draft = TableDraft(change.table, comment=change.comment)
        if "like" in change.flags and change.name.lower() in self.tables:
            draft.columns = dict(self.tables[change.name.lower()].columns)
        draft.add_evidence(path, change)
        fill(draft, change)
        self.tables[key] = draft

    def _rename(self, draft: TableDraft, change: SchemaChange, path: str) -> None:
        old = draft.name.lower()
        del self.tables[old]
        draft.name = change.new_name
        draft.add_evidence(path, change)
        self.tables[change.new_name.lower()] = draft
        for other in self.tables.values():
            for key, column in other.columns.items():
                if column.references and column.references[0].lower() == old:
                    other.columns[key] = replace(column, references=(change.new_name, column.references[1]))


def fill(draft: TableDraft, change: SchemaChange) -> None:
    """Add everything in a table definition."""
    for column in change.columns:
        draft.put(column)
    if change.primary_key:
        draft.primary_key = change.primary_key
    for index in change.indexes:
        draft.add_index(index)
    for relation in change.relations:
        if relation not in draft.relations:
            draft.relations.append(relation)
    draft.comment = draft.comment or change.comment


def create_table(template: SchemaChange, changes: Iterable[SchemaChange]) -> SchemaChange:
    """One definition of a table from the changes inside its block."""
    columns: dict[str, Column] = {}
    indexes: list[Index] = []
    relations: list[TableRelation] = []
    key: tuple[str, ...] = ()
    comment = ""
    for change in changes:
        for column in change.columns:
            if change.action != "add_reference":
                columns[column.name] = column
            elif column.name in columns:
                columns[column.name] = replace(columns[column.name], references=column.references)
        indexes += change.indexes
        relations += change.relations
        key = change.primary_key or key
        comment = change.comment or comment
    return replace(
        template, action="create_table", columns=tuple(columns.values()), indexes=tuple(indexes),
        relations=tuple(relations), primary_key=key, comment=comment,
    )  # fmt: skip


def alter(draft: TableDraft, change: SchemaChange) -> None:  # noqa: PLR0912 - one case per kind
    match change.action:
        case "add_column" | "alter_column" | "add_reference":
            for column in change.columns:
                existing = draft.columns.get(column.name.lower())
                if change.action == "add_reference" and existing is None:
                    continue
                draft.put(column)
                if "drop_default" in change.flags:
                    kept = draft.columns[column.name.lower()]
                    draft.columns[column.name.lower()] = replace(kept, default=None)
            fill(draft, replace(change, columns=(), comment="", primary_key=change.primary_key))
        case "drop_column":
            draft.drop(change.name)
        case "rename_column":
            draft.rename(change.name, change.new_name)
        case "add_index":
            for index in change.indexes:
                draft.add_index(index)
        case "drop_index":
            draft.drop_index(change.name)
        case "rename_index":
            draft.indexes = [
                replace(index, name=change.new_name) if index.name.lower() == change.name.lower() else index
                for index in draft.indexes
            ]
        case "add_key":
            draft.primary_key = change.primary_key
        case "drop_key":
            draft.primary_key = ()
            draft.columns = {key: replace(column, primary=False) for key, column in draft.columns.items()}
        case "comment" if change.name:
            column_ = draft.columns.get(change.name.lower())
            if column_:
                draft.columns[change.name.lower()] = replace(column_, comment=change.comment)
        case "comment":
            draft.comment = change.comment
