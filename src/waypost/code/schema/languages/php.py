"""Read PHP as values."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from waypost.code.schema.languages.base import SyntaxReader
from waypost.code.schema.values import (
    Assign,
    CallExpression,
    Class,
    Function,
    FunctionBlock,
    Item,
    Name,
    SourceUnit,
    Value,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_CALLS = frozenset(
    ("scoped_call_expression", "member_call_expression", "nullsafe_member_call_expression", "function_call_expression")
)


def read_php(text: str) -> SourceUnit:
    return _PhpReader(text).read()


class _PhpReader(SyntaxReader):
    module = "tree_sitter_php"
    function = "language_php"
    flat = frozenset((
        "program", "compound_statement", "if_statement", "else_clause", "else_if_clause", "for_statement",
        "while_statement", "try_statement", "catch_clause", "finally_clause", "namespace_definition",
        "declaration_list", "colon_block", "switch_statement", "switch_block", "case_statement",
    ))  # fmt: skip

    def statement(self, node: "Node", depth: int, inside: str) -> Iterator[Item]:  # noqa: ARG002, PLR0912
        match node.type:
            case "expression_statement" | "return_statement" | "echo_statement":
                for child in node.named_children:
                    yield from self._expression(child, depth)
            case "class_declaration" | "trait_declaration" | "interface_declaration":
                yield self._class(node, depth, self.field(node))
            case "method_declaration" | "function_definition":
                yield Function(self.field(node), self.body(node, depth), self.lines(node))
            case "property_declaration":
                for child in node.named_children:
                    if child.type == "property_element":
                        name = self.text(child.named_children[0])
                        initial = self.optional(child.child_by_field_name("default_value"), depth)
                        self.remember_list(f"$this->{name[1:]}", initial)
                        yield Assign(name, initial, self.lines(node))
            case "const_declaration":
                for child in node.named_children:
                    if child.type == "const_element" and len(child.named_children) > 1:
                        constant, value = child.named_children[:2]
                        yield Assign(self.text(constant), self.value(value, depth), self.lines(node))
            case "foreach_statement" if len(node.named_children) > 1:
                listed, variable = node.named_children[:2]
                for _ in self.iterate(self.text(variable), self.value(listed, depth + 1)):
                    yield from self.items(node, depth + 1)
            case "use_declaration":
                yield self.call(node, "use", None, [self.unknown(child) for child in node.named_children], {})
            case "namespace_use_declaration":
                self._use(node)
            case _ if node.type in self.flat:
                if node.type == "namespace_definition":
                    self.namespace = self.field(node)
                yield from self.items(node, depth + 1)

    def _expression(self, node: "Node", depth: int) -> Iterator[Item]:
        if node.type == "assignment_expression":
            yield from self.assignment(node, depth)
        elif node.type == "object_creation_expression":
            inner = self.first(node, "anonymous_class")
            if inner is not None:
                yield self._class(inner, depth, "")
        elif node.type == "array_creation_expression":
            yield Assign("return", self.value(node, depth), self.lines(node))
        else:
            value = self.value(node, depth)
            if isinstance(value, CallExpression | Name):
                yield value
            elif isinstance(value, str):
                yield Assign("return", value, self.lines(node))

    def _class(self, node: "Node", depth: int, name: str) -> Class:
        clause, items = self.first(node, "base_clause"), self.body(node, depth)
        bases = tuple(self.unknown(child) for child in clause.named_children) if clause else ()
        kind = "trait" if node.type == "trait_declaration" else "class"
        if self.first(node, "abstract_modifier") is not None:
            kind = "abstract"
        return Class(name, bases, items, self.lines(node), kind=kind, doc=self._comment(node))

    def _comment(self, node: "Node") -> str:
        """The first paragraph of the comment above, without tags such as `@property`."""
        above = node.prev_named_sibling
        if above is None or above.type != "comment" or above.end_point[0] < node.start_point[0] - 1:
            return ""
        words: list[str] = []
        for line in self.text(above).splitlines():
            content = line.strip().strip("/*").strip()
            if content.startswith("@") or (not content and words):
                break
            words.append(content)
        text = " ".join(word for word in words if word)
        return "" if text.startswith(("Class ", "Model ", "App\\")) and len(text.split()) < 3 else text[:300]

    def _use(self, node: "Node") -> None:
        for clause in node.named_children:
            if clause.type == "namespace_use_clause" and clause.named_children:
                full = self.text(clause.named_children[0])
                alias = clause.child_by_field_name("alias")
                self.imports[self.text(alias) if alias else full.rsplit("\\", 1)[-1]] = full

    def expression(self, node: "Node", depth: int) -> Value:  # noqa: PLR0911 - one case per kind of expression
        match node.type:
            case "string" | "encapsed_string" | "nowdoc" | "heredoc":
                return self._string(node)
            case "boolean":
                return self.text(node).lower() == "true"
            case "null":
                return None
            case "array_creation_expression":
                return self._array(node, depth + 1)
            case "anonymous_function" | "anonymous_function_creation_expression" | "arrow_function":
                return self._closure(node, depth + 1)
            case "binary_expression" if self.field(node, "operator") == ".":
                return self.joined(node, [self.value(child, depth + 1) for child in node.named_children])
            case "parenthesized_expression" | "argument" | "cast_expression":
                parts = [child for child in node.named_children if child.type not in ("name", "cast_type")]
                inner = parts or node.named_children
                return self.value(inner[-1], depth + 1) if inner else None
            case _ if node.type in _CALLS:
                return self._call(node, depth + 1)
            case _:
                return self.unknown(node)

    def _string(self, node: "Node") -> Value:
        parts = []
        todo = list(node.named_children)
        while todo:
            child = todo.pop(0)
            if child.type in ("heredoc_body", "nowdoc_body"):
                todo = list(child.named_children) + todo
            elif child.type in ("string_content", "string_value", "nowdoc_string", "escape_sequence"):
                parts.append(self.text(child))
            elif child.type not in ("heredoc_start", "heredoc_end"):
                return self.unknown(node)
        return "".join(parts)

    def _array(self, node: "Node", depth: int) -> Value:
        listed: list[Value] = []
        keyed: dict[str, Value] = {}
        for child in node.named_children:
            if child.type != "array_element_initializer":
                continue
            parts = child.named_children
            if len(parts) == 2:
                key = self.value(parts[0], depth)
                keyed[key if isinstance(key, str) else self.text(parts[0])] = self.value(parts[1], depth)
            elif parts and parts[0].type != "variadic_unpacking":
                listed.append(self.value(parts[0], depth))
        return keyed if keyed else listed

    def _closure(self, node: "Node", depth: int) -> FunctionBlock:
        body = node.child_by_field_name("body")
        if body is not None and body.type != "compound_statement":
            return self.closure(self.value(body, depth))
        return self.block(body, depth)

    def _call(self, node: "Node", depth: int) -> Value:
        head = node.child_by_field_name("object") or node.child_by_field_name("scope")
        name = node.child_by_field_name("name") or node.child_by_field_name("function")
        arguments = node.child_by_field_name("arguments")
        args: list[Value] = []
        named: dict[str, Value] = {}
        for child in arguments.named_children if arguments else ():
            label = child.child_by_field_name("name") if child.type == "argument" else None
            if child.type == "comment":
                continue
            if label is not None:
                named[self.text(label)] = self.value(child.named_children[-1], depth)
            else:
                args.append(self.value(child, depth))
        return self.call(node, self.text(name), self.optional(head, depth), args, named)
