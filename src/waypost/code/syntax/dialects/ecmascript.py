"""JavaScript and TypeScript: functions as values, exports by assignment, getters."""

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from waypost.code.source import Import
from waypost.code.syntax.captures import Definition, SyntaxCaptures
from waypost.code.syntax.dialects import Dialect
from waypost.code.syntax.text import Captures

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_TARGET = 200  # bytes of an assignment target
_EXPORTS = frozenset({"module", "exports", "prototype", "this", "self", "window", "globalThis"})
_DECORATED = frozenset(
    {"export_statement", "class_declaration", "abstract_class_declaration", "field_definition"}
    | {"public_field_definition"}
)
_SPECIFIERS = frozenset({"import_specifier", "export_specifier"})
_EXPORTED = re.compile(rb"^(?:module\.exports[ \t]*=|export)[ \t]*\{([^{}]{1,4000})\}", re.MULTILINE)
_SHORT_NAME = re.compile(rb"(?<![\w$.:])[A-Za-z_$][\w$]*(?=\s{0,200}(?:,|$|//|\n))")
_QUOTES = "\"'`"


def _refine(definition: Definition, syntax: SyntaxCaptures) -> bool:
    text = syntax.text
    _read_function(definition)
    _read_decorators(definition)
    target = definition.first("target")
    if target is not None:
        if target.end_byte - target.start_byte > MAX_TARGET:
            return False
        _name_by_target(definition, "".join(text.of(target).split()))
        function = definition.first("function")
        own = function.child_by_field_name("name") if function is not None else None
        if own is not None and definition.name == "default":  # module.exports = function open() …
            definition.name = text.of(own)
    elif definition.first("name") is None:
        definition.name = "default" if definition.kind != "scope" else ""
    match definition.kind:
        case "expression":
            definition.kind, definition.minor = "function", True
        case "member":
            definition.kind, definition.minor = "method", True
        case "default":
            definition.kind = "function"
        case "exported":
            definition.kind = "constant"
            return definition.name in _exported_names(text.data)
        case "function":
            definition.minor = definition.node.type == "variable_declarator"
        case "method":
            _getter(definition)
    name = definition.first("name")
    if name is not None and name.type == "string":
        definition.name = text.of(name).strip(_QUOTES)
    return True


@lru_cache(maxsize=1)  # of one file at a time
def _exported_names(data: bytes) -> frozenset[str]:
    """Names in `module.exports = { … }` and `export { … }`."""
    return frozenset(name.decode() for match in _EXPORTED.finditer(data) for name in _SHORT_NAME.findall(match[1]))


def _read_function(definition: Definition) -> None:
    function = definition.first("function")
    if function is None:
        return
    for field in ("parameters", "parameter", "body"):
        node = function.child_by_field_name(field)
        if node is not None:
            definition.captures[field] = [node]
    returns = function.child_by_field_name("return_type")
    if returns is not None:
        definition.captures["returns"] = [returns]


def _read_decorators(definition: Definition) -> None:
    """Decorators stand before `export`, inside the class or field, or before their member."""
    nodes = [node for node in (*definition.captures.get("outer", ()), definition.node) if node.type in _DECORATED]
    decorators = (decorator for node in nodes for decorator in node.children_by_field_name("decorator"))
    written = [inner for decorator in decorators if (inner := decorator.named_child(0)) is not None]
    if written:
        definition.captures["decorator"] = written


def _name_by_target(definition: Definition, target: str) -> None:
    parts = target.replace("?.", ".").split(".")
    owner = [part for part in parts[:-1] if part not in _EXPORTS]
    if parts[-1] == "exports":
        parts[-1] = "" if definition.kind == "scope" else "default"
    definition.name = parts[-1]
    definition.owner = tuple(part for part in owner if part.isidentifier() or "$" in part)
    if definition.kind == "function" and ".prototype." in target:
        definition.kind = "method"


def _getter(definition: Definition) -> None:
    for child in definition.node.children[:6]:
        if child.type in {"get", "set"}:
            definition.kind = "property"


def _imports(captures: Captures, syntax: SyntaxCaptures) -> list[Import]:
    text = syntax.text
    statement = captures["import"][0]
    source = _source(statement) if statement.type in _SPECIFIERS else captures["import.module"][0]
    if source is None:
        return []
    module = text.of(source).strip(_QUOTES)
    line = text.line_of(statement)
    if "import.default" in captures:
        return [Import(module, "default", text.of(captures["import.default"][0]), line)]
    name = text.of(captures["import.name"][0]).strip(_QUOTES) if "import.name" in captures else ""
    alias = text.of(captures["import.alias"][0]) if "import.alias" in captures else ""
    return [Import(module, name, alias if alias != name else "", line)]


def _source(specifier: "Node") -> "Node | None":
    """The module that a name is imported from. None for `export { a }`."""
    node: Node | None = specifier
    for _ in range(4):
        node = node.parent if node is not None else None
        if node is not None and (source := node.child_by_field_name("source")) is not None:
            return source
    return None


def _finish(definitions: list[Definition], _syntax: SyntaxCaptures) -> list[Definition]:
    """Drop function expressions that are the value of another definition."""
    nodes = ((definition, node) for definition in definitions for node in definition.captures.get("function", ()))
    values = {node.id for definition, node in nodes if node.id != definition.node.id}
    return [definition for definition in definitions if definition.node.id not in values]


DIALECT = Dialect(refine=_refine, finish=_finish, imports=_imports)
