"""Definitions in the parts of a file that its grammar could not read, found by the look of their lines.

An error also spoils what comes after it: a function there may have been read as an expression. Lines that name what they
define (`fun`, `class`) are believed in the whole of a broken file, others only inside of errors.
"""

import re

from waypost.code.patterns.definitions import parse_by_patterns
from waypost.code.source import SourceFile, Symbol
from waypost.code.syntax.captures import Definition, SyntaxCaptures
from waypost.code.syntax.text import Ranges

SMALL = 40  # bytes: an error of a word or two hides no definition
_NO_CODE = ("comment", "string", "char_literal", "heredoc", "template", "regex")
_SAYS_IT = re.compile(r"\b(?:fun|func|fn|def|function|class|interface|trait|struct|enum|object|module|sub)[ \t]+[\w`<]")
_KINDS = frozenset({"class", "interface", "trait", "struct", "enum", "module", "function", "method"})


def rescued(source: SourceFile, found: SyntaxCaptures, definitions: list[Definition]) -> list[Definition]:
    """What the patterns of the language find inside of errors and the grammar did not."""
    errors = Ranges(
        (node.start_byte, node.end_byte)
        for captures in found.others.get("error", ())
        for node in captures["error"]
        if node.end_byte - node.start_byte > SMALL
    )
    known = {(one.name, found.text.row(one.start)) for one in definitions}
    more: list[Definition] = []
    for symbol in parse_by_patterns(source).symbols:
        row = symbol.lines.start - 1
        if symbol.kind not in _KINDS or any((symbol.name, near) in known for near in (row - 1, row, row + 1)):
            continue
        start, end = _span(symbol, found)
        lost = start in errors
        if (lost or _SAYS_IT.search(symbol.signature[:200])) and _is_code(found, start, lost=lost):
            more.append(_definition(symbol, found, start, end))
    return more


def _span(symbol: Symbol, found: SyntaxCaptures) -> tuple[int, int]:
    text = found.text
    start = text.row_start(symbol.lines.start - 1)
    while text.data[start : start + 1] in (b" ", b"\t"):
        start += 1
    end = text.row_start(symbol.lines.end) - 1 if symbol.lines.end < text.line_count else len(text.data)
    return start, max(start + 1, end)


def _is_code(found: SyntaxCaptures, position: int, *, lost: bool) -> bool:
    """Whether a position is outside of comments and strings. In an error a string may have lost its end."""
    node = found.root.descendant_for_byte_range(position, position + 1)
    return node is None or not any(word in node.type for word in _NO_CODE[: 1 if lost else None])


def _definition(symbol: Symbol, found: SyntaxCaptures, start: int, end: int) -> Definition:
    return Definition(
        found.root,
        symbol.kind,
        0,
        start,
        end,
        name=symbol.name,
        parameters=list(symbol.parameters),
        returns=symbol.returns,
        signature=symbol.signature,
    )
