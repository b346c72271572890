"""Read C# classes and calls as values."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from waypost.code.schema.languages.base import MAX_DEPTH, SyntaxReader
from waypost.code.schema.languages.values import (
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

_FLAT = frozenset(
    (
        "compilation_unit",
        "namespace_declaration",
        "declaration_list",
        "block",
        "if_statement",
        "file_scoped_namespace_declaration",
    )
)


def read_csharp(text: str) -> SourceUnit:
    return _CSharpReader(text).read()


class _CSharpReader(SyntaxReader):
    module = "tree_sitter_c_sharp"

    def items(self, node: "Node", depth: int) -> Iterator[Item]:
        if depth > MAX_DEPTH:
            return
        for child in node.named_children:
            match child.type:
                case "class_declaration" | "record_declaration":
                    yield self._class(child, depth)
                case "property_declaration":
                    kind = Name(self.text(child.child_by_field_name("type"))[:200])
                    name = self.text(child.child_by_field_name("name"))
                    # `=> x` is computed; static and interface properties are not stored
                    accessors = child.child_by_field_name("accessors")
                    modifiers = [self.text(c) for c in child.named_children if c.type == "modifier"]
                    stored = accessors is not None and ("set" in self.text(accessors) or "init" in self.text(accessors))
                    if stored and "static" not in modifiers:
                        yield Assign(name, None, self.lines(child), kind, tuple(self._attributes(child, depth)))
                    elif accessors is None or "DbSet" in kind.text:
                        yield Assign(f"={name}", None, self.lines(child), kind)
                case "method_declaration":
                    body = child.child_by_field_name("body")
                    parts = tuple(self.items(body, depth + 1)) if body else ()
                    yield Function(self.text(child.child_by_field_name("name")), parts, self.lines(child))
                case "expression_statement":
                    value = self.value(child.named_children[0], depth) if child.named_children else None
                    if isinstance(value, CallExpression):
                        yield value
                case _ if child.type in _FLAT:
                    if "namespace" in child.type:
                        self.namespace = self.text(child.child_by_field_name("name"))
                    yield from self.items(child, depth + 1)

    def _class(self, node: "Node", depth: int) -> Class:
        listed, body = self.first(node, "base_list"), node.child_by_field_name("body")
        bases = tuple(Name(self.text(child)[:200]) for child in listed.named_children) if listed else ()
        items = tuple(self.items(body, depth + 1)) if body else ()
        name = self.text(node.child_by_field_name("name"))
        return Class(name, bases, items, self.lines(node), tuple(self._attributes(node, depth)))

    def _attributes(self, node: "Node", depth: int) -> Iterator[CallExpression]:
        for listed in node.named_children:
            for child in listed.named_children if listed.type == "attribute_list" else ():
                arguments = self.first(child, "attribute_argument_list")
                args = self._arguments(arguments, depth)
                yield self.call(child, self.text(child.child_by_field_name("name")), None, args, {})

    def _arguments(self, node: "Node | None", depth: int) -> list[Value]:
        children = node.named_children if node else ()
        return [self.value(child.named_children[-1], depth) for child in children if child.named_children]

    def value(self, node: "Node", depth: int) -> Value:  # noqa: PLR0911 - one case per kind of expression
        if depth > MAX_DEPTH:
            return self.unknown(node)
        match node.type:
            case "string_literal" | "verbatim_string_literal":
                return self.text(node).lstrip("@").strip('"')
            case "integer_literal":
                return self.number(node)
            case "boolean_literal":
                return self.text(node) == "true"
            case "null_literal":
                return None
            case "lambda_expression":
                body = node.child_by_field_name("body")
                if body is not None and body.type != "block":
                    value = self.value(body, depth + 1)
                    return FunctionBlock((), (value,) if isinstance(value, CallExpression | Name) else ())
                return self.block([], body, depth + 1)
            case "invocation_expression":
                return self._call(node, depth + 1)
            case _:
                return self.unknown(node)

    def _call(self, node: "Node", depth: int) -> Value:
        function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None:
            return self.unknown(node)
        target: Value = None
        name = function
        if function.type == "member_access_expression":
            head = function.child_by_field_name("expression")
            target = self.value(head, depth) if head else None
            name = function.child_by_field_name("name") or function
        args = self._arguments(arguments, depth)
        named: dict[str, Value] = {}
        if name.type == "generic_name":
            named["<>"] = Name(self.text(name.named_children[-1]).strip("<>")[:200])
            name = name.named_children[0]
        return self.call(node, self.text(name)[:200], target, args, named)
