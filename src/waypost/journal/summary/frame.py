"""A file of which a part is ours: what people write around it stays as it is, to the byte.

Our part stands between two lines, the first with a mark of its words. When the words no longer fit the mark, somebody
has changed them by hand: they are then theirs, and stay. The mark does not see how lines end, nor spaces at their ends,
for editors and version control change these without being asked.
"""

import re
from typing import NamedTuple

from waypost.model.journal import mark_of

_BEGIN = re.compile(r"^<!-- waypost:begin ([0-9a-f]{1,64}) -->[ \t]*\r?$", re.MULTILINE)
_END = re.compile(r"^<!-- waypost:end -->(?=[ \t]*\r?$)", re.MULTILINE)
_MARKER_LIKE = re.compile(r"<!(?=--[ \t]{0,99}waypost:(?:begin|end)\b)", re.IGNORECASE)
_HARMLESS = "&lt;!"


class Frame(NamedTuple):
    """`before + (the part with its two marking lines) + after` is the file. The part has no line end around it."""

    before: str
    part: str | None
    after: str
    is_edited: bool  # the part is no longer what was written


def split_frame(text: str) -> Frame:
    """The file taken apart. Of several parts it is the last one that nobody has edited, else the last one."""
    found = _pairs(text)
    if not found:
        return Frame(text, None, "", is_edited=False)
    whole = [pair for pair in found if pair[0][1] == _mark(_between(text, *pair))]
    begin, end = (whole or found)[-1]
    return Frame(text[: begin.start()], _between(text, begin, end), text[end.end() :], is_edited=not whole)


def with_part(text: str, part: str) -> str:
    """The file with another part in the place of ours; at its end where it had none.

    A part that was edited by hand is kept in its place without its marking lines, and the new one follows it.
    """
    frame = split_frame(text)
    theirs = frame.before + (frame.part or "" if frame.is_edited else "")
    newline = "\r\n" if "\r\n" in f"{theirs}\n{frame.after}" else "\n"
    ours = _framed(part, newline)
    if frame.part is None:
        return theirs + _gap(theirs, newline) + ours + newline
    return theirs + (_gap(theirs, newline) if frame.is_edited else "") + ours + frame.after


def without_merged_part(text: str) -> str:
    """The file without a part that git has put together from two of ours, line by line: such a part has several
    beginnings and one end. It is made anew; what stands around it stays."""
    begins: list[re.Match[str]] = []
    for line in sorted([*_BEGIN.finditer(text), *_END.finditer(text)], key=lambda found: found.start()):
        if line.re is _BEGIN:
            begins.append(line)
            continue
        if len(begins) > 1:
            return text[: begins[0].start()] + text[line.end() :].lstrip("\r\n")
        begins = []
    return text


def framed(existing: str | None, title: str, made: str) -> str:
    """A summary's file: its title, what people wrote, our part. What exists keeps everything outside our part."""
    return with_part(existing or f"# {title}\n", made)


def defuse_markers(text: str) -> str:
    """The text with what looks like one of our two marking lines made harmless; it reads the same when rendered."""
    return _MARKER_LIKE.sub(_HARMLESS, text)


def _pairs(text: str) -> "list[tuple[re.Match[str], re.Match[str]]]":
    """Each end with the beginning next before it; a line without its other half is somebody's text."""
    pairs: list[tuple[re.Match[str], re.Match[str]]] = []
    begin: re.Match[str] | None = None
    for line in sorted([*_BEGIN.finditer(text), *_END.finditer(text)], key=lambda found: found.start()):
        if line.re is _BEGIN:
            begin = line
        elif begin is not None:
            pairs.append((begin, line))
            begin = None
    return pairs


def _between(text: str, begin: "re.Match[str]", end: "re.Match[str]") -> str:
    inside = text[begin.end() + 1 : end.start()]
    return inside.removesuffix("\n").removesuffix("\r")


def _framed(part: str, newline: str) -> str:
    inside = defuse_markers(_plain_lines(part)).strip("\n")
    lines = [f"<!-- waypost:begin {_mark(inside)} -->", *inside.split("\n"), "<!-- waypost:end -->"]
    return newline.join(lines)


def _mark(part: str) -> str:
    return mark_of("\n".join(line.rstrip(" \t") for line in _plain_lines(part).split("\n")))


def _plain_lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _gap(text: str, newline: str) -> str:
    """What makes one empty line after the text."""
    if not text:
        return ""
    lines = text.replace("\r\n", "\n")
    return newline * (2 - min(2, len(lines) - len(lines.rstrip("\n"))))
