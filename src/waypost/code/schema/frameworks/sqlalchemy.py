"""Read SQLAlchemy and SQLModel: declarative classes, mixins and plain tables."""

import re
from collections.abc import Iterator
from dataclasses import replace

from waypost.code.schema.draft import TableDraft
from waypost.code.schema.frameworks.sqlalchemy_columns import COLUMN_CALLS, apply_constraint, read_column, type_of
from waypost.code.schema.languages.python import read_python
from waypost.code.schema.model import Column, Index, SchemaChange, TableRelation
from waypost.code.schema.names import snake, text_table
from waypost.code.schema.values import (
    Assign,
    CallExpression,
    Class,
    Function,
    Name,
    SourceUnit,
    Value,
    first_paragraph,
    name_of,
    spelled,
    text_of,
)
from waypost.code.source import SourceFile
from waypost.model.reference import LineRange

MODEL = "SQLAlchemy model"
_LIST_TYPE = re.compile(r"(?:\w+\.)*(?:list|List|set|Set|Sequence)\[|(?:\w+\.)*(?:DynamicMapped|WriteOnlyMapped)")
_RELATIONS = frozenset({"relationship", "Relationship", "relation", "dynamic_loader", "backref"})


def find_sqlalchemy(source: SourceFile) -> Iterator[SchemaChange]:
    unit = read_python(source.text, functions=True)
    texts = unit.constants()
    yield from (change for class_ in unit.classes() if (change := _model(class_, unit, texts)))
    for item in unit.fields():
        call = item.value
        if isinstance(call, CallExpression) and call.name == "Table" and len(call.args) > 1:
            yield from [change] if (change := _table(item, call, texts)) else []


def _table(item: Assign, call: CallExpression, texts: dict[str, str]) -> SchemaChange | None:
    name = text_of(call.args[0], texts)
    draft = TableDraft(name)
    for arg in call.args[2:]:
        if isinstance(arg, CallExpression) and arg.name in COLUMN_CALLS:
            draft.put(read_column(arg, texts=texts).or_nullable())
        elif isinstance(arg, CallExpression):
            apply_constraint(draft, arg, texts)
    if not name or not draft.columns:
        return None
    return _change(draft, item.name, call.lines.start, call.lines.end, flags=("root",))


def _change(draft: TableDraft, model: str, start: int, end: int, flags: tuple[str, ...]) -> SchemaChange:
    return SchemaChange(
        "model", draft.name, LineRange(start, end), MODEL, "model", tuple(draft.columns.values()),
        tuple(draft.indexes), tuple(draft.relations), draft.primary_key, model=model, flags=flags,
        comment=draft.comment,
    )  # fmt: skip


def _model(class_: Class, unit: SourceUnit, texts: dict[str, str]) -> SchemaChange | None:
    bases = [name_of(base) for base in class_.bases]
    options = class_.assigned()
    sqlmodel = options.get("class:table") is True
    draft = TableDraft(text_of(options.get("__tablename__"), texts), comment=first_paragraph(class_.doc))
    for item in class_.body:
        if isinstance(item, Assign):
            _field(draft, item, texts, plain=sqlmodel or "SQLModel" in bases)
        elif isinstance(item, Function) and any(
            "declared_attr" in name_of(d) or "declared_attr" in d.name for d in item.decorators
        ):
            _declared(draft, item, texts)
    _table_args(draft, options.get("__table_args__"), texts)
    if isinstance(options.get("__table__"), CallExpression) and not draft.name:
        change = _table(Assign(class_.name, options["__table__"], class_.lines), options["__table__"], texts)  # type: ignore[arg-type]
        if change is not None:
            return replace(change, model=class_.name, bases=tuple(unit.reference(b) for b in bases))
    is_shared_base = any(base.endswith(("Mixin", "Base", "Model", "Nullable")) for base in bases)
    if not (draft.columns or draft.relations or draft.name or is_shared_base):
        return None
    flags = _flags(draft, bases, sqlmodel, options)
    if not draft.name and "root" in flags:
        draft.name = class_.name.lower() if sqlmodel else snake(class_.name.rsplit(".", 1)[-1])
    change = _change(draft, class_.name.rsplit(".", 1)[-1], class_.lines.start, class_.lines.end, flags)
    return replace(change, bases=tuple(unit.reference(base) for base in bases))


def _flags(draft: TableDraft, bases: list[str], sqlmodel: bool, options: dict[str, Value]) -> tuple[str, ...]:
    if options.get("__abstract__") is True:
        return ("abstract",)
    if draft.name or sqlmodel:
        return ("root",)
    # Flask-SQLAlchemy names tables after classes; other classes without a table name are mixins or subclasses
    if "db.Model" in bases and draft.primary_key:
        return ("root",)
    is_base = bases in ([], ["object"]) or any(base in ("SQLModel", "Base") or base.endswith("Mixin") for base in bases)
    return ("mixin",) if is_base or draft.primary_key else ("mixin", "one_table")


def _field(draft: TableDraft, item: Assign, texts: dict[str, str], *, plain: bool) -> None:
    value, hint = item.value, item.annotation
    inner = None
    if isinstance(hint, CallExpression) and hint.name == "[]" and name_of(hint.target).endswith("Mapped") and hint.args:
        inner = hint.args[0]
    if isinstance(value, CallExpression):
        if value.name in COLUMN_CALLS:
            column = read_column(value, item.name, texts)
            draft.put(column.or_nullable() if inner is None else _annotated(column, inner))
            if value.named.get("index") is True:
                draft.add_index(Index((column.name,), column.unique))
        elif value.name in _RELATIONS:
            _relate(draft, item, value, inner if inner is not None else hint)
        elif value.name == "primary_key":
            draft.put(Column(item.name, "integer", nullable=False, primary=True))
        elif value.name == "Field" and plain and hint is not None:
            draft.put(_sqlmodel(item.name, value, hint))
        elif value.name in ("deferred", "column_property"):
            inside = value.arg(0)
            if isinstance(inside, CallExpression) and inside.name in COLUMN_CALLS:
                draft.put(read_column(inside, item.name, texts).or_nullable())
    elif inner is not None and not item.name.startswith("__"):
        draft.put(_annotated(Column(item.name), inner))
    elif plain and hint is not None and not item.name.startswith(("_", "class:", "model_config")):
        column = _annotated(Column(item.name), hint)
        if not _is_list(hint):
            draft.put(replace(column, default=spelled(value)) if value is not None else column)


def _declared(draft: TableDraft, function: Function, texts: dict[str, str]) -> None:
    for item in function.body:
        if isinstance(item, CallExpression):
            _field(draft, Assign(function.name, item, function.lines), texts, plain=False)
        elif isinstance(item, Name) and function.name == "__tablename__":
            return


def _annotated(column: Column, hint: Value) -> Column:
    """The column with type and nullability of `Mapped[str | None]`."""
    if hint is None:
        return column
    names = text_table("sqlalchemy_types", "annotations")
    text = _hint_text(hint)
    optional = "Optional" in text or "None" in text
    word = next(
        (word for word in re.findall(r"\w+", text) if word not in ("Optional", "None", "Union", "Annotated")), ""
    )
    return replace(
        column,
        type=column.type or names.get(word, word),
        nullable=column.nullable if column.nullable is not None else optional,
    )


def _hint_text(hint: Value) -> str:
    if isinstance(hint, CallExpression):
        return f"{name_of(hint.target)}[{', '.join(_hint_text(arg) for arg in hint.args)}]"
    return hint.text if isinstance(hint, Name) else hint if isinstance(hint, str) else "None" if hint is None else ""


def _is_list(hint: Value) -> bool:
    return _LIST_TYPE.match(_hint_text(hint)) is not None


def _sqlmodel(name: str, call: CallExpression, hint: Value) -> Column:
    target = call.text("foreign_key")
    inner = call.named.get("sa_column")
    column = _annotated(read_column(inner, name) if isinstance(inner, CallExpression) else Column(name), hint)
    kind = call.named.get("sa_type")
    size = call.named.get("max_length")
    if isinstance(size, int) and column.type == "varchar":
        column = replace(column, type=f"varchar({size})")
    primary = call.named.get("primary_key") is True
    default = call.arg(0, "default")
    given = (bool(call.args) or "default" in call.named) and default is not None and spelled(default) != "..."
    return replace(
        column,
        type=type_of(kind) if kind is not None else column.type,
        primary=primary,
        nullable=False if primary else column.nullable,
        unique=call.named.get("unique") is True,
        default=spelled(default) if given else None,
        references=(target.rpartition(".")[0], target.rpartition(".")[2]) if target else column.references,
    )


def _relate(draft: TableDraft, item: Assign, call: CallExpression, hint: Value) -> None:
    target = call.arg(0, "argument")
    name = target if isinstance(target, str) else name_of(target)
    if isinstance(target, CallExpression) or not name:
        words = [w for w in re.findall(r"[A-Za-z_]\w*", _hint_text(hint)) if w not in _CONTAINERS]
        name = words[0] if words else name
    if not name or not re.fullmatch(r"[\w.]+", name):
        return
    secondary = call.named.get("secondary", call.named.get("link_model"))
    if secondary is not None:
        via = text_of(secondary) or ("@" + name_of(secondary) if name_of(secondary) else "")
        draft.relations.append(TableRelation("belongs_to_many", "@" + name, via, item.name))
    elif call.named.get("uselist") is False:
        draft.relations.append(TableRelation("relates_one", "@" + name, "", item.name))
    else:
        draft.relations.append(TableRelation("relates", "@" + name, "", item.name))


_CONTAINERS = frozenset((
    "list", "List", "set", "Set", "Optional", "Union", "None", "Mapped", "typing", "Sequence", "DynamicMapped",
    "WriteOnlyMapped", "t",
))  # fmt: skip


def _table_args(draft: TableDraft, value: Value, texts: dict[str, str]) -> None:
    for part in value if isinstance(value, list) else [value]:
        if isinstance(part, CallExpression):
            apply_constraint(draft, part, texts)
        elif isinstance(part, dict):
            draft.comment = text_of(part.get("comment")) or draft.comment
            schema = text_of(part.get("schema"), texts)
            if schema and draft.name:
                draft.name = f"{schema}.{draft.name}"
