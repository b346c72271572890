"""An old memory file taken apart: what was said when, what somebody likes, and what stands above all that.

No line is lost: each is in an entry, in the upper part, or was spent on saying when, who or what (`Legacy.spent`).
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
_DEEPEST = 7  # the level of what a line without a heading begins
_OFTEN = 3  # times that a name must speak to be a speaker's
_MOSTLY = 0.8  # of the lines that begin with a time


@dataclass(frozen=True, slots=True)
class MemoryFilePiece:
    """One entry to be. `at` is as the file says it; without a zone it is local."""

    text: str
    at: datetime | None  # None: nothing says when
    kind: str  # conversation, note, preference or workflow_result
    speaker: str | None = None
    has_clock: bool = False


@dataclass(frozen=True, slots=True)
class Legacy:
    pieces: tuple[MemoryFilePiece, ...]
    curated: str  # what stands under no date
    spent: tuple[str, ...]  # lines of which nothing is left but time, speaker or kind
    generated: str = ""  # what the old tool computed anew


def parse_legacy(text: str, day: date | None = None, *, apart: Collection[str] = ()) -> Legacy:
    """Take the file apart. `day` is its own, if it is about one; sections of the sorts in `apart` (`generated`) are kept
    apart from the upper part."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff").split("\n")
    names, last = _surveyed(lines)
    reader = _Reader(day, frozenset(apart), names, len(lines) if day else last, "dated" if day else "curated")
    fence = ""
    closing = _closing_fences(lines)
    for number, line in enumerate(lines):
        reader.number = number
        mark = _FENCE.match(line)
        if fence:
            if _is_sure(line):  # somebody forgot to close it
                fence = ""
                reader.line(line)
                continue
            if mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
            reader.inside(line)
        elif mark and number in closing:
            fence = mark[1]
            reader.inside(line)
        else:
            reader.line(line)
    return reader.result()


def _closing_fences(lines: Sequence[str]) -> set[int]:
    """The numbers of the lines that open a fence which is closed later."""
    found: set[int] = set()
    fences = [(number, mark[1]) for number, line in enumerate(lines) if (mark := _FENCE.match(line))]
    for place, (number, _) in enumerate(fences):
        if place + 1 < len(fences):
            found.add(number)
    return found


def _is_sure(line: str) -> bool:
    """Whether a line speaks for somebody at a time: nothing that code or a log would say."""
    head = read_head(line, is_heading=_HEADING.match(line) is not None) if ":" in line else None
    return head is not None and head.clock is not None and head.speaker in ("user", "assistant", "tool")


def _surveyed(lines: Sequence[str]) -> tuple[frozenset[str], int]:
    """Names that the file has speak again and again, where nearly everything is said by somebody; and the number of the
    last line that begins with a date or time."""
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
    last: int  # the number of the last line with a time: behind it nothing is known to go on
    section: str = "curated"  # or dated, preferences, generated
    level: int = _DEEPEST  # of the heading that began the section
    clock: time | None = None
    offset: timezone | None = None
    speaker: str | None = None
    kind: str | None = None
    number: int = 0  # of the line that is being read
    title: str | None = None  # of preferences, that the first of them is to carry
    lines: list[str] = field(default_factory=list)  # of the entry that is being read
    pieces: list[MemoryFilePiece] = field(default_factory=list)
    curated: list[str] = field(default_factory=list)
    generated: list[str] = field(default_factory=list)
    spent: list[str] = field(default_factory=list)

    def result(self) -> Legacy:
        self._end_entry()
        return Legacy(tuple(self.pieces), _joined(self.curated), tuple(self.spent), _joined(self.generated))

    def inside(self, line: str) -> None:
        """A line that is text and nothing else."""
        self._keep(line)

    def line(self, line: str) -> None:
        heading = _HEADING.match(line)
        title = _title(line, heading) if heading else ""
        if heading and title:
            self._heading(line, len(heading[1]), title)
            return
        head = read_head(line, is_heading=False)
        is_liking = self.section == "preferences" and head is not None and head.speaker is None
        if head is not None and self._begins(head) and not is_liking:
            self._begin(head, line, _DEEPEST if self.section != "dated" else self.level)
        elif self.section == "preferences":
            self._preference(line)
        else:
            self._keep(line)

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
                self._end_entry()  # a day's notes are told apart by their headings
            self._keep(line)
            return
        if self.section == "generated" and level > self.level and sort is None:
            self._keep(line)
            return
        self._end_entry()
        self.section, self.level = ("generated" if sort in self.apart else "curated"), level
        if sort == "history":
            self.spent.append(line)
        else:
            self._keep(line)

    def _goes_on(self, level: int) -> bool:
        """Whether a heading without a date belongs to what is being read: answers have headings too. Where nothing with a
        time follows, it begins another section."""
        if self.speaker is not None:
            return self.level < level < _DEEPEST if self.number > self.last else level >= min(self.level, 2)
        return level > self.level

    def _begins(self, head: LineHead) -> bool:
        """Whether a line begins an entry here: without a date it must stand under one."""
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
        """A bullet, or a paragraph, each with what belongs to it."""
        bullet = _BULLET.match(line)
        is_new = bullet is not None and not bullet["indent"].replace("\t", "    ")[1:]
        if is_new or (not line.strip() and any(_BULLET.match(one) is None for one in self.lines[:1])):
            self._end_preference()
        if line.strip():
            self.lines.append(line[bullet.end() :] if bullet is not None and is_new else line)

    def _end_preference(self, *, over: bool = False) -> None:
        """A title goes with the first that follows it; where none does, it stands for itself."""
        if self.lines or over:
            title = [] if self.title is None else [self.title]
            self.title = None
            self._add(_joined([*title, *self.lines]), "preference")

    def _keep(self, line: str) -> None:
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
        self._add(_joined(self.lines), kind)
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
    """The words of a heading, also of one that is closed with the same signs."""
    words = line[heading.end() :].rstrip()
    open_ = words.rstrip("#")
    return open_.rstrip() if not open_ or open_[-1].isspace() else words


def _joined(lines: Sequence[str]) -> str:
    return "\n".join(line.rstrip() for line in lines).strip("\n")


def sections_of(text: str) -> Iterator[str]:
    """A text cut before its headings: for one that is too long to stand in one place."""
    part: list[str] = []
    for line in text.split("\n"):
        if _HEADING.match(line) and any(one.strip() for one in part):
            yield _joined(part)
            part = []
        part.append(line)
    if any(one.strip() for one in part):
        yield _joined(part)
