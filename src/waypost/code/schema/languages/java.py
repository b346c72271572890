"""Read Java classes as values: fields with their annotations, without method bodies."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from waypost.code.schema.languages.base import MAX_DEPTH, SyntaxReader
from waypost.code.schema.languages.values import Assign, CallExpression, Class, Item, Name, SourceUnit, Value

if TYPE_CHECKING:
    from tree_sitter import Node


def read_java(text: str) -> SourceUnit:
    return _JavaReader(text).read()


class _JavaReader(SyntaxReader):
    module = "tree_sitter_java"

    def items(self, node: "Node", depth: int) -> Iterator[Item]:
        if depth > MAX_DEPTH:
            return
        for child in node.named_children:
            match child.type:
                case "class_declaration":
                    yield self._class(child, depth)
                case "field_declaration":
                    yield from self._field(child, depth)
                case "method_declaration":
                    yield from self._getter(child, depth)
                case "import_declaration":
                    full = self.text(child.named_children[0]) if child.named_children else ""
                    self.imports[full.rsplit(".", 1)[-1]] = full
                case "package_declaration":
                    self.namespace = self.text(child.named_children[-1]) if child.named_children else ""

    def _class(self, node: "Node", depth: int) -> Class:
        above, body = node.child_by_field_name("superclass"), node.child_by_field_name("body")
        bases = tuple(Name(self.text(child).split("<")[0]) for child in above.named_children) if above else ()
        items = tuple(self.items(body, depth + 1)) if body else ()
        name = self.text(node.child_by_field_name("name"))
        return Class(name, bases, items, self.lines(node), tuple(self._annotations(node, depth)), self._comment(node))

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
        name = self.text(declarator.child_by_field_name("name"))
        kind = Name(self.text(node.child_by_field_name("type"))[:200])
        yield Assign(name, None, self.lines(node), kind, tuple(self._annotations(node, depth)))

    def _getter(self, node: "Node", depth: int) -> Iterator[Item]:
        """A getter may have the annotations: `@Column getName()` is the field `name`."""
        annotations = tuple(self._annotations(node, depth))
        name = self.text(node.child_by_field_name("name"))
        if (
            name.startswith("get")
            and len(name) > 3
            and any(a.name in ("Column", "Id", "ManyToOne", "OneToMany") for a in annotations)
        ):
            kind = Name(self.text(node.child_by_field_name("type"))[:200])
            yield Assign(name[3].lower() + name[4:], None, self.lines(node), kind, annotations)

    def value(self, node: "Node", depth: int) -> Value:  # noqa: PLR0911 - one case per kind
        if depth > MAX_DEPTH:
            return self.unknown(node)
        match node.type:
            case "string_literal":
                return "".join(self.text(child) for child in node.named_children)
            case "decimal_integer_literal":
                return self.number(node)
            case "true" | "false":
                return node.type == "true"
            case "element_value_array_initializer":
                return [self.value(child, depth + 1) for child in node.named_children]
            case "marker_annotation" | "annotation":
                args: list[Value] = []
                named: dict[str, Value] = {}
                arguments = node.child_by_field_name("arguments")
                for child in arguments.named_children if arguments else ():
                    if child.type == "element_value_pair":
                        value = child.child_by_field_name("value")
                        named[self.text(child.child_by_field_name("key"))] = (
                            self.value(value, depth + 1) if value else None
                        )
                    else:
                        args.append(self.value(child, depth + 1))
                name = self.text(node.child_by_field_name("name")).rsplit(".", 1)[-1]
                return self.call(node, name, None, args, named)
            case _:
                return self.unknown(node)
