"""Shared parts of the language readers."""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from waypost.code.schema.values import Assign, CallExpression, FunctionBlock, Item, Name, SourceUnit, Value
from waypost.model.reference import LineRange

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

MAX_DEPTH = 60  # deeper nesting is data or an attack and stays text
MAX_TEXT = 400
MAX_ITERATIONS = 50  # iterations of an unrolled loop


@cache
def parser(module: str, function: str = "language") -> "Parser":
    from tree_sitter import Language, Parser  # compiled, and only needed for such files

    return Parser(Language(getattr(import_module(module), function)()))


class SyntaxReader:
    """Turns the syntax tree of one file into values. Subclasses interpret the nodes of a language."""

    module = ""
    function = "language"
    flat: frozenset[str] = frozenset()  # nodes whose statements count as those around them

    def __init__(self, text: str) -> None:
        self.source = text.encode("utf-8", "replace")
        self.imports: dict[str, str] = {}
        self.namespace = ""
        self.bound: dict[str, str] = {}  # current values of loop variables
        self.lists: dict[str, list[str]] = {}  # names of fixed lists of texts

    def iterate(self, name: str, listed: Value) -> Iterator[None]:
        """Iterate a loop over fixed texts, with its variable bound. Any other loop runs once, unbound."""
        texts = (
            self.lists.get(listed.text, []) if isinstance(listed, Name) else listed if isinstance(listed, list) else []
        )
        fixed = [text for text in texts if isinstance(text, str)]
        before = self.bound.get(name)
        for text in fixed[:MAX_ITERATIONS] if fixed and len(fixed) == len(texts) else [None]:
            if text is not None:
                self.bound[name] = text
            yield
            self.bound.pop(name, None)
        if before is not None:
            self.bound[name] = before

    def remember_list(self, name: str, value: Value) -> None:
        if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
            self.lists[name] = [part for part in value if isinstance(part, str)]

    def read(self) -> SourceUnit:
        root = parser(self.module, self.function).parse(self.source).root_node
        items = tuple(self.items(root, 0))
        return SourceUnit(items, self.imports, self.namespace)

    def items(self, node: "Node", depth: int, inside: str = "") -> Iterator[Item]:
        """The statements below a node. Blocks of control flow are flattened. `inside` is the name of the outer class."""
        if depth <= MAX_DEPTH:
            for child in node.named_children:
                yield from self.statement(child, depth, inside)

    def statement(self, node: "Node", depth: int, inside: str) -> Iterator[Item]:
        raise NotImplementedError

    def body(self, node: "Node", depth: int, inside: str = "") -> tuple[Item, ...]:
        body = node.child_by_field_name("body")
        return tuple(self.items(body, depth + 1, inside)) if body else ()

    def value(self, node: "Node", depth: int) -> Value:
        if depth > MAX_DEPTH:
            return self.unknown(node)
        match node.type:
            case "integer" | "float" | "number" | "integer_literal" | "decimal_integer_literal":
                return self.number(node)
            case "true" | "false":
                return node.type == "true"
            case "identifier" | "variable_name" if self.bound:
                name = self.text(node)
                return self.bound.get(name, Name(name))
            case "array" | "list" | "tuple" | "set":
                return [self.value(child, depth + 1) for child in node.named_children if child.type != "comment"]
            case _:
                return self.expression(node, depth)

    def expression(self, node: "Node", depth: int) -> Value:
        """The value of a node that is no common literal."""
        raise NotImplementedError

    def optional(self, node: "Node | None", depth: int) -> Value:
        return self.value(node, depth) if node is not None else None

    def assignment(self, node: "Node", depth: int) -> Iterator[Assign]:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is not None and right is not None:
            value = self.value(right, depth)
            self.remember_list(self.text(left), value)
            yield Assign(self.text(left), value, self.lines(node))

    def loop(self, node: "Node", depth: int, inside: str = "") -> Iterator[Item]:
        """The statements of `for left in right`, once for each text of a fixed list."""
        listed = self.optional(node.child_by_field_name("right"), depth + 1)
        for _ in self.iterate(self.field(node, "left"), listed):
            yield from self.items(node, depth + 1, inside)

    def text(self, node: "Node | None") -> str:
        return "" if node is None else self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def field(self, node: "Node", name: str = "name") -> str:
        return self.text(node.child_by_field_name(name))

    def unknown(self, node: "Node") -> Name:
        return Name(
            self.source[node.start_byte : min(node.end_byte, node.start_byte + MAX_TEXT)].decode("utf-8", "replace")
        )

    def lines(self, node: "Node") -> LineRange:
        start, end = node.start_point[0] + 1, node.end_point[0] + 1
        if node.end_point[1] == 0 and end > start:
            end -= 1
        return LineRange(start, end)

    def joined(self, node: "Node", parts: "list[Value]") -> Value:
        """Texts next to each other as one. Unknown if a part is no text."""
        texts = [part for part in parts if isinstance(part, str)]
        return "".join(texts) if len(texts) == len(parts) else self.unknown(node)

    def first(self, node: "Node", *types: str) -> "Node | None":
        return next((child for child in node.named_children if child.type in types), None)

    def number(self, node: "Node") -> int | float | Name:
        text = self.text(node).replace("_", "")
        try:
            return int(text) if text.isdecimal() and len(text) < 30 else float(text)
        except ValueError:
            return Name(text[:MAX_TEXT])

    def call(
        self, node: "Node", name: str, target: Value, args: "list[Value]", named: "dict[str, Value]"
    ) -> CallExpression:
        return CallExpression(name, target, tuple(args), named, self.lines(node))

    def block(self, body: "Node | None", depth: int) -> FunctionBlock:
        return FunctionBlock(tuple(self.items(body, depth + 1)) if body is not None else ())

    def closure(self, value: Value) -> FunctionBlock:
        """A function whose body is one expression."""
        return FunctionBlock((value,) if isinstance(value, CallExpression | Name) else ())
