"""SQL: kinds of what is created, and statements of dialects that the grammar does not know."""

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
MAX_STATEMENT = 20_000  # bytes in which the end of a statement is looked for


def _refine(definition: Definition, found: SyntaxCaptures) -> bool:
    definition.kind = _KINDS.get(definition.kind, definition.kind)
    definition.name = plain_name(definition.name)
    node = definition.first("name")
    if definition.kind != "function" and definition.first("body") is None and node is not None:
        end = found.text.data.find(b"\n", node.end_byte)
        definition.body = min(definition.end, end if end >= 0 else definition.end)
    return bool(definition.name)


def _finish(definitions: list[Definition], found: SyntaxCaptures) -> list[Definition]:
    """Where the grammar gave up, what is created is found by its first words."""
    if not found.root.has_error:
        return definitions
    data = found.text.data
    known = Ranges((one.start, one.end) for one in definitions)
    more: list[Definition] = []
    for match in _CREATE.finditer(data):
        start = match.start(1)
        if start in known:
            continue
        end = _END.search(data, match.end(), match.end() + MAX_STATEMENT)
        what = match[1].decode().lower()
        first = match.end() - len(match[0].lstrip())
        one = Definition(found.root, _KINDS.get(what, what), 0, first, end.start() if end else match.end())
        one.name = plain_name(match[2].decode("utf-8", "replace"))
        line_end = data.find(b"\n", match.end())
        one.body = min(one.end, line_end if line_end >= 0 else one.end)
        if one.name:
            more.append(one)
    return definitions + more


def plain_name(name: str) -> str:
    """Without schema and quotes."""
    return name.rpartition(".")[2].strip('`"[] \t\r\n')


DIALECT = Dialect(refine=_refine, finish=_finish, rescue=False)
