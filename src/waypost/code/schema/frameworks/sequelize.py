"""Read Sequelize models (`define`, `init`) and migrations."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from waypost.code.schema.languages.ecmascript import read_script, up_bodies
from waypost.code.schema.model import Column, Index, SchemaChange, TableRelation
from waypost.code.schema.names import plural, snake, text_table
from waypost.code.schema.values import (
    Assign,
    CallExpression,
    Class,
    Function,
    FunctionBlock,
    Item,
    Name,
    Value,
    name_of,
    spelled_default,
    text_of,
    texts_of,
)
from waypost.code.source import SourceFile

MODEL, MIGRATION = "Sequelize model", "Sequelize migration"
_RELATIONS = {"hasMany": "has_many", "hasOne": "has_one", "belongsTo": "belongs_to", "belongsToMany": "belongs_to_many"}


def find_sequelize(source: SourceFile) -> Iterator[SchemaChange]:
    unit = read_script(source.text, source.path)
    texts = unit.constants()
    relations: dict[str, list[TableRelation]] = {}
    models: list[SchemaChange] = []
    for call in _all_calls(unit.body):
        change = _model(call, texts)
        if change is not None:
            models.append(change)
        elif call.name in _RELATIONS and isinstance(call.target, Name):
            relations.setdefault(call.target.text, []).append(_relation(call))
    for change in models:
        named = relations.get(change.model, []) + (relations.get("this", []) if len(models) == 1 else [])
        yield replace(change, relations=tuple(named))


def _all_calls(items: tuple[Item, ...]) -> Iterator[CallExpression]:
    """Every call of the file that is a statement, also inside functions and blocks."""
    todo: list[Item] = list(items)
    steps = 0
    while todo and steps < 20_000:
        steps += 1
        item = todo.pop(0)
        value = item.value if isinstance(item, Assign) else item
        if isinstance(value, CallExpression):
            yield value
            todo = [part for part in value.args if isinstance(part, FunctionBlock)] + todo
        elif isinstance(value, FunctionBlock | Function | Class):
            todo = list(value.body) + todo


def _model(call: CallExpression, texts: Mapping[str, str]) -> SchemaChange | None:
    if call.name == "define" and "equelize" in name_of(call.target) and isinstance(call.arg(1), dict):
        name, fields, options = call.text_at(0, texts=texts), call.arg(1), call.arg(2)
    elif call.name == "init" and isinstance(call.target, Name):
        name, fields, options = call.target.text, call.arg(0), call.arg(1)
        if not isinstance(options, dict) or "sequelize" not in options:
            return None
    else:
        return None
    if not isinstance(fields, dict):
        return None
    settings = options if isinstance(options, dict) else {}
    columns = list(_columns(fields, underscored=settings.get("underscored") is True))
    if not any(column.primary for column in columns):
        columns.insert(0, Column("id", "integer", nullable=False, primary=True))
    if settings.get("timestamps") is not False:
        names = ("created_at", "updated_at") if settings.get("underscored") is True else ("createdAt", "updatedAt")
        columns += [Column(n, "timestamp", False) for n in names if n not in [c.name for c in columns]]
    model = text_of(settings.get("modelName")) or name
    table = text_of(settings.get("tableName"), texts) or (
        model if settings.get("freezeTableName") is True else plural(model)
    )
    indexes = _indexes(settings.get("indexes"))
    return SchemaChange(
        "model", table, call.lines, MODEL, "model", tuple(columns), indexes, model=name, flags=("root",)
    )


def _columns(fields: Mapping[str, Value], *, underscored: bool = False) -> Iterator[Column]:
    for name, value in fields.items():
        settings: Mapping[str, Value] = value if isinstance(value, dict) else {"type": value}
        kind = _type(settings.get("type"))
        if not kind:
            continue
        target = settings.get("references")
        references = None
        if isinstance(target, dict):
            model = target.get("model")
            table = text_of(model) or (text_of(model.get("tableName")) if isinstance(model, dict) else "")
            references = (table or f"@{name_of(model)}", text_of(target.get("key")))
        primary = settings.get("primaryKey") is True
        default = settings.get("defaultValue")
        yield Column(
            text_of(settings.get("field")) or (snake(name) if underscored else name), kind,
            False if primary else settings.get("allowNull") is not False, spelled_default(default),
            primary, bool(settings.get("unique")), references, text_of(settings.get("comment")),
        )  # fmt: skip


def _type(value: Value) -> str:
    if isinstance(value, str):
        return value.lower()
    name = value.name if isinstance(value, CallExpression) else name_of(value).rsplit(".", 1)[-1]
    kind = text_table("script_types", "sequelize").get(name, "")
    size = value.arg(0) if isinstance(value, CallExpression) else None
    return f"{kind}({size})" if isinstance(size, int) and kind else kind


def _indexes(value: Value) -> tuple[Index, ...]:
    listed = [settings for settings in value if isinstance(settings, dict)] if isinstance(value, list) else []
    return tuple(
        Index(names, settings.get("unique") is True, text_of(settings.get("name")))
        for settings in listed
        if (names := texts_of(settings.get("fields")))
    )


def _relation(call: CallExpression) -> TableRelation:
    settings = call.arg(1)
    options: Mapping[str, Value] = settings if isinstance(settings, dict) else {}
    target = name_of(call.arg(0)).rsplit(".", 1)[-1]
    key = options.get("foreignKey")
    via = text_of(key) or (text_of(key.get("name")) if isinstance(key, dict) else "")
    if call.name == "belongsToMany":
        through = options.get("through")
        via = text_of(through) or (f"@{name_of(through).rsplit('.', 1)[-1]}" if name_of(through) else "")
    return TableRelation(_RELATIONS[call.name], f"@{target}", via, text_of(options.get("as")))


def find_sequelize_migration(source: SourceFile) -> Iterator[SchemaChange]:
    unit = read_script(source.text, source.path)
    for up in up_bodies(unit):
        for call in _all_calls(up.body):
            yield from _statement(call)


def _statement(call: CallExpression) -> Iterator[SchemaChange]:
    template = SchemaChange("revision", call.text_at(0), call.lines, MIGRATION)
    second, third = call.arg(1), call.arg(2)
    if not template.table:
        return
    match call.name:
        case "createTable" if isinstance(second, dict):
            yield replace(template, action="create_table", columns=tuple(_columns(second)))
        case "addColumn" | "changeColumn" if isinstance(second, str):
            columns = tuple(_columns({second: third}))
            yield replace(
                template, action="add_column" if call.name == "addColumn" else "alter_column", columns=columns
            )
        case "removeColumn" if isinstance(second, str):
            yield replace(template, action="drop_column", name=second)
        case "renameColumn" if isinstance(second, str):
            yield replace(template, action="rename_column", name=second, new_name=text_of(third))
        case "dropTable":
            yield replace(template, action="drop_table")
        case "renameTable":
            yield replace(template, action="rename_table", name=template.table, new_name=text_of(second))
        case "addIndex" if isinstance(second, list):
            unique = isinstance(third, dict) and third.get("unique") is True
            yield replace(template, action="add_index", indexes=(Index(texts_of(second), unique),))
