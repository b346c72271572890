"""Read Knex migrations."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from waypost.code.schema.draft import create_table
from waypost.code.schema.languages.ecmascript import read_script, up_bodies
from waypost.code.schema.model import Column, Index, SchemaChange
from waypost.code.schema.names import text_table
from waypost.code.schema.sql.statements import read_embedded_sql
from waypost.code.schema.values import CallExpression, FunctionBlock, Name, spelled_default, text_of, texts_of
from waypost.code.source import SourceFile

KIND = "Knex migration"
_TABLES = ("createTable", "createTableIfNotExists", "table", "alterTable")


def find_knex(source: SourceFile) -> Iterator[SchemaChange]:
    """The changes in `up`; `down` is not read."""
    unit = read_script(source.text, source.path)
    texts = unit.constants()
    for up in up_bodies(unit):
        yield from _walk(up.calls(), texts)


def _walk(calls: Iterable[CallExpression], texts: Mapping[str, str], depth: int = 0) -> Iterator[SchemaChange]:
    for statement in calls:
        for call in statement.chain:
            yield from _statement(call, texts)
            if call.name in ("then", "all", "transaction", "resolve") and depth < 5:
                for arg in call.args:
                    parts = arg if isinstance(arg, list) else [arg]
                    for part in parts:
                        if isinstance(part, FunctionBlock):
                            yield from _walk(part.calls(), texts, depth + 1)
                        elif isinstance(part, CallExpression):
                            yield from _walk((part,), texts, depth + 1)


def _statement(call: CallExpression, texts: Mapping[str, str]) -> Iterator[SchemaChange]:
    table = call.text_at(0, texts=texts)
    template = SchemaChange("revision", table, call.lines, KIND)
    block = call.block
    if call.name == "raw":
        yield from read_embedded_sql(table, KIND, call.lines)
    elif not table:
        return
    elif call.name in ("createTable", "createTableIfNotExists") and block is not None:
        changes = [change for inner in block.calls() for change in _column(template, inner, texts)]
        yield create_table(template, changes)
    elif call.name in _TABLES and block is not None:
        for inner in block.calls():
            yield from _column(template, inner, texts)
    elif call.name in ("dropTable", "dropTableIfExists"):
        yield replace(template, action="drop_table")
    elif call.name == "renameTable":
        yield replace(template, action="rename_table", name=table, new_name=call.text_at(1, texts=texts))


def _column(template: SchemaChange, call: CallExpression, texts: Mapping[str, str]) -> Iterator[SchemaChange]:
    if not isinstance(call.chain[0].target, Name):
        return
    first, rest = call.chain[0], call.modifiers
    template = replace(template, lines=call.lines)
    types = text_table("script_types", "knex")
    names = texts_of(first.arg(0), texts)
    name = names[0] if names else ""
    match first.name:
        case "timestamps":
            columns = tuple(Column(n, "timestamp", nullable=True) for n in ("created_at", "updated_at"))
            yield replace(template, action="add_column", columns=columns)
        case "dropColumn" | "dropColumns":
            for dropped in [text for arg in first.args for text in texts_of(arg, texts)]:
                yield replace(template, action="drop_column", name=dropped)
        case "renameColumn":
            yield replace(template, action="rename_column", name=name, new_name=first.text_at(1, texts=texts))
        case "primary":
            yield replace(template, action="add_key", primary_key=names)
        case "unique" | "index" if names:
            yield replace(template, action="add_index", indexes=(Index(names, first.name == "unique"),))
        case "foreign" if "references" in rest:
            yield replace(template, action="add_reference", columns=(Column(name, references=_target(rest, texts)),))
        case _ if first.name in types and (name or "increments" in first.name.lower()):
            yield _typed(template, first, rest, name or "id", types[first.name], texts)


def _target(rest: Mapping[str, CallExpression], texts: Mapping[str, str]) -> tuple[str, str]:
    target = rest["references"].text_at(0, texts=texts)
    if "inTable" in rest:
        return (rest["inTable"].text_at(0, texts=texts), target)
    table, _, column = target.rpartition(".")
    return (table, column)


def _typed(
    template: SchemaChange,
    first: CallExpression,
    rest: Mapping[str, CallExpression],
    name: str,
    kind: str,
    texts: Mapping[str, str],
) -> SchemaChange:
    primary = "ncrements" in first.name or "primary" in rest
    size = first.arg(1)
    if kind == "{1}":
        kind = text_of(size)
    elif isinstance(size, int) and kind == "varchar":
        kind = f"varchar({size})"
    default = rest["defaultTo"].arg(0) if "defaultTo" in rest else None
    column = Column(
        name, kind, not primary and "notNullable" not in rest and "notNull" not in rest,
        spelled_default(default), primary, "unique" in rest,
        _target(rest, texts) if "references" in rest else None,
        rest["comment"].text_at(0) if "comment" in rest else "",
    )  # fmt: skip
    indexes = (Index((name,)),) if "index" in rest else ()
    return replace(
        template, action="alter_column" if "alter" in rest else "add_column", columns=(column,), indexes=indexes
    )
