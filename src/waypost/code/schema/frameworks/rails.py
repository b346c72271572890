"""Read `db/schema.rb` and migrations of Rails."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from waypost.code.schema.languages.ruby import read_ruby
from waypost.code.schema.model import Column, Index, SchemaChange, TableRelation
from waypost.code.schema.names import plural, singular, text_table
from waypost.code.schema.sql.statements import read_embedded_sql
from waypost.code.schema.values import CallExpression, FunctionBlock, Item, Value, spelled_default, text_of, texts_of
from waypost.code.source import SourceFile

_RUN_BLOCKS = ("safety_assured", "reversible", "up", "transaction", "up_only", "say_with_time")
MIGRATION, SCHEMA = "Rails migration", "Rails schema"


def find_rails_schema(source: SourceFile) -> Iterator[SchemaChange]:
    for call in read_ruby(source.text).calls():
        if call.name == "define" and call.args and isinstance(call.args[-1], FunctionBlock):
            for change in _changes(call.args[-1].body, {}):
                yield replace(change, kind=SCHEMA, role="dump")


def find_rails_migration(source: SourceFile) -> Iterator[SchemaChange]:
    """The changes in `change` or `up`. `down` is not read."""
    unit = read_ruby(source.text)
    texts = unit.constants()
    for class_ in unit.classes():
        bodies = {function.name.removeprefix("self."): function.body for function in class_.functions()}
        for name in ("change", "up"):
            for change in _changes(bodies.get(name, ()), texts, bodies):
                yield replace(change, kind=MIGRATION)


def _changes(
    body: tuple[Item, ...],
    texts: Mapping[str, str],
    bodies: Mapping[str, tuple[Item, ...]] | None = None,
    depth: int = 0,
) -> Iterator[SchemaChange]:
    for item in body:
        call = item if isinstance(item, CallExpression) else getattr(item, "value", None)
        name = call.name if isinstance(call, CallExpression) else getattr(item, "text", "")
        if bodies and name in bodies and depth < 3 and not (isinstance(call, CallExpression) and call.target):
            yield from _changes(bodies[name], texts, bodies, depth + 1)
        elif isinstance(call, CallExpression):
            block = call.block
            if block is not None and call.name in _RUN_BLOCKS:
                yield from _changes(block.body, texts, bodies, depth + 1)
            elif call.name not in ("revert", "down"):
                yield from _statement(call, texts)


def _statement(call: CallExpression, texts: Mapping[str, str]) -> Iterator[SchemaChange]:
    table = call.text_at(0, texts=texts)
    template = SchemaChange("revision", table, call.lines, "")
    block = call.block
    match call.name:
        case "create_table" if table:
            yield _create(call, table, block, template, texts)
        case "create_join_table" if len(call.args) > 1:
            yield _join(call, template, texts)
        case "drop_table":
            for arg in call.args:
                if text_of(arg, texts):
                    yield replace(template, action="drop_table", table=text_of(arg, texts))
        case "drop_join_table" if len(call.args) > 1:
            yield replace(template, action="drop_table", table=_join_name(call, texts))
        case "rename_table":
            yield replace(template, action="rename_table", name=table, new_name=call.text_at(1, texts=texts))
        case "change_table" | "with_options" if table and block is not None:
            for inner in block.calls():
                # `add_column :users, …` names its table, even inside a block
                yield from _in_table(inner, table, texts) if inner.target else _statement(inner, texts)
        case "execute":
            yield from read_embedded_sql(call.text_at(0, texts=texts), "", call.lines)
        case _ if table and not call.target:
            yield from _on_table(call.name, table, call, call.args[1:], texts)


def _create(
    call: CallExpression, table: str, block: FunctionBlock | None, template: SchemaChange, texts: Mapping[str, str]
) -> SchemaChange:
    columns: list[Column] = []
    indexes: list[Index] = []
    relations: list[TableRelation] = []
    key = call.named.get("primary_key")
    identity = call.named.get("id", "bigint")
    if identity is not False and not isinstance(key, list):
        name = key if isinstance(key, str) else "id"
        kind = _types().get(identity, identity) if isinstance(identity, str) else "bigint"
        columns.append(Column(name, kind, nullable=False, primary=True))
    for inner in block.calls() if block else ():
        for change in _in_table(inner, table, texts):
            columns += change.columns
            indexes += change.indexes
            relations += change.relations
    return replace(
        template, action="create_table", columns=tuple(columns), indexes=tuple(indexes), relations=tuple(relations),
        primary_key=texts_of(key) if isinstance(key, list) else (), comment=call.text("comment"),
    )  # fmt: skip


def _join_name(call: CallExpression, texts: Mapping[str, str]) -> str:
    names = sorted(text_of(arg, texts) for arg in call.args[:2])
    return call.text("table_name", texts) or "_".join(names)


def _join(call: CallExpression, template: SchemaChange, texts: Mapping[str, str]) -> SchemaChange:
    columns = tuple(
        Column(f"{singular(text_of(arg, texts))}_id", "bigint", nullable=False, references=(text_of(arg, texts), ""))
        for arg in call.args[:2]
    )
    return replace(template, action="create_table", table=_join_name(call, texts), columns=columns)


def _in_table(call: CallExpression, table: str, texts: Mapping[str, str]) -> Iterator[SchemaChange]:
    """`t.string :name` in the block of a table."""
    names = {"remove": "remove_columns", "rename": "rename_column", "change": "change_column", "index": "add_index",
             "references": "add_reference", "belongs_to": "add_reference", "timestamps": "add_timestamps",
             "remove_references": "remove_reference", "foreign_key": "add_foreign_key", "column": "add_column",
             "change_default": "change_column_default", "change_null": "change_column_null",
             "attachment": "add_attachment", "userstamps": "add_userstamps"}  # fmt: skip
    if call.name in _types() and call.name != "timestamps":
        columns = tuple(_column(name, call.name, call.named) for arg in call.args if (name := text_of(arg, texts)))
        indexes = tuple(_inline_index(call, c.name) for c in columns if call.named.get("index"))
        yield SchemaChange("add_column", table, call.lines, "", columns=columns, indexes=indexes)
    else:
        yield from _on_table(names.get(call.name, call.name), table, call, call.args, texts)


def _inline_index(call: CallExpression, column: str) -> Index:
    options = call.named.get("index")
    return Index((column,), isinstance(options, dict) and options.get("unique") is True)


def _types() -> Mapping[str, str]:
    return text_table("rails_types", "types")


def _column(name: str, kind: str, options: Mapping[str, Value]) -> Column:
    written = text_of(options.get("enum_type")) or text_of(options.get("type"))
    kind = written if kind in ("enum", "virtual") else _types().get(kind, kind)
    sizes = [str(options[key]) for key in ("limit", "precision", "scale") if isinstance(options.get(key), int)]
    if sizes and kind in ("varchar", "decimal", "numeric", "char"):
        kind = f"{kind}({','.join(sizes)})"
    if options.get("array") is True:
        kind += "[]"
    return Column(
        name,
        kind,
        nullable=options.get("null") is not False,
        default=spelled_default(options.get("default")),
        primary=options.get("primary_key") is True,
        comment=text_of(options.get("comment")),
    )


def _on_table(
    name: str, table: str, call: CallExpression, args: tuple[Value, ...], texts: Mapping[str, str]
) -> Iterator[SchemaChange]:
    template = SchemaChange("revision", table, call.lines, "")
    names = [text for arg in args if (text := text_of(arg, texts))]
    match name:
        case "add_column" | "add_columns" if len(names) > 1 or "type" in call.named:
            kind = call.text("type") or names.pop()
            yield replace(template, action="add_column", columns=tuple(_column(n, kind, call.named) for n in names))
        case "add_timestamps":
            options = {"null": call.named.get("null", False)}
            columns = tuple(_column(n, "datetime", options) for n in ("created_at", "updated_at"))
            yield replace(template, action="add_column", columns=columns)
        case "remove_column" | "remove_columns" | "remove_column_concurrently" | "remove_timestamps":
            names = ["created_at", "updated_at"] if name == "remove_timestamps" else names
            for column in names[:1] if name == "remove_column" else names:
                yield replace(template, action="drop_column", name=column)
        case "rename_column" if len(names) > 1:
            yield replace(template, action="rename_column", name=names[0], new_name=names[1])
        case "change_column" if len(names) > 1:
            changed = _column(names[0], names[1], call.named)
            if "null" not in call.named:
                changed = replace(changed, nullable=None)
            yield replace(template, action="alter_column", columns=(changed,))
        case "change_column_null" if names and len(args) > 1 and isinstance(args[1], bool):
            yield replace(template, action="alter_column", columns=(Column(names[0], nullable=args[1]),))
        case "change_column_default" if names:
            value = call.named.get("to", args[1] if len(args) > 1 else None)
            changed = Column(names[0], default=spelled_default(value))
            yield replace(
                template, action="alter_column", columns=(changed,), flags=("drop_default",) if value is None else ()
            )
        case "add_attachment":  # of the paperclip gem
            kinds = {"file_name": "string", "content_type": "string", "file_size": "bigint", "updated_at": "datetime"}
            columns = tuple(_column(f"{n}_{part}", kind, {}) for n in names for part, kind in kinds.items())
            yield replace(template, action="add_column", columns=columns)
        case "change_table_comment" | "set_table_comment" if names:
            yield replace(template, action="comment", comment=names[0])
        case _:
            yield from _keys(name, template, call, args, texts)


def _keys(
    name: str, template: SchemaChange, call: CallExpression, args: tuple[Value, ...], texts: Mapping[str, str]
) -> Iterator[SchemaChange]:
    names = [text for arg in args if (text := text_of(arg, texts))]
    match name:
        case "add_reference" | "add_belongs_to" | "add_reference_concurrently":
            for target in names:
                yield _reference(template, target, call.named)
        case "remove_reference" | "remove_belongs_to":
            for target in names:
                yield replace(template, action="drop_column", name=f"{target}_id")
                if call.named.get("polymorphic"):
                    yield replace(template, action="drop_column", name=f"{target}_type")
        case "add_index" | "add_concurrent_index" if args:
            columns = texts_of(args[0], texts)
            unique = call.named.get("unique") is True and "where" not in call.named
            if columns:
                index = Index(columns, unique, call.text("name"))
                yield replace(template, action="add_index", indexes=(index,))
        case "remove_index":
            by = call.text("name")
            if by:
                yield replace(template, action="drop_index", name=by)
        case "add_foreign_key" | "add_concurrent_foreign_key" if names or args:
            target = names[0] if names else ""
            column = call.text("column") or f"{singular(target.rsplit('.', 1)[-1])}_id"
            key = Column(column, references=(target, call.text("primary_key")))
            yield replace(template, action="add_reference", columns=(key,))


def _reference(template: SchemaChange, target: str, options: Mapping[str, Value]) -> SchemaChange:
    """`t.references :author, foreign_key: { to_table: :users }`."""
    kind = text_of(options.get("type")) or "bigint"
    column = _column(
        f"{target}_id", kind, {key: value for key, value in options.items() if key in ("null", "default", "comment")}
    )
    columns = [column]
    relations: tuple[TableRelation, ...] = ()
    foreign = options.get("foreign_key")
    if options.get("polymorphic"):
        columns.insert(0, _column(f"{target}_type", "string", {"null": options.get("null")}))
        relations = (TableRelation("morph_to", "", f"{target}_id", target),)
    elif foreign:
        to = text_of(foreign.get("to_table")) if isinstance(foreign, dict) else ""
        columns = [replace(column, references=(to or plural(target), ""))]
    index = options.get("index", True)
    unique = isinstance(index, dict) and index.get("unique") is True and "where" not in index
    indexes = (Index(tuple(c.name for c in columns), unique),) if index else ()
    return replace(template, action="add_column", columns=tuple(columns), indexes=indexes, relations=relations)
