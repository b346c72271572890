"""Read Laravel models: tables and their relations."""

from collections.abc import Iterator
from dataclasses import replace

from waypost.code.schema.languages.php import read_php
from waypost.code.schema.model import Column, SchemaChange, TableRelation
from waypost.code.schema.names import plural, snake
from waypost.code.schema.values import (
    Assign,
    CallExpression,
    Class,
    Function,
    Name,
    SourceUnit,
    Value,
    name_of,
    text_of,
    texts_of,
)
from waypost.code.source import SourceFile

KIND = "Eloquent model"
_ROOT_CLASSES = frozenset(
    (
        "Illuminate\\Database\\Eloquent\\Model",
        "Illuminate\\Database\\Eloquent\\Relations\\Pivot",
        "Illuminate\\Database\\Eloquent\\Relations\\MorphPivot",
        "Illuminate\\Foundation\\Auth\\User",
        "Spatie\\Permission\\Models\\Role",
        "Spatie\\Permission\\Models\\Permission",
    )
)
_PLAIN = ("hasMany", "hasOne", "belongsTo", "belongsToMany", "morphMany", "morphOne", "morphToMany", "morphTo")
_KINDS = {name: snake(name) for name in _PLAIN}
_KINDS |= {"morphedByMany": "morph_to_many", "hasManyThrough": "has_many", "hasOneThrough": "has_one"}


def find_eloquent(source: SourceFile) -> Iterator[SchemaChange]:
    unit = read_php(source.text)
    texts = unit.constants()
    return (change for class_ in unit.classes() if (change := _model(class_, unit, texts)))


def _full(name: str, unit: SourceUnit) -> str:
    """The class with its namespace: imported, or in the same namespace."""
    bare = name.removesuffix("::class").lstrip("\\")
    if bare in unit.imports:
        return unit.imports[bare]
    return bare if "\\" in bare or not unit.namespace else f"{unit.namespace}\\{bare}"


def _model(class_: Class, unit: SourceUnit, texts: dict[str, str]) -> SchemaChange | None:
    bases = [name_of(base).lstrip("\\") for base in class_.bases]
    relations = tuple(
        relation for method in class_.functions() for relation in _relations(method, class_.name, unit, texts)
    )
    options = class_.assigned()
    full = [unit.imports.get(base, base) for base in bases]
    root = any(name in _ROOT_CLASSES or base == "Eloquent" for base, name in zip(bases, full, strict=True))
    uses = (item for item in class_.body if isinstance(item, CallExpression) and item.name == "use")
    traits = [name_of(arg) for use in uses for arg in use.args]
    if class_.kind == "trait":
        if not relations:
            return None
        flags: tuple[str, ...] = ("mixin",)
    elif not class_.name or not bases:
        return None
    elif class_.kind == "abstract":
        flags = ("abstract", "root") if root else ("abstract",)
    else:
        flags = ("root", "partial") if root else ("partial",)
    change = SchemaChange(
        "model", text_of(options.get("$table"), texts), class_.lines, KIND, "model",
        columns=_columns(options, class_, texts), relations=relations, model=class_.name, flags=flags, scope=unit.namespace,
        bases=tuple("@" + _full(base, unit) for base in (*bases, *traits)), comment=class_.doc,
    )  # fmt: skip
    key = text_of(options.get("$primaryKey"), texts)
    if root and not change.table and any(base == "Pivot" for base in bases):
        change = replace(change, table=snake(class_.name))
    return replace(change, primary_key=(key,)) if key else change


def _columns(options: dict[str, Value], class_: Class, texts: dict[str, str]) -> tuple[Column, ...]:
    """Some of the columns: attributes that may be filled, with their cast types."""
    types = dict(options["$casts"]) if isinstance(options.get("$casts"), dict) else {}  # type: ignore[arg-type]
    for method in class_.functions():
        if method.name == "casts":
            for item in method.body:
                if isinstance(item, Assign) and isinstance(item.value, dict):
                    types |= item.value
    lists = (texts_of(options.get(option), texts) for option in ("$fillable", "$guarded", "$hidden"))
    names = dict.fromkeys(name for listed in lists for name in listed if name != "*")
    return tuple(Column(name, _cast(types.get(name))) for name in names)


def _cast(value: Value) -> str:
    return value.split(":")[0] if isinstance(value, str) else name_of(value).removesuffix("::class").rsplit("\\", 1)[-1]


def _relations(method: Function, owner: str, unit: SourceUnit, texts: dict[str, str]) -> Iterator[TableRelation]:
    """A method with `return $this->hasMany(Comment::class)->latest()` is a relation of its name."""
    for item in method.body:
        call = item.value if isinstance(item, Assign) else item
        if not isinstance(call, CallExpression):
            continue
        first = call.chain[0]
        if first.name in _KINDS and isinstance(first.target, Name) and first.target.text == "$this":
            relation = _relation(first, call.chain[1:], method.name, owner, unit, texts)
            if relation is not None:
                yield relation
                return


def _relation(  # noqa: PLR0911 - one case per kind
    call: CallExpression,
    modifiers: list[CallExpression],
    method: str,
    owner: str,
    unit: SourceUnit,
    texts: dict[str, str],
) -> TableRelation | None:
    kind = _KINDS[call.name]
    if kind == "morph_to":
        name = call.text_at(0, "name", texts) or snake(method)
        return TableRelation(kind, "", f"{name}_id", method)
    value = call.arg(0, "related")
    if isinstance(value, str):
        target = value
    elif isinstance(value, Name) and value.text.endswith("::class"):
        target = owner if value.text in ("self::class", "static::class") else _full(value.text, unit)
    else:
        return None
    name = target.rsplit("\\", 1)[-1]
    second = call.arg(1)
    second_text = text_of(second, texts)
    if call.name in ("hasManyThrough", "hasOneThrough"):
        via = "@" + _full(second.text, unit) if isinstance(second, Name) else ""
        return TableRelation(kind, "@" + target, via, method)
    if kind == "belongs_to_many":
        using = next((link.arg(0) for link in modifiers if link.name == "using"), None)
        default = "_".join(sorted((snake(owner), snake(name))))
        via = second_text or ("@" + _full(using.text, unit) if isinstance(using, Name) else default)
        if isinstance(second, Name) and second.text.endswith("::class"):
            via = "@" + _full(second.text, unit)
        return TableRelation(kind, "@" + target, via, method)
    if kind == "morph_to_many":
        return TableRelation(kind, "@" + target, call.text_at(2, "table", texts) or plural(second_text), method)
    if kind in ("morph_many", "morph_one"):
        return TableRelation(kind, "@" + target, f"{second_text}_id" if second_text else "", method)
    foreign = call.text("foreignKey", texts) or second_text
    default = f"{snake(method)}_id" if kind == "belongs_to" else f"{snake(owner)}_id"
    return TableRelation(kind, "@" + target, foreign or default, method)
