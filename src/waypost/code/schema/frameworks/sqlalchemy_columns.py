"""Read columns and constraints of SQLAlchemy and Alembic."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from waypost.code.schema.draft import TableDraft
from waypost.code.schema.model import Column, Index
from waypost.code.schema.names import text_table
from waypost.code.schema.values import CallExpression, Name, Value, spelled_default, text_of, texts_of

COLUMN_CALLS = frozenset({"Column", "mapped_column"})


def read_column(call: CallExpression, name: str = "", texts: Mapping[str, str] | None = None) -> Column:
    """`Column("name", String(20), ForeignKey("a.id"), nullable=False)`."""
    args = list(call.args)
    if args and (first_text := text_of(args[0], texts)):
        name = first_text
        args.pop(0)
    name = call.text("name", texts) or name
    kind, references = "", None
    for arg in (*args, call.named.get("type_")):
        if isinstance(arg, CallExpression) and arg.name == "ForeignKey":
            references = _target(arg.arg(0, "column"), texts)
        elif not kind and (isinstance(arg, Name) or (isinstance(arg, CallExpression) and arg.name not in _NOT_TYPES)):
            kind = type_of(arg)
    primary = call.named.get("primary_key") is True
    default = call.named.get("server_default", call.named.get("default"))
    nullable = call.named.get("nullable")
    if isinstance(default, CallExpression) and default.name == "text" and default.args:
        default = default.args[0] if default.args[0] is not None else "null"
    return Column(
        name=name,
        type=kind,
        nullable=False if primary else nullable if isinstance(nullable, bool) else None,
        default=spelled_default(default),
        primary=primary,
        unique=call.named.get("unique") is True,
        references=references,
        comment=call.text("comment") or call.text("doc"),
    )


_NOT_TYPES = frozenset(
    {"ForeignKey", "Sequence", "Identity", "Computed", "CheckConstraint", "FetchedValue", "UniqueConstraint"}
)


def type_of(value: Value) -> str:
    """`sa.String(length=20)` is `varchar(20)`."""
    types = text_table("sqlalchemy_types", "types")
    if isinstance(value, Name):
        last = value.text.rsplit(".", 1)[-1]
        return types.get(last, last)[:60]
    if not isinstance(value, CallExpression):
        return ""
    if value.name in ("with_variant", "as_mutable", "evaluates_none") and isinstance(value.target, CallExpression):
        return type_of(value.target)
    if value.name == "as_mutable" and value.args:
        return type_of(value.args[0])
    name = types.get(value.name, value.name)
    sizes = [value.named[key] for key in ("length", "precision", "scale") if isinstance(value.named.get(key), int)]
    sizes = sizes or [arg for arg in value.args[:2] if isinstance(arg, int) and not isinstance(arg, bool)]
    return f"{name}({','.join(map(str, sizes))})" if sizes else name


def _target(value: Value, texts: Mapping[str, str] | None = None) -> tuple[str, str] | None:
    """`"schema.users.id"` is table `schema.users`, column `id`; `User.id` is a class."""
    text = text_of(value, texts)
    if text:
        table, _, column = text.rpartition(".")
        return (table, column) if table else (column, "")
    if isinstance(value, Name) and re.fullmatch(r"[\w.]+", value.text):
        parts = value.text.split(".")
        if parts[-2:-1] == ["c"]:
            del parts[-2]
        return ("@" + ".".join(parts[:-1]), parts[-1]) if len(parts) > 1 else None
    return None


def apply_constraint(draft: TableDraft, call: CallExpression, texts: Mapping[str, str] | None = None) -> None:
    """Apply a constraint in the column list of a table."""
    if call.name == "PrimaryKeyConstraint":
        draft.primary_key = tuple(text for arg in call.args if (text := text_of(arg, texts)))
    elif call.name == "UniqueConstraint":
        names = tuple(text for arg in call.args if (text := text_of(arg, texts)))
        if names:
            draft.add_index(Index(names, True, call.text("name")))
    elif call.name == "Index":
        names = tuple(text_of(arg, texts) or _last(arg) for arg in call.args[1:])
        if names and all(names):
            draft.add_index(Index(names, call.named.get("unique") is True, call.text_at(0, texts=texts)))
    elif call.name == "ForeignKeyConstraint" and len(call.args) > 1:
        refer(draft, texts_of(call.args[0], texts), call.args[1], texts)


def refer(draft: TableDraft, names: Sequence[str], targets: Value, texts: Mapping[str, str] | None = None) -> None:
    for place, name in enumerate(names):
        target = _target(targets[place], texts) if isinstance(targets, list) and place < len(targets) else None
        column = draft.columns.get(name.lower())
        if target and column:
            draft.columns[name.lower()] = replace(column, references=target)


def _last(value: Value) -> str:
    return value.text.rsplit(".", 1)[-1] if isinstance(value, Name) and re.fullmatch(r"[\w.]+", value.text) else ""
