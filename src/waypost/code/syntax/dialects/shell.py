"""Shell scripts: sourced files."""

import re

from waypost.code.source import Import
from waypost.code.syntax.captures import SyntaxCaptures
from waypost.code.syntax.dialects import Dialect
from waypost.code.syntax.text import Captures

MAX_PATH = 500
# $(dirname "$0"), ${BASH_SOURCE%/*}, $DIR: the script's folder, or one that only the shell can resolve.
_EXPANSION = re.compile(r"\$\([^()]*(?:\([^()]*\)[^()]*)*\)|\$\{[^{}]*\}|\$\w+")


def _imports(captures: Captures, syntax: SyntaxCaptures) -> list[Import]:
    text = syntax.text
    written = text.of(captures["import.module"][0])[:MAX_PATH]
    path = _EXPANSION.sub("", written.replace('"', "").replace("'", "")).strip()
    if path.startswith("/") and "$" in written:
        path = f".{path}"
    return [Import(path, "", "", text.line_of(captures["import"][0]))] if path.strip("./") else []


DIALECT = Dialect(imports=_imports)
