"""Read Ruby as values."""

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

_FLAT = frozenset((
    "program", "body_statement", "then", "else", "if", "unless", "elsif", "begin", "ensure", "rescue", "do",
    "if_modifier", "unless_modifier", "case", "when", "block_body", "parenthesized_statements",
))  # fmt: skip


def read_ruby(text: str) -> SourceUnit:
    return _RubyReader(text).read()


class _RubyReader(SyntaxReader):
    module = "tree_sitter_ruby"

    def items(self, node: "Node", depth: int, inside: str = "") -> Iterator[Item]:
        if depth > MAX_DEPTH:
            return
        for child in node.named_children:
            yield from self._item(child, depth, inside)

    def _item(self, node: "Node", depth: int, inside: str) -> Iterator[Item]:
        match node.type:
            case "class" | "module":
                yield self._class(node, depth, inside)
            case "method" | "singleton_method":
                body = node.child_by_field_name("body")
                parts = tuple(self.items(body, depth + 1)) if body else ()
                yield Function(self.text(node.child_by_field_name("name")), parts, self.lines(node))
            case "assignment":
                left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
                if left is not None and right is not None:
                    value = self.value(right, depth)
                    self.remember_list(self.text(left), value)
                    yield Assign(self.text(left), value, self.lines(node))
            case "call" if self._is_loop(node):
                yield from self._loop(node, depth)
            case "call" | "identifier":
                value = self.value(node, depth)
                if isinstance(value, CallExpression | Name):
                    yield value
            case _ if node.type in _FLAT:
                yield from self.items(node, depth + 1, inside)

    def _is_loop(self, node: "Node") -> bool:
        receiver, block = node.child_by_field_name("receiver"), node.child_by_field_name("block")
        return receiver is not None and block is not None and self.text(node.child_by_field_name("method")) == "each"

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
        name = inside + self.text(node.child_by_field_name("name"))
        above = node.child_by_field_name("superclass")
        body = node.child_by_field_name("body")
        items = tuple(self.items(body, depth + 1, f"{name}::")) if body else ()
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

    def value(self, node: "Node", depth: int) -> Value:  # noqa: PLR0911, PLR0912 - one case per kind of expression
        if depth > MAX_DEPTH:
            return self.unknown(node)
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
            case "integer" | "float":
                return self.number(node)
            case "true" | "false":
                return node.type == "true"
            case "nil":
                return None
            case "identifier" if self.bound:
                name = self.text(node)
                return self.bound.get(name, Name(name))
            case "array":
                return [self.value(child, depth + 1) for child in node.named_children if child.type != "comment"]
            case "string_array" | "symbol_array":
                return [self.text(child) for child in node.named_children]
            case "hash":
                return self._pairs(node, depth + 1)
            case "call":
                return self._call(node, depth + 1)
            case "lambda":
                body = self.first(node, "block", "do_block")
                return self._block(body, depth + 1) if body else FunctionBlock((), ())
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
        target = self.value(receiver, depth) if receiver else None
        args: list[Value] = []
        named: dict[str, Value] = {}
        for child in arguments.named_children if arguments else ():
            if child.type == "pair":
                key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
                if key is not None and value is not None:
                    named[self._key(key, depth)] = self.value(value, depth)
            elif child.type not in ("comment", "splat_argument", "hash_splat_argument", "block_argument"):
                args.append(self.value(child, depth))
        if block is not None:
            args.append(self._block(block, depth))
        return self.call(node, self.text(method), target, args, named)

    def _block(self, node: "Node", depth: int) -> FunctionBlock:
        parameters = node.child_by_field_name("parameters")
        names = [self.text(child) for child in parameters.named_children] if parameters else []
        return self.block(names, node.child_by_field_name("body"), depth)
