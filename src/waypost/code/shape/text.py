"""The words of a file without a grammar: prose, configuration, and code read by patterns."""

import re
from functools import cache

from waypost.code.patterns.rules import languages_with_patterns, rules_for
from waypost.code.shape.plan import rules_of
from waypost.code.shape.sheet import ShapeSheet
from waypost.model.shape import word_code

_WORD = re.compile(rb"[\w\x80-\xff]+|[^\w\s\x80-\xff]")
_RULER = re.compile(rb"([-=_*~|:+ ])(?:\1|[-|:+ ]){2,}+")  # under titles and in tables
_INDENT = word_code(b"\0indent")
_PROSE = frozenset({"markdown", "rst", "asciidoc", "org", "text"})
_TAB = 8


def read_text(language: str, data: bytes, only: tuple[int, int] | None = None) -> ShapeSheet:
    """Words, and marks around indented blocks where indentation has meaning. `only` limits the lines."""
    sheet = ShapeSheet(data)
    marks, blocks = _comment_marks(language)
    levels: list[tuple[int, int]] = []  # indentation and mark of each open block
    indents = bool(rules_of(language).get("indents"))
    closing = b""
    position = 0
    for number, line in enumerate(data.split(b"\n"), start=1):
        start, position = position, position + len(line) + 1
        text = line.strip()
        if not text or (only is not None and not only[0] <= number <= only[1]):
            continue
        opening = b"" if closing else next((end for begin, end in blocks if text.startswith(begin)), b"")
        if closing or opening or text.startswith(marks):
            sheet.note(start, position - 1)
            end_mark = closing or opening
            rest = text if closing else text[2:]
            closing = b"" if end_mark and end_mark in rest else end_mark
            continue
        if indents:
            _indent(sheet, levels, len(line.expandtabs(_TAB)) - len(line.expandtabs(_TAB).lstrip()))
        if language in _PROSE and _RULER.fullmatch(text):
            continue
        for match in _WORD.finditer(line):
            sheet.word(match[0], start + match.start())
    while levels:
        sheet.closes[levels.pop()[1]] = len(sheet.words)
    return sheet


def _indent(sheet: ShapeSheet, levels: list[tuple[int, int]], depth: int) -> None:
    while levels and levels[-1][0] > depth:
        sheet.closes[levels.pop()[1]] = len(sheet.words)
    if not levels or levels[-1][0] < depth:
        levels.append((depth, sheet.open(_INDENT, levels[-1][1] if levels else -1)))


@cache
def _comment_marks(language: str) -> tuple[tuple[bytes, ...], tuple[tuple[bytes, bytes], ...]]:
    configured = rules_of(language).get("marks")
    if configured is not None:
        return tuple(mark.encode() for mark in configured), ()
    if language not in languages_with_patterns():
        return (), ()
    rules = rules_for(language)
    blocks = tuple((begin.encode(), end.encode()) for begin, end in rules.blocks)
    return tuple(mark.encode() for mark in rules.comments), blocks
