"""Read Laravel migrations: the calls of Schema and Blueprint in `up`."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from waypost.code.schema.draft import create_table
from waypost.code.schema.languages.php import read_php
from waypost.code.schema.model import Column, Index, SchemaChange, TableRelation, foreign_key
from waypost.code.schema.names import plural, snake, text_table
from waypost.code.schema.sql.statements import read_embedded_sql
from waypost.code.schema.values import (
    CallExpression,
    CodeBody,
    Function,
    FunctionBlock,
    Name,
    SourceUnit,
    Value,
    spelled_default,
    text_of,
    texts_of,
)
from waypost.code.source import SourceFile

KIND = "Laravel migration"
_MORPHS = frozenset(("morphs", "uuidMorphs", "ulidMorphs", "numericMorphs"))
_MORPHS |= {"nullableMorphs", "nullableUuidMorphs", "nullableUlidMorphs"}
_CONFIGURED = re.compile(r"\$table_?[nN]ames\[['\"](\w{1,60})['\"]\]")


def find_laravel(source: SourceFile) -> Iterator[SchemaChange]:
    unit = read_php(source.text)
    texts = unit.constants()
    for class_ in unit.classes():
        bodies = {function.name: function for function in class_.functions()}
        if "up" in bodies:
            yield from _walk(bodies["up"], bodies, texts, unit)


def _walk(
    body: CodeBody, bodies: Mapping[str, Function], texts: Mapping[str, str], unit: SourceUnit, depth: int = 0
) -> Iterator[SchemaChange]:
    """The changes in `up` and in the methods it calls."""
    for call in body.calls():
        is_own = isinstance(call.target, Name) and call.target.text in ("$this", "self", "static")
        if is_own and call.name in bodies and depth < 4:
            yield from _walk(bodies[call.name], bodies, texts, unit, depth + 1)
        else:
            yield from _statement(call, texts, unit)
            runs = call.name in ("transaction", "withoutForeignKeyConstraints", "each", "when")
            for arg in call.args if runs else ():
                if isinstance(arg, FunctionBlock):
                    yield from _walk(arg, bodies, texts, unit, depth + 1)


def _statement(call: CallExpression, texts: Mapping[str, str], unit: SourceUnit) -> Iterator[SchemaChange]:
    template = SchemaChange("revision", _table(call.arg(0, "table"), texts), call.lines, KIND)
    if call.name in ("statement", "unprepared") and "DB" in call.owner:
        yield from read_embedded_sql(call.text_at(0, texts=texts), KIND, call.lines)
        return
    if not template.table or not ("chema" in call.owner or call.owner in ("$table",)):
        return
    block = call.block
    match call.name:
        case "create" | "createIfNotExists" if block is not None:
            changes = [change for inner in block.calls() for change in _blueprint(inner, template.table, texts, unit)]
            yield create_table(template, changes)
        case "table" if block is not None:
            for inner in block.calls():
                yield from _blueprint(inner, template.table, texts, unit)
        case "drop" | "dropIfExists":
            yield replace(template, action="drop_table")
        case "rename":
            yield replace(
                template, action="rename_table", name=template.table, new_name=_table(call.arg(1, "to"), texts)
            )
        case "dropColumns":
            for name in texts_of(call.arg(1), texts):
                yield replace(template, action="drop_column", name=name)


def _table(value: Value, texts: Mapping[str, str]) -> str:
    """A text or a constant of this file. `$tableNames['roles']` is read as roles."""
    configured = _CONFIGURED.fullmatch(value.text) if isinstance(value, Name) else None
    return configured[1] if configured else text_of(value, texts)


def _blueprint(call: CallExpression, table: str, texts: Mapping[str, str], unit: SourceUnit) -> Iterator[SchemaChange]:
    """One statement about a table: `$table->string('name')->nullable()`."""
    first, modifiers = call.chain[0], call.modifiers
    template = SchemaChange("add_column", table, call.lines, KIND)
    types, keys, names = (text_table("laravel_types", key) for key in ("types", "keys", "names"))
    name = first.text_at(0, "column", texts)
    if first.name == "addColumn":
        name = first.text_at(1, "name", texts)
        first = replace(first, name=first.text_at(0) or "string", args=first.args[1:])
    if first.name in keys or (first.name in types and "autoIncrement" in modifiers):
        kind = keys.get(first.name) or types.get(first.name) or ""
        column = Column(
            name or names.get(first.name, "id"),
            kind,
            nullable=False,
            primary="increments" in first.name.lower() or first.name == "id" or "autoIncrement" in modifiers,
        )
        yield replace(template, columns=(_modified(column, modifiers, texts),))
    elif first.name in types:
        yield from _column(
            template, first, modifiers, name or names.get(first.name, ""), types[first.name], texts, unit
        )
    else:
        yield from _several(template, first, modifiers, name, texts)


def _column(
    template: SchemaChange,
    first: CallExpression,
    modifiers: Mapping[str, CallExpression],
    name: str,
    kind: str,
    texts: Mapping[str, str],
    unit: SourceUnit,
) -> Iterator[SchemaChange]:
    references = None
    if first.name == "foreignIdFor":
        model = first.arg(0, "model")
        cls = model.text.removesuffix("::class") if isinstance(model, Name) else ""
        name = first.text_at(1, "column", texts) or f"{snake(cls.rsplit(chr(92), 1)[-1])}_id"
        if "constrained" in modifiers:
            references = (unit.reference(cls), "")
    if not name:
        return
    for place, option in ((1, "total" if "decimal" in first.name.lower() else "length"), (2, "places")):
        size = first.arg(place, option)
        kind = kind.replace(f"{{{place}}}", str(size) if isinstance(size, int | str) else "")
    column = _modified(Column(name, kind.replace("(,)", "").replace(",)", ")").replace("()", "")), modifiers, texts)
    if "constrained" in modifiers and references is None:
        constraint = modifiers["constrained"]
        guess = plural(name.removesuffix("_id"))
        references = (
            constraint.text_at(0, "table", texts) or guess,
            constraint.text_at(1, "column", texts) or "id",
        )
    elif "references" in modifiers and "on" in modifiers:
        references = (modifiers["on"].text_at(0, texts=texts), modifiers["references"].text_at(0, texts=texts))
    column = replace(column, references=references)
    indexes: tuple[Index, ...] = ()
    if "index" in modifiers:
        indexes = (Index((name,), False, modifiers["index"].text_at(0, texts=texts)),)
    yield replace(
        template, action="alter_column" if "change" in modifiers else "add_column", columns=(column,), indexes=indexes
    )


def _modified(column: Column, modifiers: Mapping[str, CallExpression], texts: Mapping[str, str]) -> Column:
    nullable: bool | None = False
    if "nullable" in modifiers:
        nullable = modifiers["nullable"].arg(0) is not False
    default = modifiers["default"].arg(0) if "default" in modifiers else None
    kind = column.type + (" unsigned" if "unsigned" in modifiers and "unsigned" not in column.type else "")
    return replace(
        column,
        type=kind,
        nullable=nullable,
        default="current_timestamp" if "useCurrent" in modifiers else spelled_default(default),
        primary=column.primary or "primary" in modifiers,
        unique="unique" in modifiers,
        comment=modifiers["comment"].text_at(0, texts=texts) if "comment" in modifiers else "",
    )


def _several(
    template: SchemaChange,
    first: CallExpression,
    modifiers: Mapping[str, CallExpression],
    name: str,
    texts: Mapping[str, str],
) -> Iterator[SchemaChange]:
    """Methods for several columns, or none."""
    names = texts_of(first.arg(0), texts)
    match first.name:
        case "timestamps" | "nullableTimestamps" | "timestampsTz" | "datetimes":
            columns = tuple(Column(n, "timestamp", nullable=True) for n in ("created_at", "updated_at"))
            yield replace(template, columns=columns)
        case "softDeletes" | "softDeletesTz" | "softDeletesDatetime":
            yield replace(template, columns=(Column(name or "deleted_at", "timestamp", nullable=True),))
        case "rememberToken":
            yield replace(template, columns=(Column("remember_token", "varchar(100)", nullable=True),))
        case _ if first.name in _MORPHS:
            kind = "uuid" if "uid" in first.name.lower() else "bigint unsigned"
            null = first.name.startswith("nullable")
            columns = (Column(f"{name}_type", "varchar", null), Column(f"{name}_id", kind, null))
            relation = TableRelation("morph_to", "", f"{name}_id", name)
            index = Index((f"{name}_type", f"{name}_id"))
            yield replace(template, columns=columns, relations=(relation,), indexes=(index,))
        case "primary":
            yield replace(template, action="add_key", primary_key=names)
        case "unique" | "index" | "fullText" | "spatialIndex" if names:
            index = Index(names, first.name == "unique", first.text_at(1, "name", texts))
            yield replace(template, action="add_index", indexes=(index,))
        case "foreign" if names and "on" in modifiers:
            target = modifiers["on"].text_at(0, texts=texts)
            fields = texts_of(modifiers["references"].arg(0), texts) if "references" in modifiers else ()
            yield replace(template, action="add_reference", columns=foreign_key(names, target, fields))
        case "comment" if name:
            yield replace(template, action="comment", comment=name)
        case _:
            yield from _dropped(template, first, name, texts)


def _dropped(
    template: SchemaChange, first: CallExpression, name: str, texts: Mapping[str, str]
) -> Iterator[SchemaChange]:
    names = tuple(text_of(arg, texts) for arg in first.args)
    if isinstance(first.arg(0), list):
        names = texts_of(first.arg(0), texts)
    match first.name:
        case "dropColumn" | "removeColumn":
            for column in names:
                yield replace(template, action="drop_column", name=column)
        case "dropConstrainedForeignId" | "dropSoftDeletes" | "dropRememberToken":
            default = {"dropSoftDeletes": "deleted_at", "dropRememberToken": "remember_token"}.get(first.name, "")
            yield replace(template, action="drop_column", name=name or default)
        case "dropTimestamps" | "dropTimestampsTz" | "dropMorphs":
            pair = (f"{name}_type", f"{name}_id") if first.name == "dropMorphs" else ("created_at", "updated_at")
            for column in pair:
                yield replace(template, action="drop_column", name=column)
        case "renameColumn" if len(names) > 1:
            yield replace(template, action="rename_column", name=names[0], new_name=names[1])
        case "rename" if name:
            yield replace(template, action="rename_table", name=template.table, new_name=name)
        case "dropPrimary":
            yield replace(template, action="drop_key")
        case "dropUnique" | "dropIndex" | "dropForeign":
            if isinstance(first.arg(0), str):
                yield replace(template, action="drop_index", name=name)
            elif first.name == "dropUnique" and names:
                default = f"{template.table}_{'_'.join(names)}_unique".lower()
                yield replace(template, action="drop_index", name=default)
