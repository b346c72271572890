"""Lists that people and agents maintain: preferences, and the upper part of the index page.

A bullet is a list item with everything indented below it, or a paragraph. Headings, rules and comments are not bullets.
Adding or removing a bullet leaves every other byte unchanged.
"""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from waypost.errors import InvalidInput
from waypost.journal.markdown import MARKER, newline_of
from waypost.journal.markdown_values import read_id

_ITEM = re.compile(r"([ \t]*)([-*+]|[0-9]{1,9}[.)])([ \t]++|$)")
_HEADING = re.compile(r"#{1,6}(?:[ \t]|$)")
_RULE = re.compile(r"\s*([-*_])\1{2,}\s*")
_FENCE = re.compile(r"`{3,}|~{3,}")
_ID = re.compile(r"<!--\s*id=(\S*)(?:\s[^<>]*)?-->\s*")
_MARKER = re.compile(r"<!-- (?=\\*waypost:)")
_SHIELDED_MARKER = re.compile(r"<!-- \\(?=\\*waypost:)")
_ARROW = re.compile(r"--(?=\\*>)")
_SHIELDED_ARROW = re.compile(r"--\\(?=\\*>)")


@dataclass(frozen=True, slots=True)
class Bullet:
    start: int  # of its first line in the parsed text
    end: int  # after its last line
    text: str
    id: str | None = None
    heading: str | None = None  # the heading above it
    mark: str = ""  # the list sign; empty for a paragraph


@dataclass(frozen=True, slots=True)
class _Other:
    """A heading, comment, rule or empty item."""

    start: int
    end: int
    title: str | None = None
    is_ours: bool = False


class _Line(NamedTuple):
    start: int
    end: int
    text: str  # without its line end

    @property
    def is_blank(self) -> bool:
        return not self.text.strip()

    @property
    def indent(self) -> int:
        return len(self.text[: len(self.text) - len(self.text.lstrip(" \t"))].expandtabs(4))


def parse_bullets(text: str) -> tuple[Bullet, ...]:
    """All bullets, in order."""
    return tuple(piece for piece in _parse(text) if isinstance(piece, Bullet))


def render_bullet(text: str, id: str | None = None, mark: str = "-", newline: str = "\n") -> str:
    """The bullet as a list item, with its last line end. Parsing returns the same text if that is stripped."""
    return _render(text, id, mark, newline, _SHIELDED_ARROW)


def _render(text: str, id: str | None, mark: str, newline: str, arrow_pattern: re.Pattern[str]) -> str:
    """`arrow_pattern` matches the arrows to escape: all of them if they could close a comment above."""
    escaped = arrow_pattern.sub(lambda arrow: f"--\\{arrow[0][2:]}", _MARKER.sub(r"<!-- \\", text))
    first, *others = escaped.split("\n")
    lines = [f"{mark} {first}", *(f"{' ' * (len(mark) + 1)}{line}" if line else "" for line in others)]
    if id is not None or _split_id(text)[1] is not None:
        comment = f"<!-- id={id or ''} -->"
        # After the last of several lines, a comment could keep a code fence from closing.
        lines = [*lines, f"{' ' * (len(mark) + 1)}{comment}"] if others else [f"{lines[0]} {comment}"]
    return newline.join(lines) + newline


def without_bullets(text: str, indices: Collection[int]) -> str:
    """The text without the bullets at those indices of `parse_bullets(text)`."""
    bullets = parse_bullets(text)
    if invalid := [index for index in indices if not 0 <= index < len(bullets)]:
        raise InvalidInput(f"The page has no bullet {invalid[0]}.", f"It has {len(bullets)}.")
    parts, done = [], 0
    for index in sorted(set(indices)):
        parts.append(text[done : bullets[index].start])
        done = bullets[index].end
    return "".join(parts) + text[done:]


def with_bullet(text: str, bullet_text: str, id: str | None, heading: str | None) -> str:
    """The text with one more bullet, at the end of the list under that heading. Without a heading, at its end.

    A missing heading is added.
    """
    newline = newline_of(text)
    pieces = _parse(text)
    if heading is not None:
        section = _section(pieces, heading)
        if not section:
            above = text + newline * (0 if not text else 1 if text.endswith("\n") else 2)
            text = f"{above}## {' '.join(heading.split())}{newline}"
            section = [_parse(text)[-1]]
        pieces = section
    items = [piece for piece in pieces if isinstance(piece, Bullet) and piece.mark]
    last = items[-1] if items and (heading is not None or items[-1] is pieces[-1]) else pieces[-1] if pieces else None
    position = last.end if last else len(text)
    above = text[:position] if not position or text[:position].endswith("\n") else text[:position] + newline
    is_list = isinstance(last, Bullet) and bool(last.mark)
    mark = last.mark if isinstance(last, Bullet) and last.mark in ("-", "*", "+") else "-"
    above += newline if last and not is_list else ""
    extended = above + _render(bullet_text, id, mark, newline, _SHIELDED_ARROW) + text[position:]
    if any(bullet.start == len(above) for bullet in parse_bullets(extended)):
        return extended
    return above + _render(bullet_text, id, mark, newline, _ARROW) + text[position:]


def last_heading(text: str) -> tuple[int, str] | None:
    """Position and title of the last heading."""
    titles = [(piece.start, piece.title) for piece in _parse(text) if isinstance(piece, _Other) and piece.title]
    return titles[-1] if titles else None


def _section(pieces: Sequence[Bullet | _Other], heading: str) -> list[Bullet | _Other]:
    """The heading and the pieces under it, up to the next heading or the generated part."""
    title_key = " ".join(heading.split()).casefold()
    section: list[Bullet | _Other] = []
    for piece in pieces:
        title = piece.title if isinstance(piece, _Other) else None
        if section and isinstance(piece, _Other) and (title is not None or piece.is_ours):
            break
        if section or (title is not None and title.casefold() == title_key):
            section.append(piece)
    return section


def _parse(text: str) -> list[Bullet | _Other]:
    return list(_Reader(text).pieces())


class _Reader:
    """Reads the lines of one text in one pass."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = _lines(text)
        self._place = 0
        self._heading: str | None = None
        self._closed = -1  # end of the last examined comment
        self._unclosed: dict[str, int] = {}  # by sign, length of the shortest fence that is not closed below

    def pieces(self) -> Iterator[Bullet | _Other]:
        while self._place < len(self._lines):
            line = self._lines[self._place]
            if line.is_blank:
                self._place += 1
            elif other := self._other(line):
                yield other
            elif item := _ITEM.match(line.text):
                yield self._item(line, item)
            else:
                yield self._paragraph()

    def _other(self, line: _Line) -> _Other | None:
        if _HEADING.match(line.text):
            self._heading = _title(line.text)
            return self._make_other(line, self._place + 1, title=self._heading)
        if _RULE.fullmatch(line.text):
            return self._make_other(line, self._place + 1)
        if line.text.lstrip(" \t").startswith("<!--") and (end := self._comment_end(line)):
            return self._make_other(line, end)
        return None

    def _make_other(self, line: _Line, end: int, title: str | None = None) -> _Other:
        self._place = end
        return _Other(line.start, self._lines[end - 1].end, title, line.text.startswith(MARKER))

    def _comment_end(self, line: _Line) -> int:
        """Index of the line after the comment, or 0 if this is not a comment.

        It is not one if text follows it on its last line, or if another comment opens inside it.
        """
        if self._closed < line.start:
            self._closed = self._text.find("-->", line.start) % (len(self._text) + 1)  # the text's end without a match
        start, end = line.text.index("<!--") + line.start, self._closed
        if end == len(self._text) or self._text.find("<!--", start + 4, end) >= 0:
            return 0
        number = bisect_right(self._lines, end, lo=self._place, key=lambda other: other.start)
        last = self._lines[number - 1]
        return number if not last.text[end + 3 - last.start :].strip() else 0

    def _item(self, line: _Line, item: re.Match[str]) -> Bullet | _Other:
        first = self._place
        base, width = line.indent, len(item[0]) if len(item[3]) <= 4 else len(item[1]) + len(item[2]) + 1
        self._place += 1
        while self._place < len(self._lines):
            ahead = self._place
            while ahead < len(self._lines) and self._lines[ahead].is_blank:
                ahead += 1
            if ahead == len(self._lines) or not self._continues(self._lines[ahead], base, ahead > self._place):
                break
            self._place = ahead + 1
        lines = self._lines[first : self._place]
        texts = [line.text[item.end() :], *(_dedent(other.text, width) for other in lines[1:])]
        return self._bullet(lines, texts, item[2])

    def _continues(self, line: _Line, base: int, is_after_blank: bool) -> bool:
        if line.indent >= base + 2:
            return True
        if is_after_blank:
            return False
        return _ID.fullmatch(line.text) is not None or not self._begins(line)

    def _begins(self, line: _Line) -> bool:
        """Whether a line cannot belong to the text above it."""
        return (
            _ITEM.match(line.text) is not None
            or _HEADING.match(line.text) is not None
            or _RULE.fullmatch(line.text) is not None
            or _FENCE.match(line.text) is not None
            or line.text.lstrip(" \t").startswith("<!--")
        )

    def _paragraph(self) -> Bullet | _Other:
        first = self._place
        self._place = self._fence_end() or self._place + 1
        while self._place < len(self._lines):
            line = self._lines[self._place]
            if line.is_blank or (self._begins(line) and not _ID.fullmatch(line.text)):
                break
            self._place += 1
        lines = self._lines[first : self._place]
        return self._bullet(lines, [line.text for line in lines], "")

    def _fence_end(self) -> int:
        """Index of the line after the code fence that begins here, or 0 without a closed fence."""
        fence = _FENCE.match(self._lines[self._place].text)
        if fence is None or len(fence[0]) >= self._unclosed.get(fence[0][0], len(fence[0]) + 1):
            return 0
        for number in range(self._place + 1, len(self._lines)):
            inside = self._lines[number].text.rstrip()
            if inside.startswith(fence[0]) and not inside.strip(fence[0][0]):
                return number + 1
        self._unclosed[fence[0][0]] = len(fence[0])
        return 0

    def _bullet(self, lines: Sequence[_Line], texts: Sequence[str], mark: str) -> Bullet | _Other:
        text, id = _split_id("\n".join(texts).strip())
        if not text:
            return _Other(lines[0].start, lines[-1].end)
        text = _SHIELDED_MARKER.sub("<!-- ", _SHIELDED_ARROW.sub("--", text))
        return Bullet(lines[0].start, lines[-1].end, text, read_id(id), self._heading, mark)


def _lines(text: str) -> list[_Line]:
    lines, start = [], 0
    for line in text.split("\n"):
        end = min(start + len(line) + 1, len(text))
        lines.append(_Line(start, end, line.removesuffix("\r")))
        start = end
    return lines if text and not text.endswith("\n") else lines[:-1]


def _dedent(line: str, width: int) -> str:
    spaces = len(line) - len(line.lstrip(" "))
    return line[1:] if not spaces and line.startswith("\t") else line[min(spaces, width) :]


def _title(line: str) -> str:
    title = line.lstrip("#").strip()
    bare = title.rstrip("#")  # a Markdown heading may end with the signs it begins with
    return " ".join((title if bare[-1:].strip() else bare).split())


def _split_id(text: str) -> tuple[str, str | None]:
    start = text.rfind("<!--")
    comment = _ID.fullmatch(text, start) if start >= 0 else None
    return (text[:start].rstrip(), comment[1]) if comment else (text, None)
