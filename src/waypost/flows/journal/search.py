"""Search every file of the journal, compressed ones too, for exact words."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import date, datetime
from functools import cache
from typing import Any

from waypost.errors import InvalidInput, WaypostError
from waypost.flows.journal_files.changes import sync_if_changed
from waypost.flows.open_space import OpenSpace
from waypost.journal.layout import ARCHIVE, INDEX, PREFERENCES, day_of, stage_of
from waypost.journal.markdown import PageBlock, parse_page
from waypost.journal.memory_page.lines import sources_of, without_sources
from waypost.journal.period_pages.frame import split_frame
from waypost.text.keywords import stop_words
from waypost.text.stems import fold

LONGEST_LINE = 400  # characters of a line that is shown
MOST = 1000
_LONGEST_QUERY = 1000
_STAGES = ("daily", f"{ARCHIVE}/daily", "weekly", "monthly", "yearly", f"{ARCHIVE}/weekly", f"{ARCHIVE}/monthly")


@dataclass(frozen=True, slots=True)
class FoundLine:
    path: str
    line: int
    text: str
    id: str | None = None
    time: datetime | None = None
    speaker: str | None = None

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"time": self.time.isoformat() if self.time else None}


@dataclass(frozen=True, slots=True)
class _Piece:
    """Lines that belong together: an entry, or one line of other text."""

    start: int
    lines: tuple[str, ...]
    id: str | None = None
    time: datetime | None = None
    speaker: str | None = None


def search_journal(space: OpenSpace, text: str, limit: int = 20) -> list[FoundLine]:
    """Lines that contain the text; if none does, lines of entries with all its significant words.

    Case, accents and spaces do not matter. People's pages come first, then days from the newest, then summaries. A line
    that a day's file and its archived original share is returned once.
    """
    wanted = " ".join(fold(text[:_LONGEST_QUERY]).split())
    if not wanted:
        raise InvalidInput("There is nothing to search for.", "Give some words.")
    sync_if_changed(space)
    limit = max(1, min(limit, MOST))
    lines = _search(space, [wanted], limit)
    words = [word for word in wanted.split() if word not in _stop_words()] or wanted.split()
    return lines or (_search(space, words, limit) if len(words) > 1 else [])


def _search(space: OpenSpace, words: list[str], limit: int) -> list[FoundLine]:
    lines_found: list[FoundLine] = []
    seen: set[tuple[str | None, str]] = set()
    for path in sorted(space.journal.scan(), key=_order):
        try:
            text = space.journal.read(path)
        except WaypostError:  # removed, or damaged: `doctor` reports it
            continue
        if not all(word in fold(" ".join(text.split())) for word in words):
            continue
        for piece in _pieces(space, path, text):
            for line in _matches(path, piece, words):
                if (line.id, line.text) not in seen or line.id is None:
                    lines_found.append(line)
                    seen.add((line.id, line.text))
                if len(lines_found) >= limit:
                    return lines_found
    return lines_found


def _matches(path: str, piece: _Piece, words: list[str]) -> Iterator[FoundLine]:
    """The lines with all the words; if they are on several lines, the line with most of them."""
    folded = [fold(" ".join(line.split())) for line in piece.lines]
    if not all(word in " ".join(folded) for word in words):
        return
    having = [place for place, line in enumerate(folded) if all(word in line for word in words)]
    parts = [part for word in words for part in word.split()]
    having = having or [max(range(len(folded)), key=lambda at: (sum(part in folded[at] for part in parts), -at))]
    for place in having:
        text = piece.lines[place].strip()[:LONGEST_LINE]
        yield FoundLine(path, piece.start + place, text, piece.id, piece.time, piece.speaker)


def _pieces(space: OpenSpace, path: str, text: str) -> Iterator[_Piece]:
    if stage_of(path) in ("daily", f"{ARCHIVE}/daily"):
        yield from _entries(space, path, text)
        return
    ours = split_frame(text).part if path == INDEX else None  # it repeats other files
    skipped = range(0)
    if ours:
        start = text.index(ours)
        first = text.count("\n", 0, start)
        skipped = range(first, first + ours.count("\n") + 1)
    for number, line in enumerate(text.split("\n")):
        if number not in skipped and line.strip():
            ids = sources_of(line)
            yield _Piece(number + 1, (without_sources(line),), ids[0] if len(ids) == 1 else None)


def _entries(space: OpenSpace, path: str, text: str) -> Iterator[_Piece]:
    """The text of each entry, without its heading. Entries written by hand have an id in the index."""
    page = parse_page(text, day_of(path), space.journal.zone)
    if page.is_conflicted:
        yield from (_Piece(number, (line,)) for number, line in enumerate(text.split("\n"), 1))
        return
    with space.store.read() as reader:
        named = {place_row.place: place_row.memory_id for place_row in reader.journal.places(space.journal_id, [path])}
    number, place = 1, 0
    for block in page.blocks:
        if block.entry is not None:
            entry = block.entry
            skip, lines = _body(block)
            yield _Piece(number + skip, lines, entry.id or named.get(place), entry.at, entry.speaker)
            place += 1
        number += block.raw.count("\n")


def _body(block: PageBlock) -> tuple[int, tuple[str, ...]]:
    lines = block.raw.split("\n")
    skip = 1 if lines[0].startswith("### ") and len(lines) > 1 else 0
    return skip, tuple(lines[skip:])


def _order(path: str) -> tuple[int, float, str]:
    """People's pages, then days from the newest, then the rest from the newest."""
    day = day_of(path) or date.min
    if path in (PREFERENCES, INDEX) or stage_of(path) in ("", "important"):
        return 0, 0.0, path
    stage = stage_of(path)
    place = _STAGES.index(stage) if stage in _STAGES else len(_STAGES)
    return (1, -day.toordinal(), str(place)) if day != date.min else (2, place, _newest_first(path))


def _newest_first(path: str) -> str:
    return "".join(chr(0x10FFFF - ord(character)) for character in path)


@cache
def _stop_words() -> frozenset[str]:
    return stop_words("en") | stop_words("de") | stop_words("ru")
