"""Read, mask and parse one file within a time limit."""

from pathlib import Path
from typing import NamedTuple

from waypost.code.files.decoding import decode
from waypost.code.files.languages import language_of_path
from waypost.code.files.reading import FileText, Unread, read_source
from waypost.code.parse import parse
from waypost.code.shape.build import shape_of
from waypost.code.source import Parsed, SourceFile
from waypost.model.shape import FileShape
from waypost.system.time_limit import OutOfTime, time_limit
from waypost.text.secrets.masking import mask

PATIENCE = 20.0  # seconds for one file: no real code takes longer
KILLED = "the parser crashed on it, or did not come to an end"


class ParsedFile(NamedTuple):
    """A file after reading, masking and parsing."""

    read: FileText
    source: SourceFile
    parsed: Parsed
    masked: int  # secrets that were masked


def open_source(root: Path, path: str, *, named: bool = False) -> ParsedFile | Unread:
    """Read, mask and parse a file, within the time limit. No other code parses files."""
    try:
        with time_limit(PATIENCE):
            return _read_and_parse(root, path, named)
    except OutOfTime:
        return Unread(KILLED)


def _read_and_parse(root: Path, path: str, named: bool) -> ParsedFile | Unread:
    read = read_source(root, path, named=named)
    if isinstance(read, Unread):
        return read
    hidden = mask(read.text)
    source = SourceFile(path, language_of_path(path, hidden.text), hidden.text)
    return ParsedFile(read, source, parse(source), len(hidden.findings))


def past_shape(path: str, raw: bytes, *, typed: bool) -> FileShape | None:
    """The shape of a file as it was, masked as current files are. None if it is not text or takes too long to parse."""
    read = decode(raw)
    if read is None:
        return None
    try:
        with time_limit(PATIENCE):
            text = mask(read.text).text
            source = SourceFile(path, language_of_path(path, text), text)
            return shape_of(source, parse(source), typed=typed)
    except OutOfTime:
        return None
