"""Read Ruby as values."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from waypost.code.schema.languages.base import SyntaxReader
from waypost.code.schema.values import CallExpression, Class, Function, FunctionBlock, Item, Name, SourceUnit, Value

if TYPE_CHECKING:
    from tree_sitter import Node


def read_ruby(text: str) -> SourceUnit:
    return _RubyReader(text).read()


class _RubyReader(SyntaxReader):
    module = "tree_sitter_ruby"
    flat = frozenset((
        "program", "body_statement", "then", "else", "if", "unless", "elsif", "begin", "ensure", "rescue", "do",
        "if_modifier", "unless_modifier", "case", "when", "block_body", "parenthesized_statements",
    ))  # fmt: skip

    def statement(self, node: "Node", depth: int, inside: str) -> Iterator[Item]:
        match node.type:
            case "class" | "module":
                yield self._class(node, depth, inside)
            case "method" | "singleton_method":
                yield Function(self.field(node), self.body(node, depth), self.lines(node))
            case "assignment":
                yield from self.assignment(node, depth)
            case "call" if self._is_loop(node):
                yield from self._loop(node, depth)
            case "call" | "identifier":
                value = self.value(node, depth)
                if isinstance(value, CallExpression | Name):
                    yield value
            case _ if node.type in self.flat:
                yield from self.items(node, depth + 1, inside)

    def _is_loop(self, node: "Node") -> bool:
        receiver, block = node.child_by_field_name("receiver"), node.child_by_field_name("block")
        return receiver is not None and block is not None and self.field(node, "method") == "each"

    def _loop(self, node: "Node", depth: int) -> Iterator[Item]:
        """Unroll `%w[a b].each do |x|`."""
        receiver, block = node.child_by_field_name("receiver"), node.child_by_field_name("block")
        assert receiver is not None
        assert block is not None
        parameters, body = block.child_by_field_name("parameters"), block.child_by_field_name("body")
        name = self.text(parameters.named_children[0]) if parameters and parameters.named_children else ""
        for _ in self.iterate(name, self.value(receiver, depth + 1)):
            if body is not None:
                yield from self.items(body, depth + 1)

    def _class(self, node: "Node", depth: int, inside: str) -> Class:
        name, above = inside + self.field(node), node.child_by_field_name("superclass")
        items = self.body(node, depth, f"{name}::")
        bases = tuple(self.value(child, depth) for child in above.named_children) if above else ()
        return Class(name, bases, items, self.lines(node), doc=self._comment(node), kind=node.type)

    def _comment(self, node: "Node") -> str:
        """The comment right above, unless a tool wrote it (`== Schema Information`)."""
        lines: list[str] = []
        above: Node | None = node.prev_named_sibling
        line = node.start_point[0]
        while above is not None and above.type == "comment" and above.end_point[0] >= line - 1:
            lines.insert(0, self.text(above).lstrip("# ").strip())
            line = above.start_point[0]
            above = above.prev_named_sibling
        text = " ".join(lines)
        return (
            "" if "Schema Information" in text or "frozen_string_literal" in text or "rubocop" in text else text[:300]
        )

    def expression(self, node: "Node", depth: int) -> Value:  # noqa: PLR0911 - one case per kind of expression
        match node.type:
            case "string" | "heredoc_body":
                if any(child.type == "interpolation" for child in node.named_children):
                    return self.unknown(node)
                return "".join(self.text(child) for child in node.named_children if child.type == "string_content")
            case "heredoc_beginning":
                return self._heredoc(node)
            case "simple_symbol":
                return self.text(node)[1:]
            case "delimited_symbol":
                return self.text(node).strip(":\"'")
            case "nil":
                return None
            case "string_array" | "symbol_array":
                return [self.text(child) for child in node.named_children]
            case "hash":
                return self._pairs(node, depth + 1)
            case "call":
                return self._call(node, depth + 1)
            case "lambda":
                body = self.first(node, "block", "do_block")
                return self.block(body.child_by_field_name("body"), depth + 1) if body else FunctionBlock(())
            case "parenthesized_statements":
                return self.value(node.named_children[0], depth + 1) if node.named_children else None
            case _:
                return self.unknown(node)

    def _heredoc(self, node: "Node") -> Value:
        """The text of a heredoc, which follows the line of its use."""
        above = node.parent
        for _ in range(12):
            if above is None:
                break
            body = self.first(above, "heredoc_body")
            if body is not None and body.start_byte > node.start_byte:
                return self.value(body, 0)
            above = above.parent
        return self.unknown(node)

    def _key(self, node: "Node", depth: int) -> str:
        if node.type == "hash_key_symbol":
            return self.text(node)
        key = self.value(node, depth)
        return key if isinstance(key, str) else self.text(node)

    def _pairs(self, node: "Node", depth: int) -> dict[str, Value]:
        members: dict[str, Value] = {}
        for pair in node.named_children:
            if pair.type == "pair":
                key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
                if key is not None and value is not None:
                    members[self._key(key, depth)] = self.value(value, depth)
        return members

    def _call(self, node: "Node", depth: int) -> Value:
        receiver, method = node.child_by_field_name("receiver"), node.child_by_field_name("method")
        arguments, block = node.child_by_field_name("arguments"), node.child_by_field_name("block")
        target = self.optional(receiver, depth)
        named = self._pairs(arguments, depth) if arguments else {}
        skipped = ("pair", "comment", "splat_argument", "hash_splat_argument", "block_argument")
        children = arguments.named_children if arguments else ()
        args = [self.value(child, depth) for child in children if child.type not in skipped]
        if block is not None:
            args.append(self.block(block.child_by_field_name("body"), depth))
        return self.call(node, self.text(method), target, args, named)
