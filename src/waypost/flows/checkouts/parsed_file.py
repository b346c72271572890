"""Read, mask and parse one file within a time limit."""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from waypost.code.files.decoding import decode
from waypost.code.files.languages import language_of_path
from waypost.code.files.reading import FileText, Unread, read_source
from waypost.code.parse import parse, parse_outline
from waypost.code.shape.build import shape_of
from waypost.code.source import Parsed, SourceFile
from waypost.model.shape import FileShape
from waypost.system.time_limit import OutOfTime, time_limit
from waypost.text.secrets.masking import mask

if TYPE_CHECKING:
    from tree_sitter import Tree

PATIENCE = 20.0  # seconds for one file: no real code takes longer
KILLED = "the parser crashed on it, or did not come to an end"


class ParsedFile(NamedTuple):
    """A file after reading, masking and parsing."""

    read: FileText
    source: SourceFile
    parsed: Parsed
    masked: int  # secrets that were masked
    tree: "Tree | None" = None  # of an outline, if the file has a grammar


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
