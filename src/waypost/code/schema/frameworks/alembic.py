"""Read the `upgrade` operations of Alembic migrations."""

from collections.abc import Iterator
from dataclasses import replace

from waypost.code.schema.draft import TableDraft
from waypost.code.schema.frameworks.sqlalchemy_columns import COLUMN_CALLS, apply_constraint, read_column, type_of
from waypost.code.schema.languages.python import read_python
from waypost.code.schema.model import Column, Index, SchemaChange
from waypost.code.schema.sql.statements import read_embedded_sql
from waypost.code.schema.values import Assign, CallExpression, Item, Name, Value, spelled_default, text_of, texts_of
from waypost.code.source import SourceFile

KIND = "Alembic migration"


def find_alembic(source: SourceFile) -> Iterator[SchemaChange]:
    unit = read_python(source.text, functions=True)
    options = {item.name: item for item in unit.fields()}
    if "down_revision" not in options or "revision" not in options:
        return
    texts = unit.constants()
    revision = text_of(options["revision"].value)
    after = texts_of(options["down_revision"].value)
    if "depends_on" in options:
        after += texts_of(options["depends_on"].value)
    yield SchemaChange("revision", "", options["revision"].lines, KIND, revision=revision, after=after)
    bodies = {function.name: function.body for function in unit.functions()}
    for item in _inlined(bodies.get("upgrade", ()), bodies, texts):
        yield from _read(item[0], item[1], texts)


def _inlined(
    body: tuple[Item, ...], bodies: dict[str, tuple[Item, ...]], texts: dict[str, str], depth: int = 0
) -> Iterator[tuple[CallExpression, str]]:
    """The calls of `upgrade` and of local functions it calls, each with the table of its batch."""
    batches: dict[str, str] = {}
    for item in body:
        call = item.value if isinstance(item, Assign) else item
        if not isinstance(call, CallExpression):
            continue
        if isinstance(item, Assign) and call.name == "batch_alter_table":
            batches[item.name] = _table(call.arg(0, "table_name"), texts)
        elif not call.owner and call.name in bodies and depth < 3:
            yield from _inlined(bodies[call.name], bodies, texts, depth + 1)
        elif call.owner in batches:
            yield call, batches[call.owner]
        else:
            yield call, ""


def _read(call: CallExpression, batch: str, texts: dict[str, str]) -> Iterator[SchemaChange]:
    if call.owner not in ("op", "", "batch_op", "alembic.op") and not batch:
        return
    # Some migrations repeat the table inside its batch.
    again = batch and len(call.args) > 1 and call.arg(0) == batch and isinstance(call.arg(1), str)
    shift = 0 if batch and not again else 1

    def at(place: int, name: str) -> str:
        """An argument after the table. Inside a batch there is no table argument."""
        return text_of(call.arg(place + shift, name), texts)

    table = batch or _table(call.arg(0, "table_name"), texts)
    template = SchemaChange("revision", table, call.lines, KIND)
    match call.name:
        case "create_table":
            yield from _create(call, texts)
        case "drop_table" | "drop_table_if_exists" if table:
            yield replace(template, action="drop_table")
        case "rename_table":
            new = call.text_at(1, "new_table_name", texts)
            old = call.text_at(0, "old_table_name", texts)
            yield replace(template, action="rename_table", table=old, name=old, new_name=new)
        case "add_column" | "add_columns" if table:
            calls = [arg for arg in call.args if isinstance(arg, CallExpression) and arg.name in COLUMN_CALLS]
            columns = [read_column(arg, texts=texts) for arg in calls]
            column = call.named.get("column")
            if isinstance(column, CallExpression):
                columns.append(read_column(column, texts=texts))
            if columns:
                yield replace(template, action="add_column", columns=tuple(c.or_nullable() for c in columns))
        case "drop_column" | "drop_columns" if table:
            names = texts_of(list(call.args[shift:]), texts) or texts_of(call.named.get("column_name"), texts)
            for name in names:
                yield replace(template, action="drop_column", name=name)
        case "alter_column" if table:
            yield from _alter(call, template, at(0, "column_name"))
        case _:
            yield from _keys(call, batch, template, texts)


def _table(value: Value, texts: dict[str, str]) -> str:
    """A text, or `@Class` for `Class.__tablename__`, which another file defines."""
    if isinstance(value, Name) and value.text.endswith(".__tablename__"):
        return "@" + value.text.removesuffix(".__tablename__")
    return text_of(value, texts)


def _create(call: CallExpression, texts: dict[str, str]) -> Iterator[SchemaChange]:
    draft = TableDraft(_table(call.arg(0, "table_name"), texts))
    for arg in call.args[1:]:
        if isinstance(arg, CallExpression) and arg.name in COLUMN_CALLS:
            draft.put(read_column(arg, texts=texts).or_nullable())
    for arg in call.args[1:]:
        if isinstance(arg, CallExpression) and arg.name not in COLUMN_CALLS:
            apply_constraint(draft, arg, texts)
    if draft.name:
        schema = call.text("schema")
        yield SchemaChange(
            "create_table", f"{schema}.{draft.name}" if schema and schema != "public" else draft.name, call.lines, KIND,
            columns=tuple(draft.columns.values()), indexes=tuple(draft.indexes), primary_key=draft.primary_key,
            comment=call.text("comment"),
        )  # fmt: skip


def _alter(call: CallExpression, template: SchemaChange, name: str) -> Iterator[SchemaChange]:
    new = call.text("new_column_name") or call.text("name")
    nullable, default = call.named.get("nullable"), call.named.get("server_default")
    column = Column(
        name,
        type=type_of(call.named.get("type_")),
        nullable=nullable if isinstance(nullable, bool) else None,
        default=spelled_default(default),
        comment=call.text("comment"),
    )
    dropped = "server_default" in call.named and default is None
    if (name and column != Column(name)) or dropped:
        yield replace(template, action="alter_column", columns=(column,), flags=("drop_default",) if dropped else ())
    if name and new and new != name:
        yield replace(template, action="rename_column", name=name, new_name=new)


def _keys(call: CallExpression, batch: str, template: SchemaChange, texts: dict[str, str]) -> Iterator[SchemaChange]:
    """Keys and indexes: their name comes first, then the table, except inside a batch."""
    name = call.text_at(0, "constraint_name", texts) or call.text("index_name", texts)
    shift = 0 if batch else 1
    table = batch or _table(call.arg(1, "table_name"), texts) or call.text("source_table", texts)
    template = replace(template, table=table)
    match call.name:
        case "create_index" | "create_unique_constraint":
            names = texts_of(call.arg(1 + shift, "columns"), texts)
            unique = call.name == "create_unique_constraint" or call.named.get("unique") is True
            if names and table:
                yield replace(template, action="add_index", indexes=(Index(names, unique, name),))
        case "create_primary_key":
            yield replace(template, action="add_key", primary_key=texts_of(call.arg(1 + shift, "columns"), texts))
        case "create_foreign_key" if table:
            target = text_of(call.arg(1 + shift, "referent_table"), texts)
            ours = texts_of(call.arg(2 + shift, "local_cols"), texts)
            theirs = texts_of(call.arg(3 + shift, "remote_cols"), texts)
            columns = tuple(Column(o, references=(target, t)) for o, t in zip(ours, theirs, strict=False))
            yield replace(template, action="add_reference", columns=columns)
        case "drop_constraint" | "drop_index" if name:
            yield replace(template, action="drop_index", name=name)
        case "execute":
            sql = call.arg(0, "sqltext")
            if isinstance(sql, CallExpression) and sql.args:
                sql = sql.args[0]
            yield from read_embedded_sql(text_of(sql, texts), KIND, call.lines)
