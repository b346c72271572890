"""Kotlin: kinds of classes, extension functions, companion objects, results."""

import re
from typing import TYPE_CHECKING

from waypost.code.source import Import
from waypost.code.syntax.captures import Definition, SyntaxCaptures
from waypost.code.syntax.dialects import Dialect
from waypost.code.syntax.signatures import one_line
from waypost.code.syntax.text import Captures

if TYPE_CHECKING:
    from tree_sitter import Node

_TYPES = frozenset({"user_type", "nullable_type", "function_type", "parenthesized_type"})
_PARAMETERS = frozenset({"parameter", "class_parameter"})
_KEYWORD_START = re.compile(rb"\b(?:in|is|as)(?=\d)|\b(?:open|value|data|inner|expect|actual)(?=\()")
_BEFORE_ACCESSOR = re.compile(rb"@\w{1,60}[ \t]+(?=[gs]et\()")
MAX_TYPE = 200


def _refine(definition: Definition, syntax: SyntaxCaptures) -> bool:
    match definition.kind:
        case "class":
            definition.kind = _kind_of_class(definition.node)
        case "companion":
            # Members of a companion belong to the enclosing class, unless it has a name.
            definition.kind = "class" if definition.name else "scope"
        case "constructor":
            definition.kind, definition.name = "method", "constructor"
        case "function" | "property":
            _extension_and_result(definition, syntax)
    parameters = definition.first("parameters")
    if parameters is not None:
        definition.parameters = [
            _parameter(node, syntax) for node in parameters.named_children if node.type in _PARAMETERS
        ]
    accessor = definition.first("accessor")
    if accessor is not None:
        definition.body = accessor.start_byte
    return True


def _mask(data: bytes) -> bytes:
    """Hide soft keywords used as names, and annotations before accessors, which the grammar rejects."""
    data = _KEYWORD_START.sub(lambda match: match[0].swapcase(), data)
    return _BEFORE_ACCESSOR.sub(lambda match: b" " * len(match[0]), data)


def _kind_of_class(node: "Node") -> str:
    for child in node.children[:8]:
        if child.type == "interface":
            return "interface"
        if child.type in {"enum_class_body", "enum"}:
            return "enum"
        if child.type == "modifiers" and any(
            grandchild.type == "class_modifier" and grandchild.text == b"enum" for grandchild in child.named_children
        ):
            return "enum"
    return "class"


def _extension_and_result(definition: Definition, syntax: SyntaxCaptures) -> None:
    name = definition.first("name")
    if name is None:
        return
    for child in definition.node.named_children:
        if child.type not in _TYPES:
            continue
        if child.end_byte <= name.start_byte:
            receiver = syntax.text.of(child).partition("<")[0].strip("?() ")
            definition.owner = tuple(part for part in receiver.split(".") if part.isidentifier())
        elif definition.kind == "function" and definition.returns is None:
            definition.returns = one_line(syntax.text.of(child), MAX_TYPE)


def _parameter(node: "Node", syntax: SyntaxCaptures) -> str:
    names = [child for child in node.named_children if child.type == "identifier"]
    return syntax.text.of(names[0]) if names else one_line(syntax.text.of(node), MAX_TYPE)


def _imports(captures: Captures, syntax: SyntaxCaptures) -> list[Import]:
    text = syntax.text
    statement = captures["import"][0]
    module = "".join(text.of(captures["import.module"][0]).split())
    alias = text.of(captures["import.alias"][0]) if "import.alias" in captures else ""
    star = text.between(statement.end_byte - 1, statement.end_byte) == "*"
    return [Import(module, "*" if star else "", alias, text.line_of(statement))]


DIALECT = Dialect(mask=_mask, refine=_refine, imports=_imports)
