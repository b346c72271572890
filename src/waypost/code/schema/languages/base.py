"""Shared parts of the language readers."""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from waypost.code.schema.languages.values import CallExpression, FunctionBlock, Item, Name, SourceUnit, Value
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
        """Remember the name of a fixed list of texts."""
        if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
            self.lists[name] = [part for part in value if isinstance(part, str)]

    def read(self) -> SourceUnit:
        root = parser(self.module, self.function).parse(self.source).root_node
        items = tuple(self.items(root, 0))
        return SourceUnit(items, self.imports, self.namespace)

    def items(self, node: "Node", depth: int) -> Iterator[Item]:
        """The statements below a node. Blocks of control flow are flattened."""
        raise NotImplementedError

    def value(self, node: "Node", depth: int) -> Value:
        raise NotImplementedError

    def text(self, node: "Node | None") -> str:
        return "" if node is None else self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def unknown(self, node: "Node") -> Name:
        return Name(
            self.source[node.start_byte : min(node.end_byte, node.start_byte + MAX_TEXT)].decode("utf-8", "replace")
        )

    def lines(self, node: "Node") -> LineRange:
        start, end = node.start_point[0] + 1, node.end_point[0] + 1
        if node.end_point[1] == 0 and end > start:
            end -= 1
        return LineRange(start, end)

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

    def block(self, parameters: "list[str]", body: "Node | None", depth: int) -> FunctionBlock:
        return FunctionBlock(tuple(parameters), tuple(self.items(body, depth + 1)) if body is not None else ())
