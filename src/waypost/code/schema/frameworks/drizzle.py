"""Read Drizzle tables: `pgTable("users", { id: serial("id").primaryKey() })`."""

from collections.abc import Iterator, Mapping

from waypost.code.schema.languages.ecmascript import read_script
from waypost.code.schema.model import Column, Index, SchemaChange
from waypost.code.schema.names import text_table
from waypost.code.schema.values import Assign, CallExpression, FunctionBlock, Name, Value, spelled
from waypost.code.source import SourceFile

KIND = "Drizzle table"
TABLES = ("pgTable", "mysqlTable", "sqliteTable", "singlestoreTable", "createTable", "table")


def find_drizzle(source: SourceFile) -> Iterator[SchemaChange]:
    unit = read_script(source.text, source.path)
    texts = unit.constants()
    for item in unit.fields():
        call = item.value
        if isinstance(call, CallExpression) and call.name in TABLES and isinstance(call.arg(1), dict | FunctionBlock):
            change = _table(item, call, texts)
            if change is not None:
                yield change


def _table(item: Assign, call: CallExpression, texts: Mapping[str, str]) -> SchemaChange | None:
    listed = call.arg(1)
    if isinstance(listed, FunctionBlock):  # (t) => ({ … })
        inner = listed.body[0] if listed.body else None
        listed = inner.value if isinstance(inner, Assign) else None
    if not isinstance(listed, dict):
        return None
    columns = {name: column for name, value in listed.items() if (column := _column(name, value, texts))}
    if not columns:
        return None
    key = tuple(column.name for column in columns.values() if column.primary)
    return SchemaChange(
        "model", call.text_at(0, texts=texts), item.lines, KIND, "model", tuple(columns.values()),
        _indexes(call.arg(2), columns), primary_key=key, model=item.name, flags=("root",),
    )  # fmt: skip


def _column(name: str, value: Value, texts: Mapping[str, str]) -> Column | None:
    if not isinstance(value, CallExpression):
        return None
    first, rest = value.chain[0], value.modifiers
    kind = text_table("script_types", "drizzle").get(first.name, first.name)
    options = first.options
    size = options.get("length")
    default = rest.get("default") or rest.get("$default") or rest.get("$defaultFn")
    now = "defaultNow" in rest
    return Column(
        first.text_at(0, texts=texts) or name, f"{kind}({size})" if isinstance(size, int) else kind,
        "notNull" not in rest and "primaryKey" not in rest,
        "now()" if now else "random" if "defaultRandom" in rest else spelled(default.arg(0)) if default else None,
        "primaryKey" in rest, "unique" in rest, _target(rest.get("references")),
    )  # fmt: skip


def _target(call: CallExpression | None) -> tuple[str, str] | None:
    """`.references(() => users.id)`."""
    block = call.arg(0) if call else None
    inner = block.body[0] if isinstance(block, FunctionBlock) and block.body else None
    if not isinstance(inner, Name) or "." not in inner.text:
        return None
    table, _, column = inner.text.rpartition(".")
    return (f"@{table}", column)


def _indexes(value: Value, columns: Mapping[str, Column]) -> tuple[Index, ...]:
    """`(t) => [uniqueIndex("x").on(t.email)]`, or an object of them."""
    body = value.body[0] if isinstance(value, FunctionBlock) and value.body else None
    listed = body.value if isinstance(body, Assign) else body
    parts = list(listed.values()) if isinstance(listed, dict) else listed if isinstance(listed, list) else []
    indexes = []
    for part in parts:
        if isinstance(part, CallExpression):
            on = next((link for link in part.chain if link.name == "on"), None)
            names = [arg.text.rsplit(".", 1)[-1] for arg in on.args if isinstance(arg, Name)] if on else []
            if names:
                stored = tuple(columns[name].name if name in columns else name for name in names)
                indexes.append(Index(stored, part.chain[0].name in ("uniqueIndex", "unique")))
    return tuple(indexes)
