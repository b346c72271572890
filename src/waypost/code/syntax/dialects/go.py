"""Go: receivers, grouped declarations, imports."""

import re

from waypost.code.source import Import
from waypost.code.syntax.captures import Definition, SyntaxCaptures
from waypost.code.syntax.dialects import Dialect
from waypost.code.syntax.text import Captures

_TYPE_NAME = re.compile(r"[*\s(]*(\w+)")


def _refine(definition: Definition, syntax: SyntaxCaptures) -> bool:
    head = definition.first("head")
    if head is not None and b"(" in syntax.text.data[head.start_byte : definition.start]:
        del definition.captures["head"]  # one of a group
    owner = definition.first("owner")
    if owner is not None:
        match = _TYPE_NAME.match(syntax.text.of(owner))
        definition.owner = (match[1],) if match else ()
    return definition.name != "_"


def _imports(captures: Captures, syntax: SyntaxCaptures) -> list[Import]:
    text = syntax.text
    module = text.of(captures["import.module"][0]).strip('"`')
    alias = text.of(captures["import.alias"][0]) if "import.alias" in captures else ""
    line = text.line_of(captures["import"][0])
    return [Import(module, "*", "", line) if alias == "." else Import(module, "", alias, line)]


DIALECT = Dialect(refine=_refine, imports=_imports)
