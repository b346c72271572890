"""SQL: kinds of created objects, and statements that the grammar does not support."""

import re

from waypost.code.syntax.captures import Definition, SyntaxCaptures
from waypost.code.syntax.dialects import Dialect
from waypost.code.syntax.text import Ranges

_KINDS = {"table": "struct", "view": "struct", "trigger": "function", "procedure": "function", "index": "constant"}
_CREATE = re.compile(
    rb"""^[ \t]*CREATE\s+(?:OR\s+(?:REPLACE|ALTER)\s+)?(?:DEFINER\s*=\s*\S{1,80}\s+)?
    (?:(?:GLOBAL|LOCAL|TEMP|TEMPORARY|UNLOGGED|EXTERNAL|UNIQUE|MATERIALIZED|EDITIONABLE|FORCE|RECURSIVE)\s+){0,3}
    (TABLE|VIEW|FUNCTION|PROCEDURE|TRIGGER|TYPE|INDEX)\s+(?:CONCURRENTLY\s+)?(?:IF\s+NOT\s+EXISTS\s+)?
    ((?:[`"\[]?[\w$\#]{1,120}[`"\]]?\.){0,3}[`"\[]?[\w$\#]{1,120}[`"\]]?)""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_END = re.compile(rb";[ \t]*(?:--[^\n]*)?$|^GO[ \t]*$", re.MULTILINE | re.IGNORECASE)
MAX_STATEMENT = 20_000  # bytes searched for the end of a statement


def _refine(definition: Definition, syntax: SyntaxCaptures) -> bool:
    definition.kind = _KINDS.get(definition.kind, definition.kind)
    definition.name = bare_name(definition.name)
    node = definition.first("name")
    if definition.kind != "function" and definition.first("body") is None and node is not None:
        end = syntax.text.data.find(b"\n", node.end_byte)
        definition.body = min(definition.end, end if end >= 0 else definition.end)
    return bool(definition.name)


def _finish(definitions: list[Definition], syntax: SyntaxCaptures) -> list[Definition]:
    """Find created objects by their first words where the grammar failed."""
    if not syntax.root.has_error:
        return definitions
    data = syntax.text.data
    covered = Ranges((definition.start, definition.end) for definition in definitions)
    more: list[Definition] = []
    for match in _CREATE.finditer(data):
        start = match.start(1)
        if start in covered:
            continue
        end = _END.search(data, match.end(), match.end() + MAX_STATEMENT)
        what = match[1].decode().lower()
        first = match.end() - len(match[0].lstrip())
        definition = Definition(syntax.root, _KINDS.get(what, what), 0, first, end.start() if end else match.end())
        definition.name = bare_name(match[2].decode("utf-8", "replace"))
        line_end = data.find(b"\n", match.end())
        definition.body = min(definition.end, line_end if line_end >= 0 else definition.end)
        if definition.name:
            more.append(definition)
    return definitions + more


def bare_name(name: str) -> str:
    """Without schema and quotes."""
    return name.rpartition(".")[2].strip('`"[] \t\r\n')


DIALECT = Dialect(refine=_refine, finish=_finish, rescue=False)
