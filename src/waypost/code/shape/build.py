"""Build the shape of a file: its words without layout, and where its symbols are."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from waypost.code.documents.keys import ConfigKey, ini_keys, toml_keys, yaml_keys
from waypost.code.documents.parse import lines_of
from waypost.code.embedded_scripts import scripts_of
from waypost.code.shape.plan import plan_for
from waypost.code.shape.sheet import ShapeSheet
from waypost.code.shape.significant_syntax import read_tree
from waypost.code.shape.text import read_text
from waypost.code.source import COMPONENT_LANGUAGES, Parsed, SourceFile
from waypost.code.syntax.grammars import has_grammar
from waypost.code.syntax.reader import source_bytes, syntax_tree
from waypost.model.reference import LineRange
from waypost.model.shape import LIST, SECTION, FileShape, Landmark, word_code

if TYPE_CHECKING:
    from tree_sitter import Tree

_TREE = "tree-sitter"
_LARGE = 20_000  # bytes
_KEYS = {"yaml": yaml_keys, "toml": toml_keys, "ini": ini_keys}
_COMMENTS: dict[str, tuple[str, ...]] = {"yaml": ("#",), "toml": ("#",), "ini": ("#", ";")}
_DEEPEST = 1  # levels of nested keys; deeper ones belong to them
_MOST = 5_000  # keys; a file with more has only top-level landmarks


def shape_of(source: SourceFile, parsed: Parsed, *, typed: bool = False, tree: "Tree | None" = None) -> FileShape:
    """The shape of a parsed file. Type annotations are part of it only if `typed`. Never fails.

    `tree` is the syntax tree of the file, if it has one and is at hand.
    """
    data = source_bytes(source.text)
    sheet = _sheet(source, parsed, data, typed, tree)
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
        imports=_imports(parsed.language, sheet, typed),
        broken=parsed.broken,
        typed=typed,
    )


def symbol_shape(parsed: Parsed, data: bytes, tree: "Tree", place: int, *, typed: bool) -> FileShape:
    """The shape of the file with this symbol as its only landmark and, at least, all words on its lines."""
    symbol = parsed.symbols[place]
    sheet = read_tree(parsed.language, tree, data, typed, LineRange(symbol.first_line, symbol.lines.end))
    return FileShape(
        path=parsed.path,
        language=parsed.language,
        line_count=parsed.line_count,
        landmarks=tuple(_symbols(parsed, sheet, [place])),
        words=sheet.words,
        rows=sheet.rows,
        opens=sheet.opens,
        closes=sheet.closes,
        kinds=sheet.kinds,
        parents=sheet.parents,
        imports=_imports(parsed.language, sheet, typed),
        typed=typed,
    )


def has_words(language: str, tree: "Tree", data: bytes, lines: LineRange) -> bool:
    """Whether there are words on these lines: more than comments and space. Type annotations are words."""
    rows = read_tree(language, tree, data, True, lines).rows
    return bisect_left(rows, lines.start) < bisect_right(rows, lines.end)


def _text_code(line: bytes) -> int:
    text = b"".join(line.split())
    return word_code(text) if text else 0


def _sheet(source: SourceFile, parsed: Parsed, data: bytes, typed: bool, tree: "Tree | None") -> ShapeSheet:
    if parsed.parser == _TREE and parsed.language in COMPONENT_LANGUAGES:
        return _component(source, data, typed)
    # Parsing a large file without any result takes very long.
    is_hopeless = parsed.broken and not parsed.symbols and len(data) > _LARGE
    if parsed.parser != _TREE or not has_grammar(source.language) or is_hopeless:
        return read_text(source.language, data)
    return read_tree(source.language, tree or syntax_tree(source.language, data), data, typed)


def _component(source: SourceFile, data: bytes, typed: bool) -> ShapeSheet:
    """Scripts by their grammars, and the rest by words."""
    sheet, done = ShapeSheet(data), 0
    last = data.count(b"\n") + 1
    for script in scripts_of(source):
        text = source_bytes(script.text)
        first = text[: len(text) - len(text.lstrip())].count(b"\n") + 1
        end = text.rstrip().count(b"\n") + 1
        if first > done:
            sheet.append(read_text(source.language, data, (done + 1, first - 1)))
            sheet.append(read_tree(script.language, syntax_tree(script.language, text), text, typed))
            done = end
    sheet.append(read_text(source.language, data, (done + 1, last)))
    return sheet


def _symbols(parsed: Parsed, sheet: ShapeSheet, places: Sequence[int] | None = None) -> Iterator[Landmark]:
    """The landmarks of all symbols, or of those at these indices."""
    rows = sheet.rows
    wrapped = _decorated(parsed.language, sheet)
    for symbol in parsed.symbols if places is None else [parsed.symbols[place] for place in places]:
        define, end = symbol.lines.start, symbol.lines.end
        # Comments are not words: the first word belongs to a decorator or the definition.
        place = bisect_left(rows, symbol.first_line)
        start = min(define, rows[place]) if place < len(rows) else define
        above = parsed.symbols[symbol.parent].lines.start if symbol.parent is not None else 0
        for first in wrapped.get(bisect_right(rows, end), ()):
            if above < rows[first] < start:
                start = rows[first]
        first_line = min(symbol.first_line, start)
        yield Landmark(symbol.name, symbol.qualified, symbol.kind, symbol.scip, first_line, start, define, end)


def _decorated(language: str, sheet: ShapeSheet) -> dict[int, list[int]]:
    """The first words of definitions with decorators, by the index after the last word."""
    wraps = plan_for(language).wraps if has_grammar(language) else ()
    first_words: dict[int, list[int]] = {}
    if wraps:
        for mark, kind in enumerate(sheet.kinds):
            if kind in wraps:
                first_words.setdefault(sheet.closes[mark], []).append(sheet.opens[mark])
    return first_words


def _imports(language: str, sheet: ShapeSheet, typed: bool) -> tuple[tuple[int, int], ...]:
    codes = plan_for(language, typed).imports if has_grammar(language) else ()
    if not codes:
        return ()
    marks = [mark for mark, kind in enumerate(sheet.kinds) if kind & ~LIST in codes]
    return tuple((sheet.opens[mark], sheet.closes[mark]) for mark in marks)


def _sections(source: SourceFile, parsed: Parsed) -> Iterator[Landmark]:
    if source.language in _KEYS:
        yield from key_landmarks(source.language, source.text)
        return
    for section in parsed.sections:
        if section.title:
            first = section.lines.start
            yield Landmark(section.title, section.title, SECTION, "", first, first, first, section.lines.end)


def key_landmarks(language: str, text: str) -> Iterator[Landmark]:
    """Keys of a configuration file in order, each with the comment above it and all its contents."""
    lines = lines_of(text)
    keys = [key for key in _KEYS[language](lines) if key.depth <= _DEEPEST]
    if len(keys) > _MOST:
        keys = [key for key in keys if key.depth == 0]
    above: list[str] = []
    for place, (key, end) in enumerate(zip(keys, _key_ends(keys, len(lines)), strict=True)):
        del above[key.depth :]
        above.append(key.name)
        if not key.name:
            continue
        qualified = ".".join(name for name in above if name)
        before = keys[place - 1].line if place else -1
        start, last = key.line + 1, _key_end(lines, key.line, end, _COMMENTS[language])
        first = _key_start(lines, key.line, before, _COMMENTS[language]) + 1
        yield Landmark(qualified.rpartition(".")[2], qualified, SECTION, "", first, start, start, last)


def _key_ends(keys: Sequence[ConfigKey], count: int) -> list[int]:
    """The end of each key: before the next key outside it."""
    ends = [count] * len(keys)
    open_: list[int] = []
    for place, key in enumerate(keys):
        while open_ and keys[open_[-1]].depth >= key.depth:
            ends[open_.pop()] = key.line
        open_.append(place)
    return ends


def _key_end(lines: Sequence[str], line: int, end: int, comments: tuple[str, ...]) -> int:
    """Without blank lines and comments at the end: they belong to what follows."""
    while end > line + 1 and (not (text := lines[end - 1].strip()) or text.startswith(comments)):
        end -= 1
    return end


def _key_start(lines: Sequence[str], line: int, before: int, comments: tuple[str, ...]) -> int:
    while line - 1 > before and lines[line - 1].strip().startswith(comments):
        line -= 1
    return line
