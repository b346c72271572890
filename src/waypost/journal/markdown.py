"""A page of the journal: a Markdown file of entries that people can read, write and edit in any editor.

A page is parsed into blocks that join to exactly the text that was read. So changing one entry leaves every other byte
unchanged. Only `\\n` and `\\r\\n` end a line.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, time, tzinfo

from waypost.errors import InvalidInput
from waypost.journal import conflict
from waypost.journal.amendments import is_amendment, split_amendments, write_amendment
from waypost.journal.heading import Heading, read_heading, write_heading
from waypost.journal.markdown_values import in_zone
from waypost.model.journal import Amendment, Entry

MARKER = "<!-- waypost:"
HOLD = f"{MARKER}hold"
CONFLICT, HELD = "it has an unresolved merge conflict", "it is on hold"
UNDATED = date(1970, 1, 1)  # for entries by hand, if the file's name, title and other entries show no day
_BOM = "\ufeff"
_HEADING = re.compile(r"(?m)^###[ \t]")
_SPECIAL = re.compile(r"(?m)^(?:\\|> |<!-- waypost:)")
_DATE = re.compile(r"(?<![0-9])([0-9]{4})-?([0-9]{2})-?([0-9]{2})(?![0-9])")
_HOLD_LINE = re.compile(rf"(?m)^{re.escape(HOLD)}(?![\w-])[^\n]*\n?")
# Some editors store a file's properties above its title.
_PROPERTIES = re.compile(r"---[^\S\n]*+\n(?=[\w-]+:)(?:(?!---)[^\n]*+\n)*+---[^\S\n]*+(?:\n|\Z)")
_TITLE = re.compile(r"(?:[^\S\n]*+\n)*+# [^\n]*+\n?")
_PREAMBLE = re.compile(rf"(?:[^\S\n]*+\n|{MARKER}[^\n]*+(?:\n|\Z))*+(?:[^\S\n]*+\Z)?")
_ENDING = re.compile(r"(?s)\r?\n.*")
_RULES = "-*_= \t\r\n"


@dataclass(frozen=True, slots=True)
class PageBlock:
    """A piece of a page: an entry, or a title, a marker or a heading without text."""

    raw: str
    entry: Entry | None


@dataclass(frozen=True, slots=True)
class JournalPage:
    blocks: tuple[PageBlock, ...]
    entries: tuple[Entry, ...]
    day: date | None = None
    zone: tzinfo | None = None
    is_conflicted: bool = False  # git left both sides in it; `entries` has those of both
    hold: bool = False  # a person or a restore wants it unchanged

    @property
    def text(self) -> str:
        return "".join([block.raw for block in self.blocks])

    def with_entry(self, index: int, entry: Entry) -> "JournalPage":
        """The page with another entry at that index of `entries`. All other bytes stay."""
        return self.with_entries({index: entry})

    def with_entries(self, entries: Mapping[int, Entry]) -> "JournalPage":
        newline = newline_of(self.text)
        changed = {}
        for number, index in self._blocks_of(entries).items():
            raw = self.blocks[number].raw
            changed[number] = _render(entries[index], newline) + _markers(raw, newline) + _ending(raw)
        return self._with(changed)

    def without(self, indices: Collection[int]) -> "JournalPage":
        """The page without the entries at those indices of `entries`."""
        changed = {}
        for number in self._blocks_of(indices):
            raw = self.blocks[number].raw
            newline = newline_of(raw)
            markers = _markers(raw, newline).removeprefix(newline)
            changed[number] = markers + newline if markers else ""
        return self._with(changed)

    def with_hold(self, on: bool) -> "JournalPage":
        """The page with or without the line that puts it on hold."""
        self._refuse_conflict()
        if on == self.hold:
            return self
        text = self.text
        start, head = _page_head(text)
        if not on:
            text = text[:start] + _HOLD_LINE.sub("", head) + text[start + len(head) :]
        else:
            position = start + _title_end(head)
            newline = newline_of(text)
            before = newline if position > start and text[position - 1] != "\n" else ""
            text = f"{text[:position]}{before}{HOLD} -->{newline}{text[position:]}"
        return parse_page(text, self.day, self.zone)

    def _blocks_of(self, indices: Collection[int]) -> dict[int, int]:
        """The index of each block's entry, by block number."""
        self._refuse_conflict()
        if invalid := [index for index in indices if not 0 <= index < len(self.entries)]:
            raise InvalidInput(f"The page has no entry {invalid[0]}.", f"It has {len(self.entries)}.")
        selected = set(indices)
        entry_blocks = [number for number, block in enumerate(self.blocks) if block.entry is not None]
        return {number: index for index, number in enumerate(entry_blocks) if index in selected}

    def _with(self, changed: Mapping[int, str]) -> "JournalPage":
        text = "".join([changed.get(number, block.raw) for number, block in enumerate(self.blocks)])
        return parse_page(text, self.day, self.zone)

    def _refuse_conflict(self) -> None:
        if self.is_conflicted:
            hint = "Resolve it in your editor, or with git, and try again."
            raise InvalidInput("The page has an unresolved merge conflict.", hint)


def parse_page(text: str, day: date | None, zone: tzinfo | None) -> JournalPage:
    """Read a page. `day` is the day of its file; `zone` applies to times without one (None: that of this machine).

    Every text is a page, and `"".join(block.raw for block in page.blocks)` is that text.
    """
    if (sides := conflict.sides(text)) is not None:
        ours, theirs = (parse_page(side, day, zone) for side in sides)
        entries = conflict.union(ours.entries, theirs.entries)
        hold = ours.hold or theirs.hold
        return JournalPage((PageBlock(text, None),), entries, day, zone, is_conflicted=True, hold=hold)
    start, head = _page_head(text)
    headings = list(_headings(text, start + len(head)))
    page_day = day or _title_day(head) or _stated_day(headings, zone) or UNDATED
    blocks = [PageBlock(_BOM, None)] if start else []
    blocks += _head_blocks(head, page_day, zone)
    ends = [start_of_heading for start_of_heading, _, _ in headings[1:]] + [len(text)] * bool(headings)
    for (begin, body, heading), end in zip(headings, ends, strict=True):
        body_text, amendments = _text_and_amendments(text[body:end], zone)
        body_text = f"{heading.tail}\n{body_text}".strip() if heading.tail else body_text
        blocks.append(PageBlock(text[begin:end], _entry_of(heading, body_text, amendments, page_day, zone)))
    entries = tuple([block.entry for block in blocks if block.entry is not None])
    return JournalPage(tuple(blocks), entries, day, zone, hold=_HOLD_LINE.search(head) is not None)


def no_edit_reason(text: str) -> str | None:
    """Why a page of that text must not be changed, or None. Reads no more than necessary."""
    if conflict.sides(text) is not None:
        return CONFLICT
    return HELD if _HOLD_LINE.search(_page_head(text)[1]) is not None else None


def _entry_of(
    heading: Heading, text: str, amendments: tuple[Amendment, ...], day: date, zone: tzinfo | None
) -> Entry | None:
    if text or amendments:
        return heading.entry(text, amendments, day, zone)
    note = heading.as_note()
    return note[0].entry(note[1], (), day, zone) if note else None


def render_entry(entry: Entry, newline: str = "\n") -> str:
    """The entry as it stands in a page, with the blank line after it."""
    return _render(entry, newline) + 2 * newline


def new_page(day: date) -> str:
    """The top of a page before its first entry."""
    return f"# {day.isoformat()}\n\n"


def newline_of(text: str) -> str:
    """The prevailing line end."""
    both = text.count("\r\n")
    return "\r\n" if both and 2 * both >= text.count("\n") else "\n"


def gap_after(tail: str, newline: str = "\n") -> str:
    """What to write between a page with this end and an added entry. A few last characters are enough."""
    if not tail:
        return ""
    end = tail.replace("\r\n", "\n")
    return "" if end.endswith("\n\n") or end == "\n" else newline if end.endswith("\n") else 2 * newline


def _page_head(text: str) -> tuple[int, str]:
    """The start of the head, and everything before the first entry."""
    start = 1 if text.startswith(_BOM) else 0
    first = next(_headings(text, start), None)
    return start, text[start : first[0] if first else len(text)]


def _headings(text: str, start: int) -> Iterator[tuple[int, int, Heading]]:
    """Each heading: its position, the position of the text below it, and its content."""
    for position in _heading_positions(text, start):
        end = text.find("\n", position)
        line = text[position:] if end < 0 else text[position:end].removesuffix("\r")
        if (heading := read_heading(line)) is not None:
            yield position, len(text) if end < 0 else end + 1, heading


def _heading_positions(text: str, start: int) -> Iterator[int]:
    if text.startswith(("### ", "###\t"), start):  # after a byte order mark no line begins
        yield start
    yield from (heading.start() for heading in _HEADING.finditer(text, start + 1))


def _head_blocks(head: str, day: date, zone: tzinfo | None) -> list[PageBlock]:
    """The title with Waypost's markers, then a note that somebody wrote without a heading."""
    preamble = _PREAMBLE.match(head, _title_end(head))
    end = preamble.end() if preamble else 0
    blocks = [PageBlock(head[:end], None)] if end else []
    if note := head[end:]:
        text, amendments = _text_and_amendments(note, zone)
        is_note = bool(text.strip(_RULES))
        entry = Entry(text, in_zone(day, time(), zone), "note", amendments=amendments) if is_note else None
        blocks.append(PageBlock(note, entry))
    return blocks


def _title_end(head: str) -> int:
    """End of the title line, or of an editor's properties if there is no title."""
    properties = _PROPERTIES.match(head)
    start = properties.end() if properties else 0
    title = _TITLE.match(head, start)
    return title.end() if title else start


def _title_day(head: str) -> date | None:
    match = _DATE.search(head[: _title_end(head)])
    try:
        return date(int(match[1]), int(match[2]), int(match[3])) if match else None
    except ValueError:
        return None


def _stated_day(headings: Iterable[tuple[int, int, Heading]], zone: tzinfo | None) -> date | None:
    return next((at.date() for _, _, heading in headings if (at := heading.exact_time(zone)) is not None), None)


def _lines(text: str) -> Iterator[str]:
    position = 0
    while position < len(text):
        end = text.find("\n", position) + 1 or len(text)
        yield text[position:end]
        position = end


def _markers(raw: str, newline: str) -> str:
    """Waypost's markers within the text. They stay in the page, after the text."""
    return "".join([newline + line.rstrip("\r\n") for line in _lines(raw) if line.startswith(MARKER)])


def _ending(raw: str) -> str:
    ending = _ENDING.search(raw, len(raw.rstrip()))
    return ending[0] if ending else ""


def _render(entry: Entry, newline: str) -> str:
    """The entry without its last line end."""
    lines = [write_heading(entry), *(_escape(line) for line in entry.text.split("\n"))]
    for amendment in entry.amendments:
        lines += ("", *write_amendment(amendment))
    return newline.join(lines)


def _is_own_line(line: str) -> bool:
    """Whether a line of somebody's text would be read as Waypost's own."""
    if line[:1] == "#":
        return read_heading(line) is not None
    return line[:1] in (">", "<", "|") and (is_amendment(line) or line.startswith(MARKER) or conflict.is_sign(line))


def _escape(line: str) -> str:
    return f"\\{line}" if _is_own_line(line.lstrip("\\")) else line


def _unescape(line: str) -> str:
    return line[1:] if line.startswith("\\") and _is_own_line(line.lstrip("\\")) else line


def _text_and_amendments(raw: str, zone: tzinfo | None) -> tuple[str, tuple[Amendment, ...]]:
    """The text below a heading, and its amendments. Waypost's markers belong to neither."""
    body = raw.replace("\r\n", "\n")
    if _SPECIAL.search(body) is None:
        return body.strip(), ()
    lines, amendments = split_amendments([line for line in body.split("\n") if not line.startswith(MARKER)], zone)
    return "\n".join([_unescape(line) for line in lines]).strip(), amendments
