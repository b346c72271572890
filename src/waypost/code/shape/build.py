"""A file turned into its shape: what it says without its layout, and where its symbols are."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from waypost.code.embedded_scripts import scripts_of
from waypost.code.shape.keys import has_keys, key_landmarks
from waypost.code.shape.plan import plan_for
from waypost.code.shape.sheet import ShapeSheet
from waypost.code.shape.text import read_text
from waypost.code.shape.tree import read_tree
from waypost.code.source import Parsed, SourceFile
from waypost.code.syntax.grammars import grammar, has_grammar
from waypost.code.syntax.reader import source_bytes
from waypost.model.shape import SECTION, FileShape, Landmark, word_code

COMPONENTS = frozenset({"vue", "svelte", "astro"})
_TREE = "tree-sitter"
_LARGE = 20_000  # bytes


def shape_of(source: SourceFile, parsed: Parsed) -> FileShape:
    """The shape of a file that `parse` has read. Never fails on what the file says."""
    data = source_bytes(source.text)
    sheet = _sheet(source, parsed, data)
    return FileShape(
        path=source.path,
        language=source.language,
        line_count=parsed.line_count,
        landmarks=(*_symbols(parsed, sheet), *_sections(source, parsed)),
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


def _sheet(source: SourceFile, parsed: Parsed, data: bytes) -> ShapeSheet:
    if parsed.parser == _TREE and parsed.language in COMPONENTS:
        return _component(source, data)
    # The parser takes very long to make nothing of a large file.
    is_hopeless = parsed.broken and not parsed.symbols and len(data) > _LARGE
    if parsed.parser != _TREE or not has_grammar(source.language) or is_hopeless:
        return read_text(source.language, data)
    return _tree(source.language, data)


def _tree(language: str, data: bytes) -> ShapeSheet:
    from tree_sitter import Parser

    return read_tree(language, Parser(grammar(language).language).parse(data), data)


def _component(source: SourceFile, data: bytes) -> ShapeSheet:
    """Scripts by their grammars, and what is around them by its words."""
    sheet, done = ShapeSheet(data), 0
    last = data.count(b"\n") + 1
    for script in scripts_of(source):
        text = source_bytes(script.text)
        first = text[: len(text) - len(text.lstrip())].count(b"\n") + 1
        end = text.rstrip().count(b"\n") + 1
        if first > done:
            sheet.append(read_text(source.language, data, (done + 1, first - 1)))
            sheet.append(_tree(script.language, text))
            done = end
    sheet.append(read_text(source.language, data, (done + 1, last)))
    return sheet


def _symbols(parsed: Parsed, sheet: ShapeSheet) -> Iterator[Landmark]:
    rows = sheet.rows
    wrapped = _wrapped(parsed.language, sheet)
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


def _wrapped(language: str, sheet: ShapeSheet) -> dict[int, list[int]]:
    """The first words of definitions with decorators, by the word behind the last one."""
    wraps = plan_for(language).wraps if has_grammar(language) else ()
    found: dict[int, list[int]] = {}
    if wraps:
        for mark, kind in enumerate(sheet.kinds):
            if kind in wraps:
                found.setdefault(sheet.closes[mark], []).append(sheet.opens[mark])
    return found


def _sections(source: SourceFile, parsed: Parsed) -> Iterator[Landmark]:
    if has_keys(source.language):
        yield from key_landmarks(source.language, source.text)
        return
    for section in parsed.sections:
        if section.title:
            first = section.lines.start
            yield Landmark(section.title, section.title, SECTION, "", first, first, first, section.lines.end)
