"""Read, mask and parse one file within a time limit."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from waypost.code.files.decoding import decode
from waypost.code.files.languages import language_of_path
from waypost.code.files.reading import FileText, Unread, read_source
from waypost.code.parse import parse, parse_outline
from waypost.code.shape.build import has_words, shape_of, symbol_shape
from waypost.code.source import Parsed, SourceFile, Symbol
from waypost.code.syntax.reader import source_bytes
from waypost.model.reference import LineRange
from waypost.model.shape import FileShape
from waypost.system.time_limit import OutOfTime, time_limit
from waypost.text.secrets.masking import mask

if TYPE_CHECKING:
    from tree_sitter import Tree

PATIENCE = 20.0  # seconds for one file: no real code takes longer
KILLED = "the parser crashed on it, or did not come to an end"


@dataclass(frozen=True)
class ParsedFile:
    """A file after reading, masking and parsing."""

    read: FileText
    source: SourceFile
    parsed: Parsed
    masked: int  # secrets that were masked
    tree: "Tree | None" = None  # of an outline, if the file has a grammar

    @cached_property
    def lines(self) -> list[str]:
        """The lines, with secrets masked."""
        lines = self.source.text.split("\n")
        return lines[:-1] if lines[-1] == "" else lines

    @cached_property
    def _bytes(self) -> bytes:
        return source_bytes(self.source.text)

    @cached_property
    def _places(self) -> Mapping[str, list[int]]:
        """The indices of symbols by qualified name. None in a file with errors: what is there may be another symbol."""
        places: dict[str, list[int]] = {}
        is_whole = self.tree is not None and not (self.parsed.broken or self.tree.root_node.has_error)
        for place, symbol in enumerate(self.parsed.symbols if is_whole else ()):
            places.setdefault(symbol.qualified, []).append(place)
        return places

    def only_symbol(self, name: str) -> Symbol | None:
        """The symbol of this name, if there is one alone and the file has no errors."""
        places = self._places.get(name, ())
        return self.parsed.symbols[places[0]] if len(places) == 1 else None

    def symbol_shape(self, name: str, *, typed: bool) -> FileShape:
        """What the shape says about the `only_symbol` of this name, without reading the rest of the file."""
        assert self.tree is not None
        return symbol_shape(self.parsed, self._bytes, self.tree, self._places[name][0], typed=typed)

    def has_code(self, lines: LineRange) -> bool:
        """Whether there is more than comments and space on these lines, or their syntax is not known."""
        return self.tree is None or has_words(self.parsed.language, self.tree, self._bytes, lines)


def open_source(root: Path, path: str, *, named: bool = False, outline: bool = False) -> ParsedFile | Unread:
    """Read, mask and parse a file, within the time limit. An `outline` has only names, kinds and lines of symbols."""
    try:
        with time_limit(PATIENCE):
            return _read_and_parse(root, path, named, outline)
    except OutOfTime:
        return Unread(KILLED)


def _read_and_parse(root: Path, path: str, named: bool, outline: bool) -> ParsedFile | Unread:
    read = read_source(root, path, named=named)
    if isinstance(read, Unread):
        return read
    hidden = mask(read.text)
    source = SourceFile(path, language_of_path(path, hidden.text), hidden.text)
    parsed, tree = parse_outline(source) if outline else (parse(source), None)
    return ParsedFile(read, source, parsed, len(hidden.findings), tree)


def past_shape(path: str, raw: bytes, *, typed: bool) -> FileShape | None:
    """The shape of a file as it was, masked as current files are. None if it is not text or takes too long to parse."""
    read = decode(raw)
    if read is None:
        return None
    try:
        with time_limit(PATIENCE):
            text = mask(read.text).text
            source = SourceFile(path, language_of_path(path, text), text)
            parsed, tree = parse_outline(source)
            return shape_of(source, parsed, typed=typed, tree=tree)
    except OutOfTime:
        return None
