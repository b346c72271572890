"""Java: imports."""

from waypost.code.source import Import
from waypost.code.syntax.captures import SyntaxCaptures
from waypost.code.syntax.dialects import Dialect
from waypost.code.syntax.text import Captures


def _imports(captures: Captures, syntax: SyntaxCaptures) -> list[Import]:
    text = syntax.text
    statement = captures["import"][0]
    module = "".join(text.of(captures["import.module"][0]).split())
    name = "*" if "import.name" in captures else ""
    static = any(child.type == "static" for child in statement.children[:3])
    if static and not name:
        module, _, name = module.rpartition(".")
    return [Import(module, name, "", text.line_of(statement))]


DIALECT = Dialect(imports=_imports)
