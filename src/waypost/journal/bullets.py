"""Lists that people and agents keep: preferences, and the upper part of the index page.

A bullet is an item of a list with all that is indented below it, or a paragraph. Headings, rules and comments are
none. Adding or removing one leaves every other byte as it was.
"""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from waypost.errors import InvalidInput
from waypost.journal.markdown import MARKER, newline_of
from waypost.model.ids import check_id

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
    start: int  # of its first line, in the text it was found in
    end: int  # behind its last line
    text: str
    id: str | None = None
    heading: str | None = None  # the one it stands under
    mark: str = ""  # the sign before it; empty for a paragraph


@dataclass(frozen=True, slots=True)
class _Other:
    """A heading, or what is no bullet: a comment, a rule, an item without words."""

    start: int
    end: int
    title: str | None = None
    is_ours: bool = False


class _Line(NamedTuple):
    start: int
    end: int
    text: str  # without its end

    @property
    def is_blank(self) -> bool:
        return not self.text.strip()

    @property
    def indent(self) -> int:
        return len(self.text[: len(self.text) - len(self.text.lstrip(" \t"))].expandtabs(4))


def parse_bullets(text: str) -> tuple[Bullet, ...]:
    """All bullets, in order."""
    return tuple(piece for piece in _pieces(text) if isinstance(piece, Bullet))


def render_bullet(text: str, id: str | None = None, mark: str = "-", newline: str = "\n") -> str:
    """The bullet as it stands in a list, with its last line's end. Its text comes back exactly if it is stripped."""
    return _render(text, id, mark, newline, _SHIELDED_ARROW)


def _render(text: str, id: str | None, mark: str, newline: str, arrows: re.Pattern[str]) -> str:
    """`arrows` are those that get a backslash: all where they could close somebody's comment above."""
    shielded = arrows.sub(lambda found: f"--\\{found[0][2:]}", _MARKER.sub(r"<!-- \\", text))
    first, *others = shielded.split("\n")
    lines = [f"{mark} {first}", *(f"{' ' * (len(mark) + 1)}{line}" if line else "" for line in others)]
    if id is not None or _split_id(text)[1] is not None:
        comment = f"<!-- id={id or ''} -->"
        # A comment behind the last of several lines could keep a code fence from closing.
        lines = [*lines, f"{' ' * (len(mark) + 1)}{comment}"] if others else [f"{lines[0]} {comment}"]
    return newline.join(lines) + newline


def without_bullets(text: str, places: Collection[int]) -> str:
    """The text without the bullets at those places of `parse_bullets(text)`."""
    bullets = parse_bullets(text)
    if unknown := [place for place in places if not 0 <= place < len(bullets)]:
        raise InvalidInput(f"The page has no bullet {unknown[0]}.", f"It has {len(bullets)}.")
    kept, done = [], 0
    for place in sorted(set(places)):
        kept.append(text[done : bullets[place].start])
        done = bullets[place].end
    return "".join(kept) + text[done:]


def with_bullet(text: str, bullet_text: str, id: str | None, heading: str | None) -> str:
    """The text with one bullet more, at the end of the list under that heading; without one at the end of the text.

    A heading that is not there is added.
    """
    newline = newline_of(text)
    pieces = _pieces(text)
    if heading is not None:
        found = _section(pieces, heading)
        if not found:
            above = text + newline * (0 if not text else 1 if text.endswith("\n") else 2)
            text = f"{above}## {' '.join(heading.split())}{newline}"
            found = [_pieces(text)[-1]]
        pieces = found
    items = [piece for piece in pieces if isinstance(piece, Bullet) and piece.mark]
    last = items[-1] if items and (heading is not None or items[-1] is pieces[-1]) else pieces[-1] if pieces else None
    place = last.end if last else len(text)
    above = text[:place] if not place or text[:place].endswith("\n") else text[:place] + newline
    is_list = isinstance(last, Bullet) and bool(last.mark)
    mark = last.mark if isinstance(last, Bullet) and last.mark in ("-", "*", "+") else "-"
    above += newline if last and not is_list else ""
    longer = above + _render(bullet_text, id, mark, newline, _SHIELDED_ARROW) + text[place:]
    if any(bullet.start == len(above) for bullet in parse_bullets(longer)):
        return longer
    return above + _render(bullet_text, id, mark, newline, _ARROW) + text[place:]


def last_heading(text: str) -> tuple[int, str] | None:
    """Where the last heading begins, and its words."""
    titles = [(piece.start, piece.title) for piece in _pieces(text) if isinstance(piece, _Other) and piece.title]
    return titles[-1] if titles else None


def _section(pieces: Sequence[Bullet | _Other], heading: str) -> list[Bullet | _Other]:
    """The heading and what stands under it, up to the next one or to what is generated."""
    wanted = " ".join(heading.split()).casefold()
    found: list[Bullet | _Other] = []
    for piece in pieces:
        title = piece.title if isinstance(piece, _Other) else None
        if found and isinstance(piece, _Other) and (title is not None or piece.is_ours):
            break
        if found or (title is not None and title.casefold() == wanted):
            found.append(piece)
    return found


def _pieces(text: str) -> list[Bullet | _Other]:
    return list(_Reader(text).pieces())


class _Reader:
    """Goes over the lines of one text once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = _lines(text)
        self._place = 0
        self._heading: str | None = None
        self._closed = -1  # where the comment that was looked at last ends
        self._unclosed: dict[str, int] = {}  # by its sign, the shortest fence that nothing closes from here on

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
        """The heading, rule or comment that begins here."""
        if _HEADING.match(line.text):
            self._heading = _title(line.text)
            return self._passed(line, self._place + 1, title=self._heading)
        if _RULE.fullmatch(line.text):
            return self._passed(line, self._place + 1)
        if line.text.lstrip(" \t").startswith("<!--") and (end := self._comment_end(line)):
            return self._passed(line, end)
        return None

    def _passed(self, line: _Line, end: int, title: str | None = None) -> _Other:
        self._place = end
        return _Other(line.start, self._lines[end - 1].end, title, line.text.startswith(MARKER))

    def _comment_end(self, line: _Line) -> int:
        """The line behind the one that closes the comment; 0 if it is no comment.

        Words behind it on its line speak against one, and so does another that opens before it is closed.
        """
        if self._closed < line.start:
            self._closed = self._text.find("-->", line.start) % (len(self._text) + 1)  # the end, if there is none
        opened, closed = line.text.index("<!--") + line.start, self._closed
        if closed == len(self._text) or self._text.find("<!--", opened + 4, closed) >= 0:
            return 0
        number = bisect_right(self._lines, closed, lo=self._place, key=lambda other: other.start)
        last = self._lines[number - 1]
        return number if not last.text[closed + 3 - last.start :].strip() else 0

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
        words = [line.text[item.end() :], *(_dedented(other.text, width) for other in lines[1:])]
        return self._bullet(lines, words, item[2])

    def _continues(self, line: _Line, base: int, is_after_blank: bool) -> bool:
        if line.indent >= base + 2:
            return True
        if is_after_blank:
            return False
        return _ID.fullmatch(line.text) is not None or not self._begins(line)

    def _begins(self, line: _Line) -> bool:
        """Whether a line cannot belong to the words above it."""
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
        """The line behind the one that closes the code fence which begins here; 0 without one."""
        fence = _FENCE.match(self._lines[self._place].text)
        if fence is None or len(fence[0]) >= self._unclosed.get(fence[0][0], len(fence[0]) + 1):
            return 0
        for number in range(self._place + 1, len(self._lines)):
            inside = self._lines[number].text.rstrip()
            if inside.startswith(fence[0]) and not inside.strip(fence[0][0]):
                return number + 1
        self._unclosed[fence[0][0]] = len(fence[0])
        return 0

    def _bullet(self, lines: Sequence[_Line], words: Sequence[str], mark: str) -> Bullet | _Other:
        text, id = _split_id("\n".join(words).strip())
        if not text:
            return _Other(lines[0].start, lines[-1].end)
        text = _SHIELDED_MARKER.sub("<!-- ", _SHIELDED_ARROW.sub("--", text))
        return Bullet(lines[0].start, lines[-1].end, text, _known(id), self._heading, mark)


def _lines(text: str) -> list[_Line]:
    found, start = [], 0
    for line in text.split("\n"):
        end = min(start + len(line) + 1, len(text))
        found.append(_Line(start, end, line.removesuffix("\r")))
        start = end
    return found if text and not text.endswith("\n") else found[:-1]


def _dedented(line: str, width: int) -> str:
    """The line without the spaces that put it under its item."""
    spaces = len(line) - len(line.lstrip(" "))
    return line[1:] if not spaces and line.startswith("\t") else line[min(spaces, width) :]


def _title(line: str) -> str:
    title = line.lstrip("#").strip()
    opened = title.rstrip("#")  # Markdown lets a heading end with the signs it begins with
    return " ".join((title if opened[-1:].strip() else opened).split())


def _split_id(text: str) -> tuple[str, str | None]:
    """The words, and what the comment behind them names as id (None without such a comment)."""
    place = text.rfind("<!--")
    found = _ID.fullmatch(text, place) if place >= 0 else None
    return (text[:place].rstrip(), found[1]) if found else (text, None)


def _known(id: str | None) -> str | None:
    try:
        return check_id(id) if id else None
    except InvalidInput:
        return None
