"""C and C++: declarators, out-of-line members, prototypes, include guards."""

import re
from typing import TYPE_CHECKING

from waypost.code.source import Import
from waypost.code.syntax.captures import Definition, SyntaxCaptures
from waypost.code.syntax.dialects import Dialect
from waypost.code.syntax.signatures import MAX_DEPTH, one_line
from waypost.code.syntax.text import Captures

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_NAME = 300
_TEMPLATE = re.compile(r"<[^<>]*>")
_NAME = re.compile(r"operator\s*\S+.*|~?\s*[\w$]+")
_CAPITALS = re.compile(r"[A-Z][A-Z0-9_]+")
_NO_NAMES = frozenset({"if", "for", "while", "switch", "return", "sizeof", "else", "catch"})
# Patterns for macros before the preprocessor.
_MACRO = rb"[A-Z][A-Z0-9_]{2,60}"
_ARGUMENTS = rb"(?:\([^()\n]{0,200}\))?"
_IDENTIFIER = rb"[A-Za-z_][\w:]{0,100}"

# #ifdef __cplusplus, extern "C" {, #endif
_CPLUSPLUS = re.compile(
    rb"^[ \t]*#[ \t]*if(?:def[ \t]+|[ \t]+defined[ (]+)__cplusplus\b[^\n]*\n"
    rb"(?:[^#\n][^\n]*\n|\n){0,4}[ \t]*#[ \t]*endif",
    re.MULTILINE,
)
_MODIFIERS = rb"^[ \t]*(?:(?:static|inline|extern|virtual|explicit|const)[ \t]+){0,4}+"
# In this order: one pattern may hide matches of another.
_PLACES = (
    # static void CALLBACK done(…)
    _MODIFIERS + _IDENTIFIER + rb"[ \t*]+(" + _MACRO + rb")(?=[ \t]+" + _IDENTIFIER + rb"\()",
    # UV_EXTERN int uv_run(…), THREAD_LOCAL int depth = 0
    _MODIFIERS + rb"(" + _MACRO + _ARGUMENTS + rb")"
    rb"(?=[ \t]+(?:const[ \t]+)?" + _IDENTIFIER + rb"(?:<[^<>\n]{0,100}>)?[ \t*&]+" + _IDENTIFIER + rb"[ \t]*[(=;\[])",
    # void reset() REQUIRES(lock) {
    rb"\)[ \t]*+(?:(?:const|noexcept|override|final)[ \t]*+){0,3}+\s?[ \t]*+"
    rb"(" + _MACRO + rb"_?" + _ARGUMENTS + rb")(?=\s{0,20}[{;])",
    # class API Foo
    rb"\b(?:class|struct|namespace|union|enum)[ \t]+(" + _MACRO + _ARGUMENTS + rb")(?=[ \t]+[A-Za-z_])",
    # a line of its own: Q_OBJECT, BEGIN_NAMESPACE
    rb"^[ \t]*(" + _MACRO + rb"(?:\([^()\n]{0,300}\))?)[ \t]*\r?\n(?![ \t]*[{(])",
    # typedef void (NTAPI *callback)(…)
    rb"\((" + _MACRO + rb")(?=[ \t]*\*[ \t]*\w{1,100}\)\s{0,40}\()",
    # container_of(node, struct row, link)
    rb",[ \t]*(struct|union|enum)(?=[ \t]+\w{1,100}[ \t]*[,)])",
)
_HIDDEN = tuple(re.compile(place, re.MULTILINE) for place in _PLACES)
_KINDS = {"prototype": "function", "member": "method", "typedef": "type", "variable": "constant"}


def _refine(definition: Definition, syntax: SyntaxCaptures) -> bool:
    written = definition.kind
    definition.kind = _KINDS.get(written, written)
    definition.minor = written == "prototype"
    declarator = definition.first("declarator")
    if declarator is not None and not _read_declarator(definition, declarator, syntax, written):
        return False
    if written == "module":
        definition.name = definition.name.replace("::", ".")
    elif "::" in definition.name:
        _split_owner(definition, definition.name)
    else:
        definition.name = _without_templates(definition.name).strip()
    if definition.node.type == "type_definition" and definition.first("body") is not None:
        definition.signature = f"typedef {definition.kind} {definition.name}"
    return bool(definition.name) and definition.name not in _NO_NAMES


def _read_declarator(definition: Definition, declarator: "Node", syntax: SyntaxCaptures, written: str) -> bool:
    """Read name, parameters and result of `int *Type::name(int a)`."""
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
        definition.name = syntax.text.of(node)[:MAX_NAME]  # TEST_IMPL(name) { … }
        return True
    if function is None and written in {"function", "prototype", "member"} and node.type != "operator_cast":
        return False
    name = syntax.text.of(node)[:MAX_NAME]
    definition.name = one_line(name.partition("(")[0] if node.type == "operator_cast" else name)
    if function is not None and definition.kind in {"function", "method"}:
        parameters = function.child_by_field_name("parameters")
        if parameters is not None:
            definition.parameters = _parameters(parameters, syntax)
        definition.returns = _result(definition.node, syntax)
        if written == "function" and definition.returns is None and _CAPITALS.fullmatch(definition.name):
            _name_by_arguments(definition, parameters, syntax)
    return True


def _name_by_arguments(definition: Definition, parameters: "Node | None", syntax: SyntaxCaptures) -> None:
    """`TEST(Suite, Name) { … }` is the function `Name` of `Suite`."""
    words = [syntax.text.of(child) for child in parameters.named_children[:4]] if parameters is not None else []
    if words and all(word.isidentifier() for word in words):
        *owner, definition.name = words
        definition.owner, definition.parameters = tuple(owner), []


def _result(node: "Node", syntax: SyntaxCaptures) -> str | None:
    kind = node.child_by_field_name("type")
    return one_line(syntax.text.of(kind), 200) if kind is not None else None


def _parameters(parameters: "Node", syntax: SyntaxCaptures) -> list[str]:
    names: list[str] = []
    for child in parameters.named_children[:100]:
        node = child.child_by_field_name("declarator")
        for _ in range(MAX_DEPTH):
            if node is None:
                break
            if node.type in {"identifier", "field_identifier"}:
                names.append(syntax.text.of(node))
                break
            last = node.named_child(node.named_child_count - 1) if node.named_child_count else None
            node = node.child_by_field_name("declarator") or last
    return names


def _split_owner(definition: Definition, name: str) -> None:
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


def _finish(definitions: list[Definition], _syntax: SyntaxCaptures) -> list[Definition]:
    """Drop a prototype if the function itself is in the same file."""
    functions = [definition for definition in definitions if definition.node.type == "function_definition"]
    defined = {(definition.owner, definition.name) for definition in functions}

    def is_repeated(definition: Definition) -> bool:
        is_prototype = definition.minor and definition.node.type == "declaration"
        return is_prototype and (definition.owner, definition.name) in defined

    return [definition for definition in definitions if not is_repeated(definition)]


def _imports(captures: Captures, syntax: SyntaxCaptures) -> list[Import]:
    text = syntax.text
    module = text.of(captures["import.module"][0])
    star = "*" if "import.star" in captures else ""
    # Quotes and angle brackets say where to search: `<stdio.h>` keeps them.
    return [Import(module.strip('"'), star, "", text.line_of(captures["import"][0]))]


def _without_macros(data: bytes) -> bytes:
    """Blank macros that the grammar cannot parse, keeping length and lines.

    Used only for files with errors. A macro is recognised by capital letters and position.
    """
    masked = bytearray(data)
    for match in _CPLUSPLUS.finditer(data):
        _blank(masked, *match.span())
    for pattern in _HIDDEN:
        for match in pattern.finditer(bytes(masked)):
            _blank(masked, *match.span(1))
    return bytes(masked)


def _blank(data: bytearray, start: int, end: int) -> None:
    data[start:end] = re.sub(rb"[^\n]", b" ", data[start:end])


DIALECT = Dialect(mask=_without_macros, refine=_refine, finish=_finish, imports=_imports)
