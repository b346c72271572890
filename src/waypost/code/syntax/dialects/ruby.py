"""Ruby: names with `::`, generated methods, required files."""

from waypost.code.source import Import
from waypost.code.syntax.captures import Definition, SyntaxCaptures
from waypost.code.syntax.dialects import Dialect
from waypost.code.syntax.text import Captures


def _refine(definition: Definition, syntax: SyntaxCaptures) -> bool:
    if "::" in definition.name:
        *owner, definition.name = [part for part in definition.name.split("::") if part] or [""]
        definition.owner = tuple("".join(part.split()) for part in owner)
    if definition.node.type in ("call", "simple_symbol"):
        definition.name = definition.name.strip(":'\"")
    definer = definition.first("definer")
    if definer is not None and syntax.text.of(definer) == "attr_writer":
        definition.name += "="
    singleton = definition.first("object")
    if singleton is not None and syntax.text.of(singleton) != "self":
        name = syntax.text.of(singleton)
        definition.owner = (name,) if name.isidentifier() else ()
    if definition.kind != "constant":
        definition.body = _end_of_header(definition, syntax.text.data)
    return True


def _end_of_header(definition: Definition, data: bytes) -> int:
    """The end of name and parameters: the end of the line, `;`, or the body on the same line."""
    last = definition.first("parameters") or definition.first("base") or definition.first("name")
    body = definition.first("body")
    edge = definition.start if last is None else last.end_byte
    limit = max(edge, definition.end if body is None else body.start_byte)
    ends = (data.find(mark, edge, limit) for mark in (b"\n", b";"))
    return min([limit, *(end for end in ends if end >= 0)])


def _imports(captures: Captures, syntax: SyntaxCaptures) -> list[Import]:
    text = syntax.text
    module = text.of(captures["import.module"][0]).strip("\"'")
    name = text.of(captures["import.name"][0]).lstrip(":") if "import.name" in captures else ""
    if text.of(captures["import.function"][0]) == "require_relative" and not module.startswith("."):
        module = f"./{module}"
    return [Import(module, name, "", text.line_of(captures["import"][0]))]


DIALECT = Dialect(refine=_refine, imports=_imports)
