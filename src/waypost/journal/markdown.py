"""A page of the journal: a Markdown file of entries that a person can read, write and edit in any editor.

A page is taken apart into blocks that join to exactly the text that was read, so that changing one entry
leaves every other byte as it was. Only `\\n` and `\\r\\n` end a line.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, time, tzinfo

from waypost.errors import InvalidInput
from waypost.journal import conflict
from waypost.journal.amendments import is_amendment, take_amendments, write_amendment
from waypost.journal.heading import Heading, read_heading, write_heading
from waypost.journal.markdown_values import in_zone
from waypost.model.journal import Amendment, Entry

MARKER = "<!-- waypost:"
HOLD = f"{MARKER}hold"
CONFLICT, HELD = "it holds an unresolved merge conflict", "it is held"
UNDATED = date(1970, 1, 1)  # of an entry by hand, in a file whose name, title and other entries tell no day
_BOM = "\ufeff"
_HEADING = re.compile(r"(?m)^###[ \t]")
_SPECIAL = re.compile(r"(?m)^(?:\\|> |<!-- waypost:)")
_DATE = re.compile(r"(?<![0-9])([0-9]{4})-?([0-9]{2})-?([0-9]{2})(?![0-9])")
_HOLD_LINE = re.compile(rf"(?m)^{re.escape(HOLD)}(?![\w-])[^\n]*\n?")
# Some editors keep properties of a file above its title.
_PROPERTIES = re.compile(r"---[^\S\n]*+\n(?=[\w-]+:)(?:(?!---)[^\n]*+\n)*+---[^\S\n]*+(?:\n|\Z)")
_TITLE = re.compile(r"(?:[^\S\n]*+\n)*+# [^\n]*+\n?")
_PREAMBLE = re.compile(rf"(?:[^\S\n]*+\n|{MARKER}[^\n]*+(?:\n|\Z))*+(?:[^\S\n]*+\Z)?")
_ENDING = re.compile(r"(?s)\r?\n.*")
_RULES = "-*_= \t\r\n"


@dataclass(frozen=True, slots=True)
class PageBlock:
    """A piece of a page: an entry, or a title, marker or heading without words."""

    raw: str
    entry: Entry | None


@dataclass(frozen=True, slots=True)
class JournalPage:
    blocks: tuple[PageBlock, ...]
    entries: tuple[Entry, ...]
    day: date | None = None
    zone: tzinfo | None = None
    is_conflicted: bool = False  # git left both sides in it: `entries` are those of both
    hold: bool = False  # a person or a restore wants it left as it is

    @property
    def text(self) -> str:
        return "".join([block.raw for block in self.blocks])

    def with_entry(self, place: int, entry: Entry) -> "JournalPage":
        """The page with another entry at that place of `entries`; all other bytes stay."""
        return self.with_entries({place: entry})

    def with_entries(self, entries: Mapping[int, Entry]) -> "JournalPage":
        newline = newline_of(self.text)
        changed = {}
        for block, place in self._blocks_of(entries).items():
            raw = self.blocks[block].raw
            changed[block] = _rendered(entries[place], newline) + _markers(raw, newline) + _ending(raw)
        return self._with(changed)

    def without(self, places: Collection[int]) -> "JournalPage":
        """The page without the entries at those places of `entries`."""
        kept = {}
        for block in self._blocks_of(places):
            raw = self.blocks[block].raw
            newline = newline_of(raw)
            markers = _markers(raw, newline).removeprefix(newline)
            kept[block] = markers + newline if markers else ""
        return self._with(kept)

    def with_hold(self, on: bool) -> "JournalPage":
        """The page with or without the line that keeps it as it is."""
        self._refuse_conflict()
        if on == self.hold:
            return self
        text = self.text
        start, head = _head(text)
        if not on:
            text = text[:start] + _HOLD_LINE.sub("", head) + text[start + len(head) :]
        else:
            place = start + _title_end(head)
            newline = newline_of(text)
            before = newline if place > start and text[place - 1] != "\n" else ""
            text = f"{text[:place]}{before}{HOLD} -->{newline}{text[place:]}"
        return parse_page(text, self.day, self.zone)

    def _blocks_of(self, places: Collection[int]) -> dict[int, int]:
        """By the number of a block, the place of its entry."""
        self._refuse_conflict()
        if unknown := [place for place in places if not 0 <= place < len(self.entries)]:
            raise InvalidInput(f"The page has no entry {unknown[0]}.", f"It has {len(self.entries)}.")
        wanted = set(places)
        holding = [number for number, block in enumerate(self.blocks) if block.entry is not None]
        return {number: place for place, number in enumerate(holding) if place in wanted}

    def _with(self, changed: Mapping[int, str]) -> "JournalPage":
        text = "".join([changed.get(number, block.raw) for number, block in enumerate(self.blocks)])
        return parse_page(text, self.day, self.zone)

    def _refuse_conflict(self) -> None:
        if self.is_conflicted:
            raise InvalidInput(
                "The page holds an unresolved merge conflict.", "Resolve it in your editor, or with git, and try again."
            )


def parse_page(text: str, day: date | None, zone: tzinfo | None) -> JournalPage:
    """Read a page. `day` is what its file is about; `zone` holds where a time names none (None: as this machine).

    Every text is a page, and `"".join(block.raw for block in page.blocks)` is that text.
    """
    if (both := conflict.sides(text)) is not None:
        ours, theirs = (parse_page(side, day, zone) for side in both)
        entries = conflict.union(ours.entries, theirs.entries)
        return JournalPage(
            (PageBlock(text, None),), entries, day, zone, is_conflicted=True, hold=ours.hold or theirs.hold
        )
    start, head = _head(text)
    headings = list(_headings(text, start + len(head)))
    on = day or _title_day(head) or _stated_day(headings, zone) or UNDATED
    blocks = [PageBlock(_BOM, None)] if start else []
    blocks += _head_blocks(head, on, zone)
    ends = [place for place, _, _ in headings[1:]] + [len(text)] * bool(headings)
    for (place, body, heading), end in zip(headings, ends, strict=True):
        words, amendments = _words(text[body:end], zone)
        words = f"{heading.tail}\n{words}".strip() if heading.tail else words
        blocks.append(PageBlock(text[place:end], _entry_of(heading, words, amendments, on, zone)))
    entries = tuple([block.entry for block in blocks if block.entry is not None])
    return JournalPage(tuple(blocks), entries, day, zone, hold=_HOLD_LINE.search(head) is not None)


def left_alone(text: str) -> str | None:
    """Why nothing may be changed in a page of that text, read only as far as it takes to tell; None: it may."""
    if conflict.sides(text) is not None:
        return CONFLICT
    return HELD if _HOLD_LINE.search(_head(text)[1]) is not None else None


def _entry_of(
    heading: Heading, words: str, amendments: tuple[Amendment, ...], on: date, zone: tzinfo | None
) -> Entry | None:
    if words or amendments:
        return heading.entry(words, amendments, on, zone)
    note = heading.noted()
    return note[0].entry(note[1], (), on, zone) if note else None


def render_entry(entry: Entry, newline: str = "\n") -> str:
    """The entry as it stands in a page, with the empty line behind it."""
    return _rendered(entry, newline) + 2 * newline


def new_page(day: date) -> str:
    """What stands at the top of a page before its first entry."""
    return f"# {day.isoformat()}\n\n"


def newline_of(text: str) -> str:
    """The line end that prevails."""
    both = text.count("\r\n")
    return "\r\n" if both and 2 * both >= text.count("\n") else "\n"


def gap_after(tail: str, newline: str = "\n") -> str:
    """What must be written between a page that ends so and an entry added to it (a few last characters are enough)."""
    if not tail:
        return ""
    ended = tail.replace("\r\n", "\n")
    return "" if ended.endswith("\n\n") or ended == "\n" else newline if ended.endswith("\n") else 2 * newline


def _head(text: str) -> tuple[int, str]:
    """Where it begins, and all that stands before the first entry."""
    start = 1 if text.startswith(_BOM) else 0
    first = next(_headings(text, start), None)
    return start, text[start : first[0] if first else len(text)]


def _headings(text: str, start: int) -> Iterator[tuple[int, int, Heading]]:
    """Where each begins, where the words below it begin, and what it says."""
    for place in _places(text, start):
        end = text.find("\n", place)
        line = text[place:] if end < 0 else text[place:end].removesuffix("\r")
        if (heading := read_heading(line)) is not None:
            yield place, len(text) if end < 0 else end + 1, heading


def _places(text: str, start: int) -> Iterator[int]:
    if text.startswith(("### ", "###\t"), start):  # also behind a byte order mark, where no line begins
        yield start
    yield from (found.start() for found in _HEADING.finditer(text, start + 1))


def _head_blocks(head: str, day: date, zone: tzinfo | None) -> list[PageBlock]:
    """The title with our markers; then what somebody noted without a heading."""
    preamble = _PREAMBLE.match(head, _title_end(head))
    place = preamble.end() if preamble else 0
    blocks = [PageBlock(head[:place], None)] if place else []
    if note := head[place:]:
        words, amendments = _words(note, zone)
        is_note = bool(words.strip(_RULES))
        entry = Entry(words, in_zone(day, time(), zone), "note", amendments=amendments) if is_note else None
        blocks.append(PageBlock(note, entry))
    return blocks


def _title_end(head: str) -> int:
    """Where the line of the title ends, or without one what an editor keeps above it."""
    properties = _PROPERTIES.match(head)
    start = properties.end() if properties else 0
    title = _TITLE.match(head, start)
    return title.end() if title else start


def _title_day(head: str) -> date | None:
    found = _DATE.search(head[: _title_end(head)])
    try:
        return date(int(found[1]), int(found[2]), int(found[3])) if found else None
    except ValueError:
        return None


def _stated_day(headings: Iterable[tuple[int, int, Heading]], zone: tzinfo | None) -> date | None:
    return next((at.date() for _, _, heading in headings if (at := heading.stated(zone)) is not None), None)


def _lines(text: str) -> Iterator[str]:
    """Its lines with their ends, as far as they are asked for."""
    place = 0
    while place < len(text):
        end = text.find("\n", place) + 1 or len(text)
        yield text[place:end]
        place = end


def _markers(raw: str, newline: str) -> str:
    """Our markers that stand among the words: they stay in the page, behind them."""
    return "".join([newline + line.rstrip("\r\n") for line in _lines(raw) if line.startswith(MARKER)])


def _ending(raw: str) -> str:
    """The line ends and empty lines behind the last line that has something."""
    found = _ENDING.search(raw, len(raw.rstrip()))
    return found[0] if found else ""


def _rendered(entry: Entry, newline: str) -> str:
    """Without the last line's end."""
    lines = [write_heading(entry), *(_shielded(line) for line in entry.text.split("\n"))]
    for amendment in entry.amendments:
        lines += ("", *write_amendment(amendment))
    return newline.join(lines)


def _is_ours(line: str) -> bool:
    """Whether a line of somebody's words would be read as ours."""
    match line[:1]:
        case "#":
            return read_heading(line) is not None
        case ">":
            return is_amendment(line) or conflict.is_sign(line)
        case "<":
            return line.startswith(MARKER) or conflict.is_sign(line)
        case "|":
            return conflict.is_sign(line)
    return False


def _shielded(line: str) -> str:
    return f"\\{line}" if _is_ours(line.lstrip("\\")) else line


def _unshielded(line: str) -> str:
    return line[1:] if line.startswith("\\") and _is_ours(line.lstrip("\\")) else line


def _words(raw: str, zone: tzinfo | None) -> tuple[str, tuple[Amendment, ...]]:
    """The words below a heading, and what was said about them later. Our markers are neither."""
    body = raw.replace("\r\n", "\n")
    if _SPECIAL.search(body) is None:
        return body.strip(), ()
    lines, amendments = take_amendments([line for line in body.split("\n") if not line.startswith(MARKER)], zone)
    return "\n".join([_unshielded(line) for line in lines]).strip(), amendments
