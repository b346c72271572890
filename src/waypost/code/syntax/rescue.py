"""Find definitions by line patterns where the grammar failed.

An error also affects what follows it: a function may have been read as an expression. Lines with a keyword such as
`fun` or `class` count anywhere in a broken file, others only inside errors.
"""

import re

from waypost.code.patterns.definitions import parse_by_patterns
from waypost.code.source import SourceFile, Symbol
from waypost.code.syntax.captures import Definition, SyntaxCaptures
from waypost.code.syntax.text import Ranges

SMALL = 40  # bytes: a shorter error hides no definition
_NO_CODE = ("comment", "string", "char_literal", "heredoc", "template", "regex")
_SAYS_IT = re.compile(
    r"\b(?:fun|func|fn|def|function|class|interface|trait|struct|enum|object|module|sub|type)[ \t]+[\w`<]"
)
_KINDS = frozenset({"class", "interface", "trait", "struct", "enum", "module", "function", "method", "type"})


def rescue_definitions(source: SourceFile, syntax: SyntaxCaptures, definitions: list[Definition]) -> list[Definition]:
    """Definitions that line patterns find and the grammar missed."""
    nodes = (node for captures in syntax.others.get("error", ()) for node in captures["error"])
    spans = ((node.start_byte, node.end_byte) for node in nodes)
    errors = Ranges((start, end) for start, end in spans if end - start > SMALL)
    existing = {(definition.name, syntax.text.row(definition.start)) for definition in definitions}
    more: list[Definition] = []
    for symbol in parse_by_patterns(source).symbols:
        row = symbol.lines.start - 1
        if symbol.kind not in _KINDS or any((symbol.name, near) in existing for near in (row - 1, row, row + 1)):
            continue
        start, end = _span(symbol, syntax)
        lost = start in errors
        if (lost or _SAYS_IT.search(symbol.signature[:200])) and _is_code(syntax, start, lost=lost):
            more.append(_definition(symbol, syntax, start, end))
    return more


def _span(symbol: Symbol, syntax: SyntaxCaptures) -> tuple[int, int]:
    text = syntax.text
    start = text.row_start(symbol.lines.start - 1)
    while text.data[start : start + 1] in (b" ", b"\t"):
        start += 1
    end = text.row_start(symbol.lines.end) - 1 if symbol.lines.end < text.line_count else len(text.data)
    return start, max(start + 1, end)


def _is_code(syntax: SyntaxCaptures, position: int, *, lost: bool) -> bool:
    """Whether a position is outside comments and strings. In an error, a string may be unclosed."""
    node = syntax.root.descendant_for_byte_range(position, position + 1)
    return node is None or not any(word in node.type for word in _NO_CODE[: 1 if lost else None])


def _definition(symbol: Symbol, syntax: SyntaxCaptures, start: int, end: int) -> Definition:
    return Definition(
        syntax.root,
        symbol.kind,
        0,
        start,
        end,
        name=symbol.name,
        parameters=list(symbol.parameters),
        returns=symbol.returns,
        signature=symbol.signature,
    )
