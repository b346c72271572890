"""Read TypeORM entities, and migrations with SQL or a query runner."""

import re
from collections.abc import Iterator
from dataclasses import replace

from waypost.code.schema.languages.ecmascript import read_script
from waypost.code.schema.model import Column, Index, SchemaChange, TableRelation, foreign_key
from waypost.code.schema.names import ORM_RELATIONS, snake
from waypost.code.schema.sql.statements import read_embedded_sql
from waypost.code.schema.values import (
    Assign,
    CallExpression,
    Class,
    FunctionBlock,
    Name,
    SourceUnit,
    Value,
    name_of,
    spelled_default,
    text_of,
    texts_of,
)
from waypost.code.source import SourceFile

MODEL, MIGRATION = "TypeORM entity", "TypeORM migration"
_COLUMNS = dict.fromkeys(("Column", "PrimaryColumn", "VirtualColumn", "ViewColumn"), "")
_COLUMNS |= dict.fromkeys(("CreateDateColumn", "UpdateDateColumn", "DeleteDateColumn"), "timestamp")
_COLUMNS |= {"PrimaryGeneratedColumn": "integer", "VersionColumn": "integer", "ObjectIdColumn": "objectid"}
_TYPES = {"string": "varchar", "number": "integer", "boolean": "boolean", "Date": "timestamp", "Buffer": "blob"}


def find_typeorm(source: SourceFile) -> Iterator[SchemaChange]:
    unit = read_script(source.text, source.path)
    return (change for class_ in unit.classes() if (change := _entity(class_, unit)))


def find_typeorm_migration(source: SourceFile) -> Iterator[SchemaChange]:
    """The changes in `up`."""
    for class_ in read_script(source.text, source.path).classes():
        for method in class_.functions():
            if method.name == "up":
                for call in method.calls():
                    yield from _run(call)


def _run(call: CallExpression) -> Iterator[SchemaChange]:
    if call.name == "query":
        yield from read_embedded_sql(call.text_at(0), MIGRATION, call.lines)
        return
    template = SchemaChange("revision", call.text_at(0), call.lines, MIGRATION)
    second = call.arg(1)
    match call.name:
        case "createTable":
            yield from _create(call, template)
        case "dropTable" if template.table:
            yield replace(template, action="drop_table")
        case "renameTable" if template.table:
            yield replace(template, action="rename_table", name=template.table, new_name=text_of(second))
        case "addColumn" | "addColumns" if template.table:
            columns = tuple(_described(part) for part in _options(second))
            yield replace(template, action="add_column", columns=columns)
        case "dropColumn" | "dropColumns" if template.table:
            for name in texts_of(second):
                yield replace(template, action="drop_column", name=name)
        case "renameColumn" if template.table and text_of(second) and call.text_at(2):
            yield replace(template, action="rename_column", name=text_of(second), new_name=call.text_at(2))
        case "createForeignKey" if template.table:
            for settings in _options(second):
                yield replace(template, action="add_reference", columns=_foreign(settings))


def _options(value: Value) -> Iterator[dict[str, Value]]:
    """`new TableColumn({…})`, a list of them, or the bare object."""
    for part in value if isinstance(value, list) else [value]:
        settings = part.args[0] if isinstance(part, CallExpression) and part.args else part
        if isinstance(settings, dict):
            yield settings


def _create(call: CallExpression, template: SchemaChange) -> Iterator[SchemaChange]:
    for settings in _options(call.arg(0)):
        columns = {column.name: column for part in _options(settings.get("columns")) for column in [_described(part)]}
        for part in _options(settings.get("foreignKeys")):
            for key in _foreign(part):
                if key.name in columns:
                    columns[key.name] = replace(columns[key.name], references=key.references)
        yield replace(
            template, action="create_table", table=text_of(settings.get("name")), columns=tuple(columns.values())
        )


def _described(settings: dict[str, Value]) -> Column:
    return Column(
        text_of(settings.get("name")), text_of(settings.get("type")), settings.get("isNullable") is True,
        spelled_default(settings.get("default")),
        settings.get("isPrimary") is True, settings.get("isUnique") is True, comment=text_of(settings.get("comment")),
    )  # fmt: skip


def _foreign(settings: dict[str, Value]) -> tuple[Column, ...]:
    table, targets = text_of(settings.get("referencedTableName")), texts_of(settings.get("referencedColumnNames"))
    return foreign_key(texts_of(settings.get("columnNames")), table, targets)


def _entity(class_: Class, unit: SourceUnit) -> SchemaChange | None:
    marks = {mark.name: mark for mark in class_.decorators}
    entity = marks.get("Entity") or marks.get("ChildEntity") or marks.get("ViewEntity")
    columns: list[Column] = []
    indexes = [index for mark in class_.decorators if (index := _index(mark))]
    relations: list[TableRelation] = []
    for item in class_.fields():
        _member(item, columns, indexes, relations, unit)
    if entity is None and not columns and not relations:
        return None
    flags: tuple[str, ...] = ("root",) if entity else ("abstract",)
    if "ChildEntity" in marks:
        flags = ("root", "one_table")
    name = _entity_name(entity) if entity else ""
    table = name or (snake(class_.name) if entity and "ChildEntity" not in marks else "")
    bases = tuple(unit.reference(name_of(base)) for base in class_.bases if name_of(base))
    return SchemaChange(
        "model", table, class_.lines, MODEL, "model", tuple(columns), tuple(indexes), tuple(relations),
        tuple(column.name for column in columns if column.primary), model=class_.name, bases=bases, flags=flags,
        comment=class_.doc,
    )  # fmt: skip


def _entity_name(mark: CallExpression) -> str:
    for arg in mark.args:
        if isinstance(arg, str):
            return arg
        if isinstance(arg, dict):
            return text_of(arg.get("name"))
    return ""


def _index(mark: CallExpression) -> Index | None:
    if mark.name not in ("Index", "Unique"):
        return None
    names: tuple[str, ...] = ()
    unique = mark.name == "Unique"
    for arg in mark.args:
        if isinstance(arg, list):
            names = texts_of(arg)
        elif isinstance(arg, FunctionBlock):
            names = tuple(re.findall(r"\.(\w+)", " ".join(i.text for i in arg.body if isinstance(i, Name))))
        elif isinstance(arg, dict):
            unique = unique or (arg.get("unique") is True and "where" not in arg)
    return Index(names, unique) if names else None


def _member(
    item: Assign, columns: list[Column], indexes: list[Index], relations: list[TableRelation], unit: SourceUnit
) -> None:
    marks = {mark.name: mark for mark in item.decorators}
    relation = next((mark for name, mark in marks.items() if name in ORM_RELATIONS), None)
    if relation is not None:
        _relate(item, relation, columns, relations, unit)
        return
    mark = next((mark for name, mark in marks.items() if name in _COLUMNS), None)
    if mark is None or mark.name == "VirtualColumn":
        return
    column = _column(item, mark)
    index = marks.get("Index") or marks.get("Unique")
    if index is not None:
        settings = index.options
        indexes.append(Index((column.name,), index.name == "Unique" or settings.get("unique") is True))
    columns.append(column)


def _column(item: Assign, mark: CallExpression) -> Column:
    settings = mark.options
    first = mark.text_at(0)
    hint = item.annotation.text if isinstance(item.annotation, Name) else ""
    bare = re.sub(r"(?<!\s)\s*+\|\s*+(?:null|undefined)", "", hint)
    kind = first if first and first not in ("increment", "rowid", "identity") else text_of(settings.get("type"))
    kind = kind or _COLUMNS[mark.name] or _TYPES.get(bare, bare)
    if isinstance(settings.get("length"), int | str) and settings["length"]:
        kind = f"{kind}({settings['length']})"
    if settings.get("array") is True:
        kind += "[]"
    is_key = mark.name in ("PrimaryColumn", "PrimaryGeneratedColumn", "ObjectIdColumn")
    primary = is_key or settings.get("primary") is True
    default = settings.get("default")
    return Column(
        text_of(settings.get("name")) or item.name, kind[:100],
        False if primary else settings.get("nullable") is True or mark.name == "DeleteDateColumn",
        spelled_default(default), primary, settings.get("unique") is True,
        comment=text_of(settings.get("comment")),
    )  # fmt: skip


def _relate(
    item: Assign, mark: CallExpression, columns: list[Column], relations: list[TableRelation], unit: SourceUnit
) -> None:
    marks = {mark.name: mark for mark in item.decorators}
    kind = ORM_RELATIONS[mark.name]
    target = _target(mark.arg(0), item, unit)
    if not target:
        return
    join, table = marks.get("JoinColumn"), marks.get("JoinTable")
    if kind == "belongs_to" or (kind == "has_one" and join is not None):
        settings = join.options if join else {}
        name = text_of(settings.get("name")) or f"{item.name}Id"
        options = mark.options
        field = text_of(settings.get("referencedColumnName"))
        column = Column(
            name, "", options.get("nullable") is not False, primary=options.get("primary") is True,
            unique=kind == "has_one", references=(target, field),
        )  # fmt: skip
        existing = next((at for at, other in enumerate(columns) if other.name == name), None)
        if existing is None:
            columns.append(column)
        else:
            columns[existing] = replace(columns[existing], references=column.references)
        relations.append(TableRelation("belongs_to", target, name, item.name))
    else:
        settings = table.options if table else {}
        via = text_of(settings.get("name")) or ("+" if table else "")
        relations.append(TableRelation(kind, target, via, item.name))


def _target(value: Value, item: Assign, unit: SourceUnit) -> str:
    """`() => User`, `"User"`, or the type of the property."""
    name = ""
    if isinstance(value, str):
        name = value
    elif isinstance(value, FunctionBlock) and value.body and isinstance(value.body[0], Name):
        name = value.body[0].text
    if not re.fullmatch(r"\w+", name) and isinstance(item.annotation, Name):
        type_name = re.search(r"[A-Z]\w*", item.annotation.text.replace("Promise", "").replace("Relation", ""))
        name = type_name[0] if type_name else ""
    return unit.reference(name) if name else ""
