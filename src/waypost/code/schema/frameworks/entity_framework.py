"""Read Entity Framework: model snapshots, contexts and entity classes."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from waypost.code.schema.draft import TableDraft
from waypost.code.schema.languages.csharp import read_csharp
from waypost.code.schema.model import Column, Index, SchemaChange, TableRelation
from waypost.code.schema.values import Assign, CallExpression, Class, FunctionBlock, name_of, spelled, text_of
from waypost.code.source import SourceFile
from waypost.model.reference import LineRange

_CONFIGURATION = "IEntityTypeConfiguration<"
MODEL, SNAPSHOT = "Entity Framework model", "Entity Framework snapshot"
_TYPES = {
    "string": "text", "int": "integer", "long": "bigint", "bool": "boolean", "DateTime": "timestamp",
    "DateTimeOffset": "timestamptz", "decimal": "decimal", "double": "double", "float": "float", "Guid": "uuid",
    "byte[]": "blob", "short": "smallint", "DateOnly": "date", "TimeOnly": "time", "TimeSpan": "interval", "byte": "tinyint", "uint": "integer", "ulong": "bigint", "ushort": "smallint", "char": "char",
}  # fmt: skip


def find_snapshot(source: SourceFile) -> Iterator[SchemaChange]:
    """The tables in `…ModelSnapshot.cs`: `modelBuilder.Entity("X", b => { b.Property<int>("Id"); b.ToTable("xs"); })`."""
    drafts: dict[str, TableDraft] = {}
    lines: dict[str, LineRange] = {}
    keys: list[tuple[str, str, tuple[str, ...], bool]] = []
    for class_ in read_csharp(source.text).classes():
        for method in class_.functions():
            for call in method.calls():
                block = call.arg(1)
                entity = call.text_at(0)
                if call.name == "Entity" and isinstance(block, FunctionBlock) and entity:
                    draft = drafts.setdefault(entity, TableDraft(entity.rsplit(".", 1)[-1]))
                    lines.setdefault(entity, call.lines)
                    for inner in block.calls():
                        _snapshot_call(draft, entity, inner, keys)
    for entity, target, names, unique in keys:
        table = drafts[entity]
        for name in names:
            column = table.columns.get(name.lower())
            if column is not None and target in drafts:
                table.columns[name.lower()] = replace(
                    column, references=(drafts[target].name, ""), unique=unique or column.unique
                )
    for entity, draft in drafts.items():
        yield SchemaChange(
            "create_table", draft.name, lines[entity], SNAPSHOT, "dump", tuple(draft.columns.values()),
            tuple(draft.indexes), primary_key=draft.primary_key,
        )  # fmt: skip


def _snapshot_call(
    draft: TableDraft, entity: str, call: CallExpression, keys: list[tuple[str, str, tuple[str, ...], bool]]
) -> None:
    first, rest = call.chain[0], call.modifiers
    names = tuple(text for arg in first.args if (text := text_of(arg)))
    match first.name:
        case "Property" if names:
            kind = name_of(first.named.get("<>"))
            stored = rest["HasColumnType"].text_at(0) if "HasColumnType" in rest else _TYPES.get(kind.rstrip("?"), kind)
            default = rest.get("HasDefaultValue") or rest.get("HasDefaultValueSql")
            optional = kind.endswith("?") or (kind == "string" and "IsRequired" not in rest)
            name = rest["HasColumnName"].text_at(0) if "HasColumnName" in rest else names[0]
            draft.put(Column(name, stored, optional, spelled(default.arg(0)) if default else None))
        case "HasKey":
            draft.primary_key = names
        case "HasIndex" if names:
            draft.add_index(Index(names, "IsUnique" in rest and "HasFilter" not in rest))
        case "ToTable" if names:
            schema = f"{names[1]}." if len(names) > 1 and names[1] not in ("dbo", "public") else ""
            draft.name = schema + names[0]
        case "HasOne" if names and "HasForeignKey" in rest:
            columns = tuple(text for arg in rest["HasForeignKey"].args if (text := text_of(arg)))
            is_one_to_one = "WithOne" in rest
            columns = columns[1:] if is_one_to_one and len(columns) > 1 else columns
            keys.append((entity, names[0], columns, is_one_to_one))


def find_context(source: SourceFile) -> Iterator[SchemaChange]:
    """A context names its tables. Its entity classes may be in any file."""
    unit = read_csharp(source.text)
    for class_ in unit.classes():
        sets = [item for item in class_.fields() if name_of(item.annotation).startswith("DbSet<")]
        if sets:
            for item in sets:
                yield _set(item, unit.namespace)
        elif any(name_of(base).startswith(_CONFIGURATION) for base in class_.bases):
            yield from _configured(class_)
        else:
            change = _entity(class_, unit.namespace)
            if change is not None:
                yield change


def _configured(class_: Class) -> Iterator[SchemaChange]:
    """`class X : IEntityTypeConfiguration<Item>` may rename the table of Item."""
    entity = next(name_of(base) for base in class_.bases if name_of(base).startswith(_CONFIGURATION))
    for method in class_.functions():
        for call in method.calls():
            if call.chain[0].name == "ToTable" and call.chain[0].text_at(0):
                name = entity.removeprefix(_CONFIGURATION).rstrip(">")
                table = call.chain[0].text_at(0)
                yield SchemaChange(
                    "app", "", class_.lines, MODEL, "model", name=name, new_name=table, flags=("to_table",)
                )


def _set(item: Assign, scope: str) -> SchemaChange:
    entity = name_of(item.annotation).removeprefix("DbSet<").rstrip("?").rstrip(">")
    return SchemaChange(
        "model", item.name.lstrip("="), item.lines, MODEL, "model", model=f"DbSet<{entity}>", bases=(f"@{entity}",),
        flags=("partial", "root", "set"), scope=scope,
    )  # fmt: skip


def _entity(class_: Class, scope: str) -> SchemaChange | None:
    columns: list[Column] = []
    relations: list[TableRelation] = []
    for item in class_.fields():
        if not item.name.startswith("="):
            _member(item, class_.name, columns, relations)
    _refer(columns, relations)
    marks = {mark.name: mark for mark in class_.decorators}
    if not columns and not relations and not class_.bases:
        return None
    table = marks["Table"].text_at(0) if "Table" in marks else ""
    return SchemaChange(
        "model", table, class_.lines, MODEL, "model", tuple(columns), relations=tuple(relations),
        primary_key=tuple(column.name for column in columns if column.primary), model=class_.name,
        bases=tuple("@" + name_of(base).split("<")[0] for base in class_.bases), flags=("root",) if table else ("abstract",), scope=scope,
    )  # fmt: skip


def _refer(columns: list[Column], relations: list[TableRelation]) -> None:
    """`AuthorId` next to `Person Author` is its key. Otherwise the key is a hidden column."""
    for place, relation in enumerate(relations):
        if relation.kind == "relates_one":
            names = (f"{relation.name}Id", f"{relation.target[1:]}Id")
            at = next((at for at, column in enumerate(columns) if column.name in names and not column.primary), None)
            if at is not None:
                columns[at] = replace(columns[at], references=(relation.target, ""))
            via = columns[at].name if at is not None else ""
            relations[place] = replace(relation, kind="belongs_to", via=via)


def _member(item: Assign, owner: str, columns: list[Column], relations: list[TableRelation]) -> None:
    kind = name_of(item.annotation)
    marks: Mapping[str, CallExpression] = {mark.name: mark for mark in item.decorators}
    if "NotMapped" in marks:
        return
    bare = kind.rstrip("?")
    listed = re.fullmatch(r"(?:I?List|I?Collection|IEnumerable|HashSet|ICollection|IReadOnlyCollection)<(\w+)>", bare)
    if listed and listed[1] not in _TYPES:
        relations.append(TableRelation("relates", f"@{listed[1]}", "", item.name))
    elif bare in _TYPES:
        primary = "Key" in marks or item.name in ("Id", f"{owner}Id")
        limit = marks.get("MaxLength") or marks.get("StringLength")
        size = limit.arg(0) if limit else None
        named = marks["Column"].text_at(0) if "Column" in marks else ""
        column_type = f"varchar({size})" if isinstance(size, int) and bare == "string" else _TYPES[bare]
        optional = kind.endswith("?") and "Required" not in marks
        columns.append(Column(named or item.name, column_type, False if primary else optional, None, primary))
    elif re.fullmatch(r"[A-Z]\w*", bare):
        relations.append(TableRelation("relates_one", f"@{bare}", "", item.name))
