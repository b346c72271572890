"""Read Rails models: tables and their relations."""

from collections.abc import Iterator, Mapping

from waypost.code.schema.languages.ruby import read_ruby
from waypost.code.schema.model import SchemaChange, TableRelation
from waypost.code.schema.names import camel, singular, snake
from waypost.code.schema.values import CallExpression, Class, Item, Name, Value, name_of, text_of
from waypost.code.source import SourceFile

KIND = "ActiveRecord model"
_ROOTS = ("ApplicationRecord", "ActiveRecord::Base")
_KINDS = {name: name for name in ("has_many", "has_one", "belongs_to")} | {"has_and_belongs_to_many": "belongs_to_many"}


def find_active_record(source: SourceFile) -> Iterator[SchemaChange]:
    return (change for class_ in read_ruby(source.text).classes() if (change := _model(class_)))


def _model(class_: Class) -> SchemaChange | None:
    bases = [name_of(base) for base in class_.bases]
    relations: list[TableRelation] = []
    includes: list[str] = []
    targets: dict[str, str] = {}  # associations of this class: name → target class
    scoped = class_.name.rpartition("::")[0]
    for call in _declared(class_.body):
        if call.name in _KINDS and call.args and isinstance(call.args[0], str):
            relation = _relation(call, call.args[0], class_.name, targets)
            targets[relation.name] = relation.target
            relations.append(relation)
        elif call.name == "include":
            includes += [name_of(arg) for arg in call.args]
    options = class_.assigned()
    root = any(base in _ROOTS for base in bases)
    table = text_of(options.get("self.table_name"))
    if class_.kind == "module" or not (root or bases):
        if not relations:
            return None
        flags: tuple[str, ...] = ("mixin",)
    elif options.get("self.abstract_class") is True or Name("primary_abstract_class") in class_.body:
        flags = ("abstract", "root")
    else:
        flags = ("root", "partial") if root else ("one_table", "partial")
    parents = tuple("@" + name.removeprefix("::") for name in (*bases, *includes) if name and name not in _ROOTS)
    return SchemaChange(
        "model", table, class_.lines, KIND, "model", relations=tuple(relations), model=class_.name, bases=parents,
        flags=flags, scope=scoped, comment=class_.doc,
    )  # fmt: skip


def _declared(
    body: tuple[Item, ...], shared: Mapping[str, Value] | None = None, depth: int = 0
) -> Iterator[CallExpression]:
    """The calls of a class body and of `included` blocks, with the options of `with_options` around them."""
    for item in body:
        if not isinstance(item, CallExpression):
            continue
        block = item.block
        if item.name in ("included", "with_options") and block is not None and depth < 5:
            yield from _declared(block.body, {**(shared or {}), **item.named}, depth + 1)
        elif shared:
            yield CallExpression(item.name, None, item.args, {**shared, **item.named}, item.lines)
        else:
            yield item


def _relation(call: CallExpression, name: str, owner: str, targets: Mapping[str, str]) -> TableRelation:
    kind, options = _KINDS[call.name], call.named
    through = text_of(options.get("through"))
    target = "@" + (_class_name(options) or camel(singular(name) if kind in ("has_many", "belongs_to_many") else name))
    if through:
        # only the class in between knows the target: `@Follow#target_account` is its association of that name
        between = targets.get(through, "@" + camel(singular(through)))
        source = text_of(options.get("source")) or name
        target = target if _class_name(options) else f"{between}#{source}"
        return TableRelation("belongs_to_many" if kind == "has_many" else kind, target, between, name)
    if options.get("polymorphic") is True:
        return TableRelation("morph_to", "", f"{name}_id", name)
    if "as" in options and kind in ("has_many", "has_one"):
        return TableRelation(
            "morph_many" if kind == "has_many" else "morph_one", target, f"{text_of(options['as'])}_id", name
        )
    if kind == "belongs_to_many":
        return TableRelation(kind, target, text_of(options.get("join_table")), name)
    own = snake(owner.rsplit("::", 1)[-1])
    via = text_of(options.get("foreign_key")) or (f"{name}_id" if kind == "belongs_to" else f"{own}_id")
    return TableRelation(kind, target, via, name)


def _class_name(options: Mapping[str, Value]) -> str:
    value = options.get("class_name")
    return (value if isinstance(value, str) else "").removeprefix("::")
