"""Rust: impl blocks, use trees."""

import re

from waypost.code.source import Implementation, Import
from waypost.code.syntax.captures import Definition, SyntaxCaptures
from waypost.code.syntax.dialects import Dialect
from waypost.code.syntax.text import Captures

_UNIT = "()"  # the type without a value
MAX_USE = 20_000  # characters of one use declaration
_TYPE_NAME = re.compile(r"(?:[&*(\[\s]|dyn\b|mut\b|'\w+)*((?:\w+\s*::\s*)*)(\w+)")
_TOKEN = re.compile(r"\s*([{},]|[^{},]+)")
_TYPES = frozenset({"struct", "enum"})


def _refine(definition: Definition, _syntax: SyntaxCaptures) -> bool:
    if definition.kind == "scope":
        match = _TYPE_NAME.match(definition.name[:500])
        definition.name = match[2] if match else _UNIT if definition.name.strip() == _UNIT else ""
    return definition.name != "_"


def _finish(definitions: list[Definition], syntax: SyntaxCaptures) -> list[Definition]:
    """Make the trait of `impl Trait for Type` a base of the type, in this file or elsewhere."""
    types = {definition.name: definition for definition in definitions if definition.kind in _TYPES}
    for definition in definitions:
        traits = definition.captures.get("base", []) if definition.kind == "scope" else []
        if traits and definition.name in types:
            types[definition.name].captures.setdefault("base", []).extend(traits)
        if traits and definition.name:
            lines = syntax.text.row(definition.start) + 1, syntax.text.row(definition.end) + 1
            syntax.implementations += [Implementation(definition.name, syntax.text.of(node), *lines) for node in traits]
    return definitions


def _imports(captures: Captures, syntax: SyntaxCaptures) -> list[Import]:
    text = syntax.text
    line = text.line_of(captures["import"][0])
    if "import.tree" in captures:
        node = captures["import.tree"][0]
        tree = text.between(node.start_byte, min(node.end_byte, node.start_byte + MAX_USE))
        return [_import(path, line) for path in _paths(tree)]
    module = text.of(captures["import.module"][0])
    alias = text.of(captures["import.alias"][0]) if "import.alias" in captures else ""
    return [Import(module, "", alias, line)]


def _paths(tree: str) -> list[str]:
    """`a::{b, c::{self, d as e}}` is `a::b`, `a::c::self`, `a::c::d as e`."""
    paths: list[str] = []
    prefixes = [""]
    last = ""
    for match in _TOKEN.finditer(tree):
        part = match[1].strip()
        if part == "{":
            prefixes.append(prefixes[-1] + last)
            last = ""
        elif part in {",", "}"}:
            if last:
                paths.append(prefixes[-1] + last)
            last = ""
            if part == "}" and len(prefixes) > 1:
                prefixes.pop()
        else:
            last = part
    return [*paths, prefixes[-1] + last] if last else paths


def _import(path: str, line: int) -> Import:
    path, _, alias = path.partition(" as ")
    module, _, name = "".join(path.split()).rpartition("::")
    if name == "self":
        name = ""
    return Import(module or name, name if module else "", alias.strip(), line)


DIALECT = Dialect(refine=_refine, finish=_finish, imports=_imports)
