"""C and C++: declarators, out-of-line members, prototypes, include guards."""

import re
from typing import TYPE_CHECKING

from waypost.code.source import Import
from waypost.code.syntax.captures import Definition, SyntaxCaptures
from waypost.code.syntax.dialects import Dialect
from waypost.code.syntax.dialects.c_macros import without_macros
from waypost.code.syntax.signatures import MAX_DEPTH, one_line
from waypost.code.syntax.text import Captures

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_NAME = 300
_TEMPLATE = re.compile(r"<[^<>]*>")
_NAME = re.compile(r"operator\s*\S+.*|~?\s*[\w$]+")
_CAPITALS = re.compile(r"[A-Z][A-Z0-9_]+")
_NO_NAMES = frozenset({"if", "for", "while", "switch", "return", "sizeof", "else", "catch"})
_KINDS = {"prototype": "function", "member": "method", "typedef": "type", "variable": "constant"}


def _refine(definition: Definition, found: SyntaxCaptures) -> bool:
    written = definition.kind
    definition.kind = _KINDS.get(written, written)
    definition.minor = written == "prototype"
    declarator = definition.first("declarator")
    if declarator is not None and not _read_declarator(definition, declarator, found, written):
        return False
    if written == "module":
        definition.name = definition.name.replace("::", ".")
    elif "::" in definition.name:
        _take_owner(definition, definition.name)
    else:
        definition.name = _without_templates(definition.name).strip()
    if definition.node.type == "type_definition" and definition.first("body") is not None:
        definition.signature = f"typedef {definition.kind} {definition.name}"
    return bool(definition.name) and definition.name not in _NO_NAMES


def _read_declarator(definition: Definition, declarator: "Node", found: SyntaxCaptures, written: str) -> bool:
    """The name, parameters and result of `int *Type::name(int a)`."""
    node = declarator
    function: Node | None = None
    for _ in range(MAX_DEPTH):
        if node.type == "function_declarator":
            function = node
        if node.type == "operator_cast":
            break
        inner = node.child_by_field_name("declarator")
        if inner is None and node.type in {"reference_declarator", "parenthesized_declarator", "attributed_declarator"}:
            inner = next(
                (child for child in node.named_children if "declarator" in child.type or "identifier" in child.type),
                None,
            )
        if inner is None:
            break
        node = inner
    if function is None and written == "function" and declarator.type == "parenthesized_declarator":
        definition.name = found.text.of(node)[:MAX_NAME]  # TEST_IMPL(name) { … }
        return True
    if function is None and written in {"function", "prototype", "member"} and node.type != "operator_cast":
        return False
    name = found.text.of(node)[:MAX_NAME]
    definition.name = one_line(name.partition("(")[0] if node.type == "operator_cast" else name)
    if function is not None and definition.kind in {"function", "method"}:
        parameters = function.child_by_field_name("parameters")
        if parameters is not None:
            definition.parameters = _parameters(parameters, found)
        definition.returns = _result(definition.node, found)
        if written == "function" and definition.returns is None and _CAPITALS.fullmatch(definition.name):
            _name_by_arguments(definition, parameters, found)
    return True


def _name_by_arguments(definition: Definition, parameters: "Node | None", found: SyntaxCaptures) -> None:
    """`TEST(Suite, Name) { … }` is the function `Name` of `Suite`."""
    words = [found.text.of(child) for child in parameters.named_children[:4]] if parameters is not None else []
    if words and all(word.isidentifier() for word in words):
        *owner, definition.name = words
        definition.owner, definition.parameters = tuple(owner), []


def _result(node: "Node", found: SyntaxCaptures) -> str | None:
    kind = node.child_by_field_name("type")
    return one_line(found.text.of(kind), 200) if kind is not None else None


def _parameters(parameters: "Node", found: SyntaxCaptures) -> list[str]:
    names: list[str] = []
    for child in parameters.named_children[:100]:
        node = child.child_by_field_name("declarator")
        for _ in range(MAX_DEPTH):
            if node is None:
                break
            if node.type in {"identifier", "field_identifier"}:
                names.append(found.text.of(node))
                break
            inner = node.child_by_field_name("declarator")
            node = (
                inner
                if inner is not None
                else (node.named_child(node.named_child_count - 1) if node.named_child_count else None)
            )
    return names


def _take_owner(definition: Definition, name: str) -> None:
    """`shop::Cart<T>::add` belongs to `shop.Cart`."""
    *owner, last = _without_templates(name).split("::")
    match = _NAME.match(last.strip())
    definition.name = match[0] if match else last.strip()
    definition.owner = tuple(part.strip() for part in owner if part.strip().isidentifier())


def _without_templates(name: str) -> str:
    if "operator" in name:
        return name
    for _ in range(MAX_DEPTH):
        shorter = _TEMPLATE.sub("", name)
        if shorter == name:
            break
        name = shorter
    return name


def _finish(definitions: list[Definition], _found: SyntaxCaptures) -> list[Definition]:
    """A prototype is dropped when the function itself is in the same file."""
    defined = {(one.owner, one.name) for one in definitions if one.node.type == "function_definition"}
    return [
        one
        for one in definitions
        if not (one.minor and one.node.type == "declaration" and (one.owner, one.name) in defined)
    ]


def _imports(captures: Captures, found: SyntaxCaptures) -> list[Import]:
    text = found.text
    module = text.of(captures["import.module"][0])
    star = "*" if "import.star" in captures else ""
    # Quotes and angle brackets say where the file is looked for: `<stdio.h>` keeps them.
    return [Import(module.strip('"'), star, "", text.line_of(captures["import"][0]))]


DIALECT = Dialect(mask=without_macros, refine=_refine, finish=_finish, imports=_imports)
