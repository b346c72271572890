"""Read C# classes and calls as values."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from waypost.code.schema.languages.base import SyntaxReader
from waypost.code.schema.values import Assign, CallExpression, Class, Function, Item, Name, SourceUnit, Value

if TYPE_CHECKING:
    from tree_sitter import Node


def read_csharp(text: str) -> SourceUnit:
    return _CSharpReader(text).read()


class _CSharpReader(SyntaxReader):
    module = "tree_sitter_c_sharp"
    flat = frozenset(("compilation_unit", "declaration_list", "block", "if_statement"))

    def statement(self, node: "Node", depth: int, inside: str) -> Iterator[Item]:  # noqa: ARG002
        match node.type:
            case "class_declaration" | "record_declaration":
                yield self._class(node, depth)
            case "property_declaration":
                kind, name = Name(self.field(node, "type")[:200]), self.field(node)
                # `=> x` is computed; static and interface properties are not stored
                accessors = node.child_by_field_name("accessors")
                modifiers = [self.text(child) for child in node.named_children if child.type == "modifier"]
                stored = accessors is not None and ("set" in self.text(accessors) or "init" in self.text(accessors))
                if stored and "static" not in modifiers:
                    yield Assign(name, None, self.lines(node), kind, tuple(self._attributes(node, depth)))
                elif accessors is None or "DbSet" in kind.text:
                    yield Assign(f"={name}", None, self.lines(node), kind)
            case "method_declaration":
                yield Function(self.field(node), self.body(node, depth), self.lines(node))
            case "expression_statement":
                value = self.value(node.named_children[0], depth) if node.named_children else None
                if isinstance(value, CallExpression):
                    yield value
            case "namespace_declaration" | "file_scoped_namespace_declaration":
                self.namespace = self.field(node)
                yield from self.items(node, depth + 1)
            case _ if node.type in self.flat:
                yield from self.items(node, depth + 1)

    def _class(self, node: "Node", depth: int) -> Class:
        listed = self.first(node, "base_list")
        bases = tuple(Name(self.text(child)[:200]) for child in listed.named_children) if listed else ()
        decorators = tuple(self._attributes(node, depth))
        return Class(self.field(node), bases, self.body(node, depth), self.lines(node), decorators)

    def _attributes(self, node: "Node", depth: int) -> Iterator[CallExpression]:
        for listed in node.named_children:
            for child in listed.named_children if listed.type == "attribute_list" else ():
                arguments = self.first(child, "attribute_argument_list")
                args = self._arguments(arguments, depth)
                yield self.call(child, self.field(child), None, args, {})

    def _arguments(self, node: "Node | None", depth: int) -> list[Value]:
        children = node.named_children if node else ()
        return [self.value(child.named_children[-1], depth) for child in children if child.named_children]

    def expression(self, node: "Node", depth: int) -> Value:  # noqa: PLR0911 - one case per kind of expression
        match node.type:
            case "string_literal" | "verbatim_string_literal":
                return self.text(node).lstrip("@").strip('"')
            case "boolean_literal":
                return self.text(node) == "true"
            case "null_literal":
                return None
            case "lambda_expression":
                body = node.child_by_field_name("body")
                if body is not None and body.type != "block":
                    return self.closure(self.value(body, depth + 1))
                return self.block(body, depth + 1)
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
            target = self.optional(head, depth)
            name = function.child_by_field_name("name") or function
        args = self._arguments(arguments, depth)
        named: dict[str, Value] = {}
        if name.type == "generic_name":
            named["<>"] = Name(self.text(name.named_children[-1]).strip("<>")[:200])
            name = name.named_children[0]
        return self.call(node, self.text(name)[:200], target, args, named)
