"""Read JavaScript and TypeScript as values."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from waypost.code.schema.languages.base import MAX_DEPTH, SyntaxReader
from waypost.code.schema.values import (
    Assign,
    CallExpression,
    Class,
    CodeBody,
    Function,
    FunctionBlock,
    Item,
    Name,
    SourceUnit,
    Value,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_FUNCTIONS = frozenset(("arrow_function", "function_expression", "function", "generator_function"))


def up_bodies(unit: SourceUnit) -> Iterator[CodeBody]:
    """The bodies of `up` in a migration: a function, an assignment, or a member of an object."""
    for item in unit.body:
        if isinstance(item, Function) and item.name == "up":
            yield item
        elif isinstance(item, Assign):
            by_name = item.value if item.name.rpartition(".")[2] == "up" else None
            up = item.value.get("up") if isinstance(item.value, dict) else by_name
            if isinstance(up, FunctionBlock):
                yield up


def read_script(text: str, path: str) -> SourceUnit:
    """Read a file. Its name decides the dialect."""
    if path.endswith((".ts", ".mts", ".cts")):
        return _TypeScriptReader(text).read()
    if path.endswith(".tsx"):
        return _TsxReader(text).read()
    return _ScriptReader(text).read()


class _ScriptReader(SyntaxReader):
    module = "tree_sitter_javascript"
    flat = frozenset((
        "program", "statement_block", "if_statement", "else_clause", "for_statement", "while_statement",
        "try_statement", "catch_clause", "finally_clause", "export_statement", "class_body",
    ))  # fmt: skip

    def items(self, node: "Node", depth: int, inside: str = "") -> Iterator[Item]:
        if depth > MAX_DEPTH:
            return
        decorators: list[CallExpression] = []
        for child in node.named_children:
            if child.type == "decorator":
                decorators += self._decorator(child, depth)
            elif child.type != "comment":
                yield from self.statement(child, depth, inside, tuple(decorators))
                decorators = []

    def _decorators(self, node: "Node", depth: int) -> list[CallExpression]:
        return [call for child in node.children_by_field_name("decorator") for call in self._decorator(child, depth)]

    def _decorator(self, node: "Node", depth: int) -> Iterator[CallExpression]:
        if node.named_children:
            value = self.value(node.named_children[0], depth)
            if isinstance(value, CallExpression):
                yield value
            elif isinstance(value, Name):
                yield CallExpression(value.text, None, (), {}, self.lines(node))

    def statement(  # noqa: PLR0912 - one case per kind
        self, node: "Node", depth: int, inside: str, decorators: tuple[CallExpression, ...] = ()
    ) -> Iterator[Item]:
        match node.type:
            case "class_declaration" | "abstract_class_declaration" | "class":
                yield self._class(node, depth, decorators)
            case "public_field_definition" | "field_definition":
                yield self._field(node, depth, decorators)
            case "method_definition" | "function_declaration" | "abstract_method_signature":
                yield Function(self.field(node), self.body(node, depth), self.lines(node), decorators)
            case "lexical_declaration" | "variable_declaration":
                for child in node.named_children:
                    value = child.child_by_field_name("value")
                    if child.type == "variable_declarator" and value is not None:
                        name, initial = self.field(child), self.value(value, depth)
                        self.remember_list(name, initial)
                        yield Assign(name, initial, self.lines(node))
            case "expression_statement" | "return_statement":
                for child in node.named_children:
                    yield from self._expression(child, depth)
            case "for_in_statement":
                yield from self.loop(node, depth)
            case "import_statement":
                self._import(node)
            case _ if node.type in self.flat:
                inner = node.child_by_field_name("declaration")
                if inner is not None:
                    yield from self.statement(inner, depth + 1, inside, (*decorators, *self._decorators(node, depth)))
                else:
                    value = node.child_by_field_name("value") if node.type == "export_statement" else None
                    if value is not None:
                        yield from self._expression(value, depth + 1)
                    else:
                        yield from self.items(node, depth + 1)

    def _expression(self, node: "Node", depth: int) -> Iterator[Item]:
        if node.type == "assignment_expression":
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if left is not None and right is not None:
                yield Assign(self.text(left), self.value(right, depth), self.lines(node))
            return
        value = self.value(node, depth)
        if isinstance(value, CallExpression | Name | FunctionBlock):
            yield value
        elif isinstance(value, dict | list):
            yield Assign("return", value, self.lines(node))

    def _class(self, node: "Node", depth: int, decorators: tuple[CallExpression, ...]) -> Class:
        inside = self._decorators(node, depth)
        bases: list[Value] = []
        heritage = self.first(node, "class_heritage")
        for child in heritage.named_children if heritage else ():
            if child.type == "extends_clause":
                above = child.child_by_field_name("value")
                if above is not None:
                    bases.append(self.value(above, depth))
            elif child.type != "implements_clause":
                bases.append(self.value(child, depth))
        items, marks = self.body(node, depth), (*decorators, *inside)
        return Class(self.field(node), tuple(bases), items, self.lines(node), marks, self._comment(node))

    def _comment(self, node: "Node") -> str:
        """The doc comment above a class or its export."""
        above = node.parent if node.parent is not None and node.parent.type == "export_statement" else node
        comment = above.prev_named_sibling
        if comment is None or comment.type != "comment" or comment.end_point[0] < above.start_point[0] - 1:
            return ""
        text = self.text(comment)
        if not text.startswith("/**"):
            return ""
        lines = [line.strip().strip("/*").strip() for line in text.splitlines()]
        return " ".join(line for line in lines if line and not line.startswith("@"))[:300]

    def _field(self, node: "Node", depth: int, decorators: tuple[CallExpression, ...]) -> Assign:
        marks = (*decorators, *self._decorators(node, depth))
        name = node.child_by_field_name("name") or node.child_by_field_name("property")
        kind = node.child_by_field_name("type")
        annotation = Name(self.text(kind).lstrip(": ")[:200]) if kind else None
        initial = self.optional(node.child_by_field_name("value"), depth)
        return Assign(self.text(name), initial, self.lines(node), annotation, marks)

    def _import(self, node: "Node") -> None:
        source = node.child_by_field_name("source")
        module = self.value(source, 0) if source else ""
        clause = self.first(node, "import_clause")
        todo = list(clause.named_children) if clause else []
        while todo:
            child = todo.pop()
            if child.type == "import_specifier":
                name = self.field(child)
                self.imports[self.field(child, "alias") or name] = f"{module}/{name}"
            elif child.type == "identifier":
                self.imports[self.text(child)] = f"{module}/{self.text(child)}"
            else:
                todo += child.named_children

    def expression(self, node: "Node", depth: int) -> Value:  # noqa: PLR0911 - one case per kind of expression
        match node.type:
            case "string":
                return "".join(self.text(child) for child in node.named_children)
            case "template_string":
                return self._template(node)
            case "null" | "undefined":
                return None
            case "object":
                return self._object(node, depth + 1)
            case "call_expression" | "new_expression":
                return self._call(node, depth + 1)
            case (
                "parenthesized_expression"
                | "await_expression"
                | "as_expression"
                | "satisfies_expression"
                | "non_null_expression"
            ):
                return self.value(node.named_children[0], depth + 1) if node.named_children else None
            case _ if node.type in _FUNCTIONS:
                return self._function(node, depth + 1)
            case _:
                return self.unknown(node)

    def _template(self, node: "Node") -> Value:
        """A template string. `${}` may only contain the variable of an unrolled loop."""
        parts = []
        for child in node.named_children:
            if child.type != "template_substitution":
                parts.append(self.text(child))
            elif self.text(child)[2:-1].strip() in self.bound:
                parts.append(self.bound[self.text(child)[2:-1].strip()])
            else:
                return self.unknown(node)
        return "".join(parts)

    def _object(self, node: "Node", depth: int) -> Value:
        members: dict[str, Value] = {}
        for child in node.named_children:
            if child.type == "pair":
                key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
                if key is not None and value is not None:
                    key_value = self.value(key, depth) if key.type == "string" else self.text(key)
                    members[key_value if isinstance(key_value, str) else self.text(key)] = self.value(value, depth)
            elif child.type == "method_definition":
                body = child.child_by_field_name("body")
                members[self.field(child)] = self.block(body, depth)
            elif child.type == "shorthand_property_identifier":
                members[self.text(child)] = Name(self.text(child))
        return members

    def _function(self, node: "Node", depth: int) -> FunctionBlock:
        body = node.child_by_field_name("body")
        if body is not None and body.type != "statement_block":
            value = self.value(body, depth)
            if isinstance(value, list | dict):
                return FunctionBlock((Assign("return", value, self.lines(body)),))
            return self.closure(value)
        return self.block(body, depth)

    def _call(self, node: "Node", depth: int) -> Value:
        function = node.child_by_field_name("function") or node.child_by_field_name("constructor")
        arguments = node.child_by_field_name("arguments")
        if function is None:
            return self.unknown(node)
        target: Value = None
        name = self.text(function) if function.end_byte - function.start_byte < 500 else ""
        if function.type == "member_expression":
            head = function.child_by_field_name("object")
            target, name = self.optional(head, depth), self.field(function, "property")
        args = [self.value(c, depth) for c in arguments.named_children if c.type != "comment"] if arguments else []
        return self.call(node, name, target, args, {})


class _TypeScriptReader(_ScriptReader):
    module = "tree_sitter_typescript"
    function = "language_typescript"


class _TsxReader(_ScriptReader):
    module = "tree_sitter_typescript"
    function = "language_tsx"
