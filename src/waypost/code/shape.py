"""A file turned into its shape: what it says without its layout, and where its symbols are."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from waypost.code.shape_plan import plan_for
from waypost.code.shape_text import read_text
from waypost.code.shape_tree import Sheet, read_tree
from waypost.code.source import Parsed, Source
from waypost.code.syntax.grammars import grammar, has_grammar
from waypost.code.syntax.reader import source_bytes
from waypost.model.shape import SECTION, Landmark, Shape, word_code

_TREE = "tree-sitter"


def shape_of(source: Source, parsed: Parsed) -> Shape:
    """The shape of a file that `parse` has read. Never fails on what the file says."""
    data = source_bytes(source.text)
    sheet = _sheet(source, parsed, data)
    return Shape(
        path=source.path,
        language=source.language,
        line_count=parsed.line_count,
        landmarks=(*_symbols(parsed, sheet), *_sections(parsed)),
        words=sheet.words,
        rows=sheet.rows,
        opens=sheet.opens,
        closes=sheet.closes,
        kinds=sheet.kinds,
        parents=sheet.parents,
        notes=sheet.notes,
        note_rows=sheet.note_rows,
        texts=array("Q", map(_text_code, data.split(b"\n")[: parsed.line_count])),
        broken=parsed.broken,
    )


def _text_code(line: bytes) -> int:
    tight = b"".join(line.split())
    return word_code(tight) if tight else 0


def _sheet(source: Source, parsed: Parsed, data: bytes) -> Sheet:
    if parsed.parser != _TREE or not has_grammar(source.language):
        return read_text(source.language, data)
    from tree_sitter import Parser

    return read_tree(source.language, Parser(grammar(source.language).language).parse(data), data)


def _symbols(parsed: Parsed, sheet: Sheet) -> Iterator[Landmark]:
    rows = sheet.rows
    wrapped = _wrapped(parsed.language, sheet) if parsed.parser == _TREE else {}
    for symbol in parsed.symbols:
        define, end = symbol.lines.start, symbol.lines.end
        # Comments are no words: the first word is that of a decorator or of the definition itself.
        place = bisect_left(rows, symbol.first_line)
        start = min(define, rows[place]) if place < len(rows) else define
        above = parsed.symbols[symbol.parent].lines.start if symbol.parent is not None else 0
        for first in wrapped.get(bisect_right(rows, end), ()):
            if above < rows[first] < start:
                start = rows[first]
        first_line = min(symbol.first_line, start)
        yield Landmark(symbol.name, symbol.qualified, symbol.kind, symbol.scip, first_line, start, define, end)


def _wrapped(language: str, sheet: Sheet) -> dict[int, list[int]]:
    """The first words of definitions with decorators, by the word behind the last one."""
    wraps = plan_for(language).wraps if has_grammar(language) else ()
    found: dict[int, list[int]] = {}
    if wraps:
        for mark, kind in enumerate(sheet.kinds):
            if kind in wraps:
                found.setdefault(sheet.closes[mark], []).append(sheet.opens[mark])
    return found


def _sections(parsed: Parsed) -> Iterator[Landmark]:
    for section in parsed.sections:
        if section.title:
            first = section.lines.start
            yield Landmark(section.title, section.title, SECTION, "", first, first, first, section.lines.end)
