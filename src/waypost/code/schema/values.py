"""Code as values: the common form of all languages for detectors.

`t.string("name", null: false)` in Ruby, `$t->string('name')` in PHP and `Column("name", String)` in Python are all a
`CallExpression`. A literal is itself. Whatever depends on running the code is a `Name` with its text.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, Union

from waypost.model.reference import LineRange


@dataclass(frozen=True, slots=True)
class Name:
    """A name, or an unresolved expression, as written."""

    text: str


class CodeBody:
    """Something with statements."""

    __slots__ = ()
    body: tuple["Item", ...]

    def calls(self) -> Iterator["CallExpression"]:
        """The calls that are statements or assigned values, in order."""
        for item in self.body:
            call = item.value if isinstance(item, Assign) else item
            if isinstance(call, CallExpression):
                yield call

    def classes(self) -> Iterator["Class"]:
        """All classes, including nested ones."""
        for item in self.body:
            if isinstance(item, Class):
                yield item
                yield from item.classes()

    def functions(self) -> Iterator["Function"]:
        return (item for item in self.body if isinstance(item, Function))

    def fields(self) -> Iterator["Assign"]:
        return (item for item in self.body if isinstance(item, Assign))

    def assigned(self) -> dict[str, "Value"]:
        """The values of fields, by name."""
        return {item.name: item.value for item in self.fields()}

    def constants(self) -> dict[str, str]:
        """Constants with a fixed text in this file, under every spelling of their use."""
        texts: dict[str, str] = {}
        todo: list[tuple[Item, int]] = [(item, 0) for item in self.body]
        while todo:
            item, depth = todo.pop()
            if isinstance(item, Assign) and isinstance(item.value, str):
                for prefix in ("", "self::", "static::", "self.", "this."):
                    texts.setdefault(prefix + item.name, item.value)
            elif isinstance(item, Class | Function) and depth < 5:
                todo += [(part, depth + 1) for part in item.body]
        return texts


@dataclass(frozen=True, slots=True)
class CallExpression:
    """`a.b(c, d=e)` is name `b`, target `a`, args `c`, named `d`. `a[b]` is a call named `[]`."""

    name: str
    target: "Value"
    args: tuple["Value", ...]
    named: Mapping[str, "Value"]
    lines: LineRange

    @property
    def chain(self) -> list["CallExpression"]:
        """The calls of `a().b().c()`, in this order."""
        links = [self]
        while isinstance(links[-1].target, CallExpression):
            links.append(links[-1].target)
        return links[::-1]

    @property
    def owner(self) -> str:
        """The target of the first call of the chain, as written; "" for a plain call."""
        first = self.chain[0].target
        return first.text if isinstance(first, Name) else ""

    @property
    def modifiers(self) -> dict[str, "CallExpression"]:
        """The calls of the chain after the first one, by name."""
        return {link.name: link for link in self.chain[1:]}

    @property
    def block(self) -> "FunctionBlock | None":
        """The first argument that is a function."""
        return next((arg for arg in self.args if isinstance(arg, FunctionBlock)), None)

    @property
    def options(self) -> Mapping[str, "Value"]:
        """The first argument that is an object, or an empty one."""
        return next((arg for arg in self.args if isinstance(arg, dict)), {})

    def arg(self, place: int, name: str = "") -> "Value":
        """An argument by position, else by name; None if it is missing."""
        if place < len(self.args):
            return self.args[place]
        return self.named.get(name) if name else None

    def text_at(self, place: int, name: str = "", texts: Mapping[str, str] | None = None) -> str:
        return text_of(self.arg(place, name), texts)

    def text(self, name: str, texts: Mapping[str, str] | None = None) -> str:
        """The text of a named argument."""
        return text_of(self.named.get(name), texts)


@dataclass(frozen=True, slots=True)
class FunctionBlock(CodeBody):
    body: tuple["Item", ...]


Value: TypeAlias = Union[
    str, int, float, bool, Name, CallExpression, FunctionBlock, "list[Value]", "dict[str, Value]", None
]


@dataclass(frozen=True, slots=True)
class Assign:
    """`name: annotation = value`, also as a field or property of a class."""

    name: str
    value: Value
    lines: LineRange
    annotation: Value = None
    decorators: tuple[CallExpression, ...] = ()


@dataclass(frozen=True, slots=True)
class Function(CodeBody):
    name: str
    body: tuple["Item", ...]
    lines: LineRange
    decorators: tuple[CallExpression, ...] = ()


@dataclass(frozen=True, slots=True)
class Class(CodeBody):
    name: str  # with its outer classes and modules: `Admin::User`
    bases: tuple[Value, ...]
    body: tuple["Item", ...]
    lines: LineRange
    decorators: tuple[CallExpression, ...] = ()
    doc: str = ""
    kind: str = "class"  # or module, trait, abstract


Item: TypeAlias = Assign | Function | Class | CallExpression | Name | FunctionBlock


@dataclass(frozen=True, slots=True)
class SourceUnit(CodeBody):
    """A file. `imports` maps imported names to their origin: `User` → `app.models.User`."""

    body: tuple[Item, ...]
    imports: Mapping[str, str] = field(default_factory=dict)
    namespace: str = ""

    def reference(self, name: str) -> str:
        """A reference to a class by its name in this file."""
        return "@" + self.imports.get(name, name)


def text_of(value: Value, texts: Mapping[str, str] | None = None) -> str:
    """A literal text, or the text of a constant; "" for anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, Name) and texts:
        return texts.get(value.text, "")
    return ""


def texts_of(value: Value, texts: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """A list of texts, or a single one."""
    if isinstance(value, list):
        return tuple(text for part in value if (text := text_of(part, texts)))
    text = text_of(value, texts)
    return (text,) if text else ()


def spelled(value: Value) -> str:  # noqa: PLR0911 - one case per kind
    """A short spelling of a value, for defaults."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return value[:100]
        case int() | float():
            return str(value)
        case Name():
            return value.text[:100]
        case CallExpression():
            return f"{value.name}(…)" if value.args or value.named else f"{value.name}()"
        case FunctionBlock():
            inner = value.body[0] if len(value.body) == 1 else None
            return spelled(inner) if isinstance(inner, Name | CallExpression) else "…"
        case list():
            return "[]" if not value else "[…]"
        case _:
            return "{}" if not value else "{…}"


def spelled_default(value: Value) -> str | None:
    return None if value is None else spelled(value)


def first_paragraph(doc: str) -> str:
    """The first paragraph of a documentation comment, on one line."""
    return " ".join(doc.strip().split("\n\n")[0].split())[:300]


def name_of(value: Value) -> str:
    """The text of a name, or the name of a call with its target: `models.CharField` for `models.CharField(…)`."""
    if isinstance(value, Name):
        return value.text
    if isinstance(value, CallExpression):
        head = name_of(value.target) if isinstance(value.target, Name) else ""
        return f"{head}.{value.name}" if head else value.name
    return ""
