"""PHP: grouped use, included files, define()."""

import re

from waypost.code.source import Import
from waypost.code.syntax.captures import Definition, SyntaxCaptures
from waypost.code.syntax.dialects import Dialect
from waypost.code.syntax.text import Captures

MAX_FILE = 500  # characters of an expression that names a file
_STRING = re.compile(r"'([^'\n]*)'|\"([^\"\n]*)\"")
_HERE = re.compile(r"__DIR__|dirname\(__FILE__\)")


def _refine(definition: Definition, _syntax: SyntaxCaptures) -> bool:
    if definition.kind == "constant":
        definition.name = definition.name.strip("\"'").rpartition("\\")[2]
    return True


def _imports(captures: Captures, syntax: SyntaxCaptures) -> list[Import]:
    text = syntax.text
    line = text.line_of(captures["import"][0])
    if "import.file" in captures:
        file = _file(text.of(captures["import.file"][0])[:MAX_FILE])
        return [Import(file, "", "", line)] if file else []
    module = "".join(text.of(captures["import.module"][0]).split())
    if "import.prefix" in captures:
        module = f"{text.of(captures['import.prefix'][0])}\\{module}"
    alias = text.of(captures["import.alias"][0]) if "import.alias" in captures else ""
    return [Import(module.lstrip("\\"), "", alias, line)]


def _file(expression: str) -> str:
    written = "".join(single or double for single, double in _STRING.findall(expression))
    return f".{written}" if written.startswith("/") and _HERE.search(expression) else written


DIALECT = Dialect(refine=_refine, imports=_imports)
