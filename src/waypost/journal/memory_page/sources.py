"""Where the lines of MEMORY.md come from, kept beside the page: one line for each line of the page and of its copies.

A row has a mark of the page's line, the day it was last generated, and its entries' ids. So the page has
no comments, and `forget` still finds every line of an entry. Marks do not reveal text.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from waypost.journal.files import JournalFolder
from waypost.journal.memory_page.lines import sources_of, without_sources
from waypost.model.journal import mark_of

SOURCES = "backups/memory.sources"
KEPT_DAYS = 60  # copies of the page reach back less


@dataclass(frozen=True, slots=True)
class LineSource:
    day: date
    ids: tuple[str, ...]


def split_sources(part: str, today: date) -> tuple[str, dict[str, LineSource]]:
    """The part without its comments, and the sources of its lines by mark."""
    lines: list[str] = []
    sources: dict[str, LineSource] = {}
    for line in part.split("\n"):
        clean = without_sources(line)
        ids = sources_of(line)
        if ids:
            mark = mark_of(clean)
            before = sources[mark].ids if mark in sources else ()
            sources[mark] = LineSource(today, tuple(dict.fromkeys((*before, *ids))))
        lines.append(clean)
    return "\n".join(lines), sources


def merge_sources(
    before: Mapping[str, LineSource], now: Mapping[str, LineSource], today: date
) -> dict[str, LineSource]:
    """Both tables, without rows that no kept copy can have."""
    recent = {mark: row for mark, row in before.items() if today - row.day <= timedelta(days=KEPT_DAYS)}
    return recent | dict(now)


def format_sources(sources: Mapping[str, LineSource]) -> str:
    rows = sorted(sources.items())
    return "".join(f"{mark} {row.day.isoformat()} {' '.join(row.ids)}\n" for mark, row in rows)


def parse_sources(text: str) -> dict[str, LineSource]:
    """The rows of a file. Damaged rows are skipped: the next refresh writes them again."""
    sources: dict[str, LineSource] = {}
    for line in text.splitlines():
        mark, _, rest = line.partition(" ")
        day, _, ids = rest.partition(" ")
        try:
            sources[mark] = LineSource(date.fromisoformat(day), tuple(ids.split()))
        except ValueError:
            continue
    return sources


def read_sources(folder: JournalFolder) -> dict[str, LineSource]:
    """The sources of a journal's page; empty without a file."""
    place = folder.root / SOURCES
    if place.is_symlink() or place.parent.is_symlink() or not place.is_file():
        return {}
    return parse_sources(place.read_text("utf-8", "replace"))


def marks_of(sources: Mapping[str, LineSource], ids: Iterable[str]) -> frozenset[str]:
    """The marks of lines that come from one of these entries."""
    gone = set(ids)
    return frozenset(mark for mark, row in sources.items() if not gone.isdisjoint(row.ids))
