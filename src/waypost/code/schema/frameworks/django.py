"""Read Django models and applications."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

from waypost.code.schema.languages.python import read_python
from waypost.code.schema.model import Column, Index, SchemaChange, TableRelation
from waypost.code.schema.names import text_table
from waypost.code.schema.values import (
    Assign,
    CallExpression,
    Class,
    Name,
    SourceUnit,
    Value,
    first_paragraph,
    name_of,
    spelled,
    text_of,
    texts_of,
)
from waypost.code.source import SourceFile
from waypost.model.reference import LineRange

MODEL, MIGRATION = "Django model", "Django migration"
_SETTING = re.compile(r"^([A-Z][A-Z_]{1,60}_MODEL)\s*=\s*['\"](\w{1,99}\.\w{1,99})['\"]", re.M)
_ROOTS = ("models.Model", "Model", "gis_models.Model", "base_models.Model")


@cache
def _field_kinds() -> tuple[Mapping[str, str], Mapping[str, frozenset[str]]]:
    kinds = text_table("django_fields", "kinds")
    return text_table("django_fields", "types"), {kind: frozenset(words.split()) for kind, words in kinds.items()}


def find_django_models(source: SourceFile) -> tuple[SchemaChange, ...]:
    unit = read_python(source.text)
    in_models = re.search(r"(?:^|/)models?(?:/|\.py$)", source.path) is not None
    classes = [class_ for class_ in unit.classes() if class_.bases]
    classes = [class_ for class_ in classes if class_.name.rsplit(".", 1)[-1] not in ("Meta", "Migration")]
    return tuple(change for class_ in classes if (change := _model(class_, unit, in_models)))


def find_django_apps(source: SourceFile) -> Iterator[SchemaChange]:
    """`apps.py` names an application. Settings may name the user model."""
    for setting in _SETTING.finditer(source.text):
        line = source.text.count("\n", 0, setting.start()) + 1
        yield SchemaChange(
            "app", "", LineRange(line, line), MODEL, "model", name=setting[1], new_name=setting[2], flags=("setting",)
        )
    if not source.path.endswith("apps.py"):
        return
    folder = source.path.rpartition("/")[0]
    for class_ in read_python(source.text).classes():
        options = {item.name: text_of(item.value) for item in class_.fields()}
        label = options.get("label") or options.get("name", "").rsplit(".", 1)[-1]
        if label:
            yield SchemaChange("app", "", class_.lines, MODEL, "model", name=label, scope=folder)
            return


def _model(class_: Class, unit: SourceUnit, in_models: bool) -> SchemaChange | None:
    """A class that may be a model, by itself or through a base class."""
    bases = [name_of(base) for base in class_.bases if isinstance(base, Name | CallExpression)]
    columns, many = _fields(class_.fields(), unit)
    root = any(base in _ROOTS for base in bases) and _from_django(bases, unit)
    flags = {"root"} if root else set()
    meta = next((part for part in class_.classes() if part.name.endswith(".Meta")), None)
    options = meta.assigned() if meta else {}
    for flag in ("abstract", "proxy"):
        if options.get(flag) is True:
            flags.add(flag)
    if not (root or columns or many or in_models):
        return None
    if not root and any(
        isinstance(i.value, CallExpression) and name_of(i.value.target).endswith("models") for i in class_.fields()
    ):
        flags.add("fields")
    scope = text_of(options.get("app_label"))
    return SchemaChange(
        "model", text_of(options.get("db_table")), class_.lines, MODEL, "model",
        columns=columns, relations=many, indexes=read_indexes(options), primary_key=(),
        model=class_.name.rsplit(".", 1)[-1], bases=tuple(unit.reference(base) for base in bases),
        flags=tuple(sorted(flags)), scope=scope, comment=text_of(options.get("db_table_comment")) or first_paragraph(class_.doc),
    )  # fmt: skip


def _from_django(bases: list[str], unit: SourceUnit) -> bool:
    """A plain `Model` must be imported from Django."""
    return any(base != "Model" for base in bases if base in _ROOTS) or "django" in unit.imports.get("Model", "")


def _fields(assigned: Iterator[Assign], unit: SourceUnit) -> tuple[tuple[Column, ...], tuple[TableRelation, ...]]:
    columns: list[Column] = []
    many: list[TableRelation] = []
    for item in assigned:
        if isinstance(item.value, CallExpression):
            read_field(item.name, item.value, unit, columns, many)
    return tuple(columns), tuple(many)


def read_field(
    name: str, call: CallExpression, unit: SourceUnit, columns: list[Column], many: list[TableRelation]
) -> None:
    types, kinds = _field_kinds()
    kind = call.name
    if kind in kinds["none"]:
        return
    if kind in kinds["many"]:
        through = _reference(call.named.get("through"), unit)
        via = through or call.text("db_table")
        many.append(TableRelation("belongs_to_many", _reference(call.arg(0, "to"), unit) or "", via, name))
    elif kind in kinds["one"] or kind in kinds["unique"]:
        target = _reference(call.arg(0, "to"), unit)
        field = call.text("to_field")
        column = _column(f"{name}_id", call, "integer")
        unique = column.unique or kind in kinds["unique"]
        columns.append(replace(column, references=(target, field) if target else None, unique=unique))
    elif kind in types or (kind.endswith("Field") and _is_column(call)):
        columns.append(_column(name, call, _type(types.get(kind, ""), call, kind)))


def _is_column(call: CallExpression) -> bool:
    """Whether a custom field is a column. `forms.CharField` and `serializers.CharField` are not."""
    owner = name_of(call.target).rsplit(".", 1)[-1]
    return owner not in ("forms", "serializers", "fields", "filters", "graphene", "schema", "blocks")


def _column(name: str, call: CallExpression, kind: str) -> Column:
    primary = call.named.get("primary_key") is True
    comment = call.text("db_comment") or call.text("help_text")
    default = call.named["default"] if "default" in call.named else call.named.get("db_default")
    given = "default" in call.named or "db_default" in call.named
    return Column(
        name=call.text("db_column") or name,
        type=kind,
        nullable=False if primary else call.named.get("null") is True,
        default=spelled(default) if given else None,
        primary=primary,
        unique=call.named.get("unique") is True,
        comment=comment[:200],
    )


def _type(pattern: str, call: CallExpression, kind: str) -> str:
    """The type with its arguments; the name of the field class if it is not one of Django's."""
    if not pattern:
        return kind
    if "{" not in pattern:
        return pattern
    head, _, rest = pattern.partition("(")
    values = [call.named.get(name.strip("{})")) for name in rest.split(",")]
    if kind == "CharField" and values == [None] and len(call.args) > 1:
        values = [call.args[1]]
    arguments = [spelled(value) for value in values if value is not None]
    return f"{head}({','.join(arguments)})" if arguments else head


def _reference(value: Value, unit: SourceUnit) -> str:
    """The `@app.Model` that a text, class or setting names."""
    if isinstance(value, CallExpression) and value.name in ("get_user_model", "swappable_dependency"):
        return "@settings.AUTH_USER_MODEL"
    if isinstance(value, CallExpression) and value.name in ("get_model_name", "get_model"):
        names = texts_of(list(value.args))
        return "@" + ".".join(names) if len(names) == 2 else ""
    if isinstance(value, str):
        return "@" + value
    if isinstance(value, Name) and re.fullmatch(r"[\w.]+", value.text):
        if value.text.startswith("settings."):
            return "@" + value.text
        head, dot, rest = value.text.partition(".")
        return unit.reference(head) + dot + rest
    return ""


def read_indexes(meta: Mapping[str, Value]) -> tuple[Index, ...]:
    indexes = []
    for option, unique in (("unique_together", True), ("index_together", False)):
        groups = meta.get(option)
        if isinstance(groups, list) and groups:
            for group in [groups] if isinstance(groups[0], str) else groups:
                names = texts_of(group)
                if names:
                    indexes.append(Index(names, unique))
    for option in ("indexes", "constraints"):
        listed = meta.get(option)
        marks = [call for call in listed if isinstance(call, CallExpression)] if isinstance(listed, list) else []
        indexes += [index for call in marks if (index := read_index(call))]
    return tuple(indexes)


def read_index(call: CallExpression) -> Index | None:
    names = tuple(name.lstrip("-") for name in texts_of(call.named.get("fields")))
    if not names or call.name == "CheckConstraint":
        return None
    unique = call.name == "UniqueConstraint" and "condition" not in call.named
    return Index(names, unique, call.text("name"))
