"""Comments: which definition they belong to, and their text without markers."""

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import cache
from inspect import cleandoc
from pathlib import Path

from waypost.code.syntax.captures import SyntaxCaptures
from waypost.code.syntax.text import Text

MAX_LEADING = 500  # comments and attributes in a row above one definition
MAX_GAP = 1000  # bytes of white space between them
MAX_DOC = 20_000  # characters of a comment; longer ones are not documentation
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
class LeadingItem:
    """A comment or attribute before something."""

    start: int
    end: int
    text: str
    is_comment: bool
    alone: bool  # only white space before it on its line


class LeadingItems:
    """The comments and attributes of a file, by position."""

    def __init__(self, syntax: SyntaxCaptures) -> None:
        self._text = syntax.text
        self.items: list[LeadingItem] = []
        for node in syntax.leading:
            start, end = node.start_byte, node.end_byte
            attribute = syntax.attributes.get(start)
            # In some grammars comments include their line end.
            raw = syntax.text.between(start, end).rstrip() if attribute is None else syntax.text.of(attribute)
            end = start + len(raw.encode()) if attribute is None else end
            row_start = syntax.text.row_start(syntax.text.row(start))
            alone = not syntax.text.data[row_start:start].strip()
            item = LeadingItem(start, end, raw, attribute is None, alone)
            self.items.append(item)
        self.items.sort(key=lambda item: item.start)
        self._starts = [item.start for item in self.items]

    def above(self, position: int) -> list[LeadingItem]:
        """What belongs to the definition at a position: directly above it, or before it on its line."""
        taken: list[LeadingItem] = []
        while len(taken) < MAX_LEADING:
            item = self._before(position)
            if item is None:
                break
            taken.append(item)
            position = item.start
            if item.is_comment and item.text.startswith(("/*", "=begin", "(*")):
                break
        return taken[::-1]

    def within(self, start: int, end: int) -> list[LeadingItem]:
        """Items in a range of bytes, in order."""
        return self.items[bisect_left(self._starts, start) : bisect_left(self._starts, end)]

    def _before(self, position: int) -> LeadingItem | None:
        """The comment or attribute separated from a position only by white space.

        An empty line separates a comment, except a documentation comment that is not first in the file. Attributes always
        belong to what follows, also with a comment at the end of their line.
        """
        number = bisect_left(self._starts, position) - 1
        if number < 0:
            return None
        item = self.items[number]
        text = self._text
        if item.end > position or text.data[item.end : min(position, item.end + MAX_GAP)].strip():
            return None
        earlier = self.items[number - 1] if number and item.is_comment and not item.alone else None
        if earlier is not None and not earlier.is_comment and not text.data[earlier.end : item.start].strip(b" \t"):
            return earlier
        rows = text.row(position) - text.row(max(item.start, item.end - 1))
        marked = rows == 2 and number > 0 and item.text.startswith("/**")
        return item if rows == 0 or not item.is_comment or (item.alone and (rows == 1 or marked)) else None


def comment_text(comments: list[str]) -> str:
    """The text of comments without markers, frames, pragmas and licences."""
    lines: list[str] = []
    for comment in comments:
        if not comment.startswith("#!/"):
            lines += _lines(comment[:MAX_DOC])
    kept = [line for line in lines if not _is_noise(line)]
    text = _without_markup("\n".join(kept)).strip("\n ")
    return "" if not text or _SEPARATOR.fullmatch(text) else text


def is_licence(text: str) -> bool:
    return _LICENCE.search(text[:2000]) is not None


def docstring_text(literal: str) -> str:
    """The text of a Python docstring without prefix, quotes and indentation."""
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
        # Without stars the text has its own indentation.
        return starred if any(line.lstrip().startswith("*") for line in lines) else cleandoc(inner).split("\n")
    if comment.startswith("=begin"):
        return comment.split("\n")[1:-1]
    return [_LINE_MARK.sub("", line.rstrip()) for line in comment.split("\n")]


def _without_markup(text: str) -> str:
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


def file_doc(syntax: SyntaxCaptures, leading: LeadingItems, first_code: int) -> str:
    """The first standalone, informative comment before the first definition."""
    groups = _groups(syntax.text, [item for item in leading.items if item.end <= first_code and item.is_comment])
    for group in groups[:10]:
        text = comment_text([item.text for item in group])
        if text and not is_licence(text) and group[0].alone:
            return text
    return ""


def _groups(text: Text, items: list[LeadingItem]) -> list[list[LeadingItem]]:
    groups: list[list[LeadingItem]] = []
    for item in items:
        if groups and text.row(item.start) == text.row(max(0, groups[-1][-1].end - 1)) + 1:
            groups[-1].append(item)
        else:
            groups.append([item])
    return groups
