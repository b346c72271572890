"""Read Python as values."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from waypost.code.schema.languages.base import SyntaxReader
from waypost.code.schema.values import Assign, CallExpression, Class, Function, Item, Name, SourceUnit, Value

if TYPE_CHECKING:
    from tree_sitter import Node


def read_python(text: str, *, functions: bool = False) -> SourceUnit:
    """Read a file. Function bodies are read only with `functions`."""
    reader = _PythonReader(text)
    reader.functions = functions
    return reader.read()


class _PythonReader(SyntaxReader):
    module = "tree_sitter_python"
    functions = False
    flat = frozenset((
        "module", "block", "if_statement", "elif_clause", "else_clause", "while_statement", "try_statement",
        "except_clause", "finally_clause", "with_statement", "match_statement", "case_clause",
    ))  # fmt: skip

    def statement(
        self, node: "Node", depth: int, inside: str, decorators: tuple[CallExpression, ...] = ()
    ) -> Iterator[Item]:
        match node.type:
            case "expression_statement":
                yield from self._expression(node, depth)
            case "class_definition":
                yield self._class(node, depth, inside, decorators)
            case "function_definition":
                parts = self.body(node, depth) if self.functions else ()
                yield Function(self.field(node), parts, self.lines(node), decorators)
            case "decorated_definition":
                decorator_values = [
                    self.value(c.named_children[0], depth) for c in node.named_children if c.type == "decorator"
                ]
                calls = tuple(
                    v if isinstance(v, CallExpression) else CallExpression(v.text, None, (), {}, self.lines(node))
                    for v in decorator_values
                    if isinstance(v, CallExpression | Name)
                )
                inner = node.child_by_field_name("definition")
                if inner is not None:
                    yield from self.statement(inner, depth, inside, calls)
            case "import_from_statement" | "import_statement":
                self._import(node)
            case "return_statement":
                for child in node.named_children:
                    value = self.value(child, depth)
                    if isinstance(value, CallExpression | Name):
                        yield value
            case "for_statement":
                yield from self.loop(node, depth, inside)
            case "with_clause" | "with_item":
                yield from self._with(node, depth)
            case _ if node.type in self.flat:
                yield from self.items(node, depth + 1, inside)

    def _with(self, node: "Node", depth: int) -> Iterator[Item]:
        """`with x as y` is read as `y = x`."""
        for item in node.named_children if node.type == "with_clause" else [node]:
            value = item.child_by_field_name("value")
            if value is not None and value.type == "as_pattern" and len(value.named_children) > 1:
                alias = self.text(value.named_children[1])
                yield Assign(alias, self.value(value.named_children[0], depth), self.lines(item))

    def _expression(self, node: "Node", depth: int) -> Iterator[Item]:
        for child in node.named_children:
            if child.type == "assignment":
                value = self.optional(child.child_by_field_name("right"), depth)
                annotation = self.optional(child.child_by_field_name("type"), depth)
                name = self.field(child, "left")
                self.remember_list(name, value)
                yield Assign(name, value, self.lines(child), annotation)
            elif child.type in ("tuple", "parenthesized_expression"):
                yield from self._expression(child, depth + 1)
            elif child.type in ("call", "await"):
                keyword_value = self.value(child, depth)
                if isinstance(keyword_value, CallExpression):
                    yield keyword_value

    def _class(self, node: "Node", depth: int, inside: str, decorators: tuple[CallExpression, ...]) -> Class:
        name = inside + self.field(node)
        arguments, body = node.child_by_field_name("superclasses"), node.child_by_field_name("body")
        bases: list[Value] = []
        items: list[Item] = []
        for child in arguments.named_children if arguments else ():
            if child.type == "keyword_argument":
                value = self.value(child.child_by_field_name("value") or child, depth)
                items.append(Assign(f"class:{self.field(child)}", value, self.lines(child)))
            else:
                bases.append(self.value(child, depth))
        if body:
            items += self.items(body, depth + 1, f"{name}.")
        return Class(name, tuple(bases), tuple(items), self.lines(node), decorators, self._doc(body))

    def _doc(self, body: "Node | None") -> str:
        first = body.named_children[0] if body and body.named_children else None
        if first is None or first.type != "expression_statement" or not first.named_children:
            return ""
        value = self.value(first.named_children[0], 0) if first.named_children[0].type == "string" else ""
        return value if isinstance(value, str) else ""

    def _import(self, node: "Node") -> None:
        module = self.field(node, "module_name")
        for child in node.children_by_field_name("name"):
            if child.type == "aliased_import":
                name, alias = self.field(child), self.field(child, "alias")
            else:
                name = self.text(child)
                alias = name if module else name.split(".")[0]
            self.imports[alias] = f"{module}.{name}" if module else name

    def expression(self, node: "Node", depth: int) -> Value:  # noqa: PLR0911 - one case per kind of expression
        match node.type:
            case "string":
                return self._string(node)
            case "concatenated_string":
                return self.joined(node, [self._string(part) for part in node.named_children if part.type == "string"])
            case "none":
                return None
            case "call":
                return self._call(node, depth + 1)
            case "subscript" | "generic_type":
                target, *inner = node.named_children
                inner = [
                    c for part in inner for c in (part.named_children if part.type == "type_parameter" else [part])
                ]
                return self.call(
                    node, "[]", self.value(target, depth + 1), [self.value(c, depth + 1) for c in inner], {}
                )
            case "dictionary":
                return self._dictionary(node, depth + 1)
            case "parenthesized_expression" | "type" | "await":
                inner = [child for child in node.named_children if child.type != "comment"]
                return self.value(inner[0], depth + 1) if inner else None
            case "lambda":
                return self.closure(self.optional(node.child_by_field_name("body"), depth + 1))
            case _:
                return self.unknown(node)

    def _string(self, node: "Node") -> Value:
        if any(child.type == "interpolation" for child in node.named_children):
            return self.unknown(node)
        return "".join(self.text(child) for child in node.named_children if child.type == "string_content")

    def _call(self, node: "Node", depth: int) -> Value:
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None:
            return self.unknown(node)
        target: Value = None
        name = self.text(function)
        if function.type == "attribute":
            head = function.child_by_field_name("object")
            target, name = self.optional(head, depth), self.field(function, "attribute")
        args: list[Value] = []
        named: dict[str, Value] = {}
        for child in arguments.named_children if arguments else ():
            if child.type == "keyword_argument":
                named[self.field(child)] = self.optional(child.child_by_field_name("value"), depth)
            elif child.type not in ("comment", "dictionary_splat"):
                args.append(self.value(child, depth))
        return self.call(node, name, target, args, named)

    def _dictionary(self, node: "Node", depth: int) -> Value:
        members: dict[str, Value] = {}
        for pair in node.named_children:
            key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
            if key is not None and value is not None:
                key_value = self.value(key, depth)
                members[key_value if isinstance(key_value, str) else self.text(key)] = self.value(value, depth)
        return members
