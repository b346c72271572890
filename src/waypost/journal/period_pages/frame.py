"""A file with a generated part. The text that people write around it stays unchanged, byte for byte.

The part stands between two lines; the first has a mark of its text. If the text no longer fits the mark, somebody
edited it by hand: it then belongs to them and stays. The mark ignores line ends and trailing spaces, which editors and
version control change by themselves.
"""

import re
from typing import NamedTuple

from waypost.model.journal import mark_of

_BEGIN = re.compile(r"^<!-- waypost:begin ([0-9a-f]{1,64}) -->[ \t]*\r?$", re.MULTILINE)
_END = re.compile(r"^<!-- waypost:end -->(?=[ \t]*\r?$)", re.MULTILINE)
_MARKER_LIKE = re.compile(r"<!(?=--[ \t]{0,99}waypost:(?:begin|end)\b)", re.I)
_HARMLESS = "&lt;!"


class Frame(NamedTuple):
    """`before + (the part with its two marking lines) + after` is the file. `part` has no line end around it."""

    before: str
    part: str | None
    after: str
    is_edited: bool  # the part differs from what was written


def split_frame(text: str) -> Frame:
    """Split a file. Of several parts, the last unedited one counts, else the last one."""
    pairs = _pairs(text)
    if not pairs:
        return Frame(text, None, "", is_edited=False)
    unedited = [pair for pair in pairs if pair[0][1] == _mark(_between(text, *pair))]
    begin, end = (unedited or pairs)[-1]
    return Frame(text[: begin.start()], _between(text, begin, end), text[end.end() :], is_edited=not unedited)


def with_part(text: str, part: str) -> str:
    """The file with its part replaced, or with the part added at the end.

    A part edited by hand stays in place without its marking lines, and the new one follows it.
    """
    frame = split_frame(text)
    theirs = frame.before + (frame.part or "" if frame.is_edited else "")
    newline = "\r\n" if "\r\n" in f"{theirs}\n{frame.after}" else "\n"
    ours = _with_marks(part, newline)
    if frame.part is None:
        return theirs + _gap(theirs, newline) + ours + newline
    return theirs + (_gap(theirs, newline) if frame.is_edited else "") + ours + frame.after


def without_merged_part(text: str) -> str:
    """The file without a part that git merged from two generated ones: it has several beginnings and one end.

    The part will be generated again. The text around it stays.
    """
    begins: list[re.Match[str]] = []
    for line in sorted([*_BEGIN.finditer(text), *_END.finditer(text)], key=lambda line: line.start()):
        if line.re is _BEGIN:
            begins.append(line)
            continue
        if len(begins) > 1:
            return text[: begins[0].start()] + text[line.end() :].lstrip("\r\n")
        begins = []
    return text


def summary_file(existing: str | None, title: str, part: str) -> str:
    """A summary's file: its title, what people wrote, and the generated part."""
    return with_part(existing or f"# {title}\n", part)


def defuse_markers(text: str) -> str:
    """The text with anything like a marking line made harmless. It looks the same when rendered."""
    return _MARKER_LIKE.sub(_HARMLESS, text)


def _pairs(text: str) -> "list[tuple[re.Match[str], re.Match[str]]]":
    """Each end with the nearest beginning before it. A line without its other half is somebody's text."""
    pairs: list[tuple[re.Match[str], re.Match[str]]] = []
    begin: re.Match[str] | None = None
    for line in sorted([*_BEGIN.finditer(text), *_END.finditer(text)], key=lambda line: line.start()):
        if line.re is _BEGIN:
            begin = line
        elif begin is not None:
            pairs.append((begin, line))
            begin = None
    return pairs


def _between(text: str, begin: "re.Match[str]", end: "re.Match[str]") -> str:
    content = text[begin.end() + 1 : end.start()]
    return content.removesuffix("\n").removesuffix("\r")


def _with_marks(part: str, newline: str) -> str:
    content = defuse_markers(_unix_lines(part)).strip("\n")
    lines = [f"<!-- waypost:begin {_mark(content)} -->", *content.split("\n"), "<!-- waypost:end -->"]
    return newline.join(lines)


def _mark(part: str) -> str:
    return mark_of("\n".join(line.rstrip(" \t") for line in _unix_lines(part).split("\n")))


def _unix_lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _gap(text: str, newline: str) -> str:
    if not text:
        return ""
    lines = text.replace("\r\n", "\n")
    return newline * (2 - min(2, len(lines) - len(lines.rstrip("\n"))))
