"""Splits a memory file into dated entries, preferences and undated text.

No line is lost: each is in an entry, in the undated text, or in `Legacy.spent` (only a time, speaker or kind).
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timezone

from waypost.compat.crowdbot.timestamps import LineHead, instant, lexicon, read_head

_HEADING = re.compile(r"[ ]{0,3}(#{1,6})[ \t]+(?=\S)")
_FENCE = re.compile(r"\s{0,12}(`{3,}|~{3,})")
_BULLET = re.compile(r"(?P<indent>[ \t]*)(?:[-*+•]|\d{1,4}[.)])[ \t]+(?=\S)")
_RULE = re.compile(r"\s*(?:[-*_=]\s*){3,}")
_DEEPEST = 7  # the level of an entry that begins without a heading
_OFTEN = 3  # how often a name must occur to be a speaker
_MOSTLY = 0.8  # the share of timestamped lines that must have such a name


@dataclass(frozen=True, slots=True)
class MemoryFilePiece:
    """One future entry. `at` is the time in the file, which is local if it has no zone."""

    text: str
    at: datetime | None  # None: undated
    kind: str  # conversation, note, preference or workflow_result
    speaker: str | None = None
    has_clock: bool = False


@dataclass(frozen=True, slots=True)
class Legacy:
    pieces: tuple[MemoryFilePiece, ...]
    curated: str  # the undated text
    spent: tuple[str, ...]  # lines with only a time, speaker or kind
    generated: str = ""  # statistics and overviews computed by Crowdbot


def parse_legacy(text: str, day: date | None = None, *, apart: Collection[str] = ()) -> Legacy:
    """Split a memory file. `day` is the day of a day file.

    Sections of the sorts in `apart` (`generated`) are separated from the undated text.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff").split("\n")
    names, last = _survey(lines)
    reader = _Reader(day, frozenset(apart), names, len(lines) if day else last, "dated" if day else "curated")
    fence = ""
    closing = _closing_fences(lines)
    for number, line in enumerate(lines):
        reader.number = number
        mark = _FENCE.match(line)
        if fence:
            if _is_message(line):  # the fence was never closed
                fence = ""
                reader.line(line)
                continue
            if mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
            reader.keep(line)
        elif mark and number in closing:
            fence = mark[1]
            reader.keep(line)
        else:
            reader.line(line)
    return reader.result()


def _closing_fences(lines: Sequence[str]) -> set[int]:
    """The numbers of all lines with a fence but the last, which may open a fence that is closed later."""
    return set([number for number, line in enumerate(lines) if _FENCE.match(line)][:-1])


def _is_message(line: str) -> bool:
    """Whether a line has a time and a known speaker, as code and logs do not."""
    head = read_head(line, is_heading=_HEADING.match(line) is not None) if ":" in line else None
    return head is not None and head.clock is not None and head.speaker in ("user", "assistant", "tool")


def _survey(lines: Sequence[str]) -> tuple[frozenset[str], int]:
    """The names of frequent speakers, and the number of the last line that begins with a date or time.

    There are no names unless most timestamped lines have a frequent one.
    """
    stamped, last, names = 0, -1, Counter[str]()
    for number, line in enumerate(lines):
        is_heading = _HEADING.match(line) is not None
        head = read_head(line, is_heading=is_heading)
        if head is None or (head.day is None and head.clock is None):
            continue
        last = number
        if not is_heading and head.clock is not None and head.speaker is None:
            stamped += 1
            names.update([head.name] if head.name else [])
    often = {name: count for name, count in names.items() if count >= _OFTEN}
    return frozenset(often) if sum(often.values()) >= _MOSTLY * stamped else frozenset(), last


@dataclass(slots=True)
class _Reader:
    day: date | None
    apart: frozenset[str]
    names: frozenset[str]
    last: int  # the number of the last line with a time
    section: str = "curated"  # or dated, preferences, generated
    level: int = _DEEPEST  # of the heading that began the section
    clock: time | None = None
    offset: timezone | None = None
    speaker: str | None = None
    kind: str | None = None
    number: int = 0  # of the current line
    title: str | None = None  # of the next preferences; goes with the first of them
    lines: list[str] = field(default_factory=list)  # of the current entry
    pieces: list[MemoryFilePiece] = field(default_factory=list)
    curated: list[str] = field(default_factory=list)
    generated: list[str] = field(default_factory=list)
    spent: list[str] = field(default_factory=list)

    def result(self) -> Legacy:
        self._end_entry()
        return Legacy(tuple(self.pieces), _join(self.curated), tuple(self.spent), _join(self.generated))

    def line(self, line: str) -> None:
        heading = _HEADING.match(line)
        title = _title(line, heading) if heading else ""
        if heading and title:
            self._heading(line, len(heading[1]), title)
            return
        head = read_head(line, is_heading=False)
        is_preference = self.section == "preferences" and head is not None and head.speaker is None
        if head is not None and self._begins(head) and not is_preference:
            self._begin(head, line, _DEEPEST if self.section != "dated" else self.level)
        elif self.section == "preferences":
            self._preference(line)
        else:
            self.keep(line)

    def _heading(self, line: str, level: int, title: str) -> None:
        head = read_head(line, is_heading=True)
        if head is not None and (head.day is not None or self._begins(head)):
            is_day = head.day is not None
            self._begin(head, line, level if is_day or self.section != "dated" else min(level, self.level))
            return
        sort = lexicon().section(title)
        if sort == "preferences":
            self._end_entry()
            self.section, self.level = sort, level
            self.spent.append(line)
            return
        if self.section == "preferences" and level > self.level:
            self._end_preference(over=True)
            self.title = title
            return
        if self.section == "dated" and sort is None and self._goes_on(level):
            if self.speaker is None and self.clock is None:
                self._end_entry()  # headings separate the notes of a day
            self.keep(line)
            return
        if self.section == "generated" and level > self.level and sort is None:
            self.keep(line)
            return
        self._end_entry()
        self.section, self.level = ("generated" if sort in self.apart else "curated"), level
        if sort == "history":
            self.spent.append(line)
        else:
            self.keep(line)

    def _goes_on(self, level: int) -> bool:
        """Whether a heading without a date belongs to the current entry, since answers can have headings.

        After the last time in the file, a heading of the same level begins another section.
        """
        if self.speaker is not None:
            return self.level < level < _DEEPEST if self.number > self.last else level >= min(self.level, 2)
        return level > self.level

    def _begins(self, head: LineHead) -> bool:
        """Whether a line begins an entry. A line without a date must be below one."""
        if head.day is not None:
            return True
        if self.day is None or self.section == "generated":
            return False
        return head.clock is not None or (head.speaker is not None and self.section == "dated")

    def _begin(self, head: LineHead, line: str, level: int) -> None:
        self._end_entry()
        if head.day is not None and (head.day != self.day or head.clock is not None):
            self.clock = None
        self.day = head.day or self.day
        if head.clock is not None:
            self.clock, self.offset = head.clock, head.offset
        self.section, self.level, self.kind = "dated", level, head.kind
        self.speaker = head.speaker or (head.name if head.name in self.names else None)
        text = head.named_text if head.name in self.names else head.text
        if text:
            self.lines.append(text)
        else:
            self.spent.append(line)

    def _preference(self, line: str) -> None:
        """Add a line to the current preference: a bullet or paragraph with its continuation lines."""
        bullet = _BULLET.match(line)
        is_new = bullet is not None and not bullet["indent"].replace("\t", "    ")[1:]
        if is_new or (not line.strip() and any(_BULLET.match(kept_line) is None for kept_line in self.lines[:1])):
            self._end_preference()
        if line.strip():
            self.lines.append(line[bullet.end() :] if bullet is not None and is_new else line)

    def _end_preference(self, *, over: bool = False) -> None:
        """Add the current preference, with its title if it is the first. A title without preferences becomes one."""
        if self.lines or over:
            title = [] if self.title is None else [self.title]
            self.title = None
            self._add(_join([*title, *self.lines]), "preference")

    def keep(self, line: str) -> None:
        """Add a line to the current section without interpreting it."""
        {"curated": self.curated, "generated": self.generated}.get(self.section, self.lines).append(line)

    def _end_entry(self) -> None:
        if self.section == "preferences":
            self._end_preference(over=True)
            return
        if self.section != "dated":
            return
        while self.lines and (not self.lines[-1].strip() or _RULE.fullmatch(self.lines[-1])):
            last = self.lines.pop()
            self.spent += [last] if last.strip() else []
        kind = self.kind or ("conversation" if self.speaker else "note")
        self._add(_join(self.lines), kind)
        self.speaker = self.kind = None

    def _add(self, text: str, kind: str) -> None:
        self.lines.clear()
        if not text:
            return
        is_dated = self.section == "dated" and self.day is not None
        at = instant(self.day, self.clock, self.offset) if is_dated and self.day else None
        speaker = self.speaker if self.section == "dated" else None
        self.pieces.append(MemoryFilePiece(text, at, kind, speaker, self.clock is not None and at is not None))


def _title(line: str, heading: "re.Match[str]") -> str:
    """The text of a heading, without closing `#` signs."""
    words = line[heading.end() :].rstrip()
    open_ = words.rstrip("#")
    return open_.rstrip() if not open_ or open_[-1].isspace() else words


def _join(lines: Sequence[str]) -> str:
    return "\n".join(line.rstrip() for line in lines).strip("\n")


def sections_of(text: str) -> Iterator[str]:
    """A text split before its headings."""
    part: list[str] = []
    for line in text.split("\n"):
        if _HEADING.match(line) and any(kept_line.strip() for kept_line in part):
            yield _join(part)
            part = []
        part.append(line)
    if any(kept_line.strip() for kept_line in part):
        yield _join(part)
