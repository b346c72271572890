"""Read Java classes as values: fields with their annotations, without method bodies."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from waypost.code.schema.languages.base import SyntaxReader
from waypost.code.schema.values import Assign, CallExpression, Class, Item, Name, SourceUnit, Value

if TYPE_CHECKING:
    from tree_sitter import Node


def read_java(text: str) -> SourceUnit:
    return _JavaReader(text).read()


class _JavaReader(SyntaxReader):
    module = "tree_sitter_java"

    def statement(self, node: "Node", depth: int, inside: str) -> Iterator[Item]:  # noqa: ARG002
        match node.type:
            case "class_declaration":
                yield self._class(node, depth)
            case "field_declaration":
                yield from self._field(node, depth)
            case "method_declaration":
                yield from self._getter(node, depth)
            case "import_declaration":
                full = self.text(node.named_children[0]) if node.named_children else ""
                self.imports[full.rsplit(".", 1)[-1]] = full
            case "package_declaration":
                self.namespace = self.text(node.named_children[-1]) if node.named_children else ""

    def _class(self, node: "Node", depth: int) -> Class:
        above, items = node.child_by_field_name("superclass"), self.body(node, depth)
        bases = tuple(Name(self.text(child).split("<")[0]) for child in above.named_children) if above else ()
        decorators = tuple(self._annotations(node, depth))
        return Class(self.field(node), bases, items, self.lines(node), decorators, self._comment(node))

    def _comment(self, node: "Node") -> str:
        above = node.prev_named_sibling
        if above is None or above.type != "block_comment" or not self.text(above).startswith("/**"):
            return ""
        lines = [line.strip().strip("/*").strip() for line in self.text(above).splitlines()]
        words = [line for line in lines if line and not line.startswith("@")]
        return " ".join(words).split("<p>")[0][:300]

    def _annotations(self, node: "Node", depth: int) -> Iterator[CallExpression]:
        modifiers = self.first(node, "modifiers")
        for child in modifiers.named_children if modifiers else ():
            value = self.value(child, depth)
            if isinstance(value, CallExpression):
                yield value

    def _field(self, node: "Node", depth: int) -> Iterator[Item]:
        modifiers = self.text(self.first(node, "modifiers"))
        declarator = node.child_by_field_name("declarator")
        if declarator is None or "static " in modifiers + " " or "transient " in modifiers + " ":
            return
        kind = Name(self.field(node, "type")[:200])
        yield Assign(self.field(declarator), None, self.lines(node), kind, tuple(self._annotations(node, depth)))

    def _getter(self, node: "Node", depth: int) -> Iterator[Item]:
        """A getter may have the annotations: `@Column getName()` is the field `name`."""
        annotations = tuple(self._annotations(node, depth))
        name = self.field(node)
        is_mapped = any(a.name in ("Column", "Id", "ManyToOne", "OneToMany") for a in annotations)
        if name.startswith("get") and len(name) > 3 and is_mapped:
            kind = Name(self.field(node, "type")[:200])
            yield Assign(name[3].lower() + name[4:], None, self.lines(node), kind, annotations)

    def expression(self, node: "Node", depth: int) -> Value:
        match node.type:
            case "string_literal":
                return "".join(self.text(child) for child in node.named_children)
            case "element_value_array_initializer":
                return [self.value(child, depth + 1) for child in node.named_children]
            case "marker_annotation" | "annotation":
                args: list[Value] = []
                named: dict[str, Value] = {}
                arguments = node.child_by_field_name("arguments")
                for child in arguments.named_children if arguments else ():
                    if child.type == "element_value_pair":
                        named[self.field(child, "key")] = self.optional(child.child_by_field_name("value"), depth + 1)
                    else:
                        args.append(self.value(child, depth + 1))
                return self.call(node, self.field(node).rsplit(".", 1)[-1], None, args, named)
            case _:
                return self.unknown(node)
