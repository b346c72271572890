"""Comments: which of them belong to a definition, and what they say without their marks."""

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import cache
from inspect import cleandoc
from pathlib import Path

from waypost.code.syntax.captures import SyntaxCaptures
from waypost.code.syntax.text import Text

MAX_LEADING = 500  # comments and attributes in a row that are looked at above one definition
MAX_GAP = 1000  # bytes of white space between them
MAX_DOC = 20_000  # characters of a comment; what is longer is no documentation
_DATA = Path(__file__).with_name("not_docs.txt")
_LINE_MARK = re.compile(r"^[ \t]*(?://[/!]?|#+!?|--+|;+|%+|'{3})[ \t]?")
_STAR = re.compile(r"^[ \t]*\*+(?!\*?/)[ \t]?")
_SEPARATOR = re.compile(r"[\s\W_]*")
_XML_TAG = re.compile(r"</?[a-zA-Z][^<>\n]{0,300}?/?>")
_XML_NAME = re.compile(
    r"<(?:see|paramref|typeparamref|seealso)\s+(?:cref|name|langword|href)=\"(?:[A-Z]:)?([^\"\n]{1,200})\"\s*/>"
)
_JAVADOC_CODE = re.compile(r"\{@(?:code|link|linkplain|literal|value|inheritDoc)\b\s*([^{}\n]{0,300})\}")
_LICENCE = re.compile(
    r"copyright\b|\(c\)\s+(?:19|20)\d\d|licen[sc]ed?\b|SPDX-|all rights reserved|permission is hereby granted"
    r"|redistribution and use",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Leading:
    """A comment or attribute that stands before something."""

    start: int
    end: int
    text: str
    is_comment: bool
    alone: bool  # nothing but white space before it in its line


class Margins:
    """The comments and attributes of a file, to be asked for what stands above a definition."""

    def __init__(self, found: SyntaxCaptures) -> None:
        self._text = found.text
        self.items: list[Leading] = []
        for node in found.leading:
            start, end = node.start_byte, node.end_byte
            attribute = found.attributes.get(start)
            # The comments of some grammars contain their line end.
            raw = found.text.between(start, end).rstrip() if attribute is None else found.text.of(attribute)
            end = start + len(raw.encode()) if attribute is None else end
            row_start = found.text.row_start(found.text.row(start))
            alone = not found.text.data[row_start:start].strip()
            item = Leading(start, end, raw, attribute is None, alone)
            self.items.append(item)
        self.items.sort(key=lambda item: item.start)
        self._starts = [item.start for item in self.items]

    def above(self, position: int) -> list[Leading]:
        """What belongs to the definition that begins at a position: directly above it, or before it in its line."""
        taken: list[Leading] = []
        while len(taken) < MAX_LEADING:
            item = self._before(position)
            if item is None:
                break
            taken.append(item)
            position = item.start
            if item.is_comment and item.text.startswith(("/*", "=begin", "(*")):
                break
        return taken[::-1]

    def within(self, start: int, end: int) -> list[Leading]:
        """Those in a range of bytes, in order."""
        return self.items[bisect_left(self._starts, start) : bisect_left(self._starts, end)]

    def _before(self, position: int) -> Leading | None:
        """The comment or attribute that nothing but white space parts from a position. An empty line parts a comment,
        but not one that is marked as documentation, unless it opens the file."""
        number = bisect_left(self._starts, position) - 1
        if number < 0:
            return None
        item = self.items[number]
        text = self._text
        if item.end > position or text.data[item.end : min(position, item.end + MAX_GAP)].strip():
            return None
        rows = text.row(position) - text.row(max(item.start, item.end - 1))
        marked = rows == 2 and number > 0 and item.text.startswith("/**")
        return item if rows == 0 or (item.alone and (rows == 1 or not item.is_comment or marked)) else None


def comment_text(comments: list[str]) -> str:
    """What comments say: marks, frames, pragmas and licences removed; empty when nothing is left."""
    lines: list[str] = []
    for comment in comments:
        if not comment.startswith("#!/"):
            lines += _lines(comment[:MAX_DOC])
    kept = [line for line in lines if not _is_noise(line)]
    text = _plain("\n".join(kept)).strip("\n ")
    return "" if not text or _SEPARATOR.fullmatch(text) else text


def is_licence(text: str) -> bool:
    return _LICENCE.search(text[:2000]) is not None


def docstring_text(literal: str) -> str:
    """The text of a Python docstring as written, without prefix, quotes and indentation."""
    body = literal.lstrip("rRuUbBfF")[: MAX_DOC * 2]
    for quotes in ('"""', "'''", '"', "'"):
        if body.startswith(quotes):
            body = body.removeprefix(quotes).removesuffix(quotes)
            break
    return cleandoc(body.replace("\\\n", "")).strip()


def _lines(comment: str) -> list[str]:
    comment = comment.strip()
    if comment.startswith(("/*", "(*")):
        inner = comment[2:].removesuffix("*/").removesuffix("*)").lstrip("*!")
        lines = inner.split("\n")
        starred = [_STAR.sub("", line.rstrip()) for line in lines]
        # Without stars the text has an indentation of its own.
        return starred if any(line.lstrip().startswith("*") for line in lines) else cleandoc(inner).split("\n")
    if comment.startswith("=begin"):
        return comment.split("\n")[1:-1]
    return [_LINE_MARK.sub("", line.rstrip()) for line in comment.split("\n")]


def _plain(text: str) -> str:
    if "{@" in text:
        text = _JAVADOC_CODE.sub(r"\1", text)
    if "<" in text and ">" in text:
        text = _XML_TAG.sub("", _XML_NAME.sub(r"\1", text))
    return "\n".join(line.rstrip() for line in text.split("\n"))


def _is_noise(line: str) -> bool:
    stripped = line.strip()
    if not stripped:
        return False
    if len(stripped) >= 3 and _SEPARATOR.fullmatch(stripped):
        return True
    return stripped.lower().startswith(_pragmas())


@cache
def _pragmas() -> tuple[str, ...]:
    lines = _DATA.read_text("utf-8").splitlines()
    return tuple(line.lower() for line in lines if line and not line.startswith("# "))


def file_doc(found: SyntaxCaptures, margins: Margins, first_code: int) -> str:
    """The first comment of a file that stands by itself and says something about it, before its first definition."""
    groups = _groups(found.text, [item for item in margins.items if item.end <= first_code and item.is_comment])
    for group in groups[:10]:
        text = comment_text([item.text for item in group])
        if text and not is_licence(text) and group[0].alone:
            return text
    return ""


def _groups(text: Text, items: list[Leading]) -> list[list[Leading]]:
    groups: list[list[Leading]] = []
    for item in items:
        if groups and text.row(item.start) == text.row(max(0, groups[-1][-1].end - 1)) + 1:
            groups[-1].append(item)
        else:
            groups.append([item])
    return groups
