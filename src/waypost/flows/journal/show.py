"""Show a file of the journal."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from waypost.errors import InvalidInput, NotFound
from waypost.flows.journal.search import search_journal
from waypost.flows.journal.timeline import parse_span
from waypost.flows.journal_files.pages import best_first
from waypost.flows.open_space import OpenSpace
from waypost.flows.recall.search import recall
from waypost.journal import layout
from waypost.journal.files import JournalFolder
from waypost.model.ids import check_id
from waypost.model.recall import View
from waypost.model.time import Moment

_SURE = 0.5  # a recall score from which words identify an entry


@dataclass(frozen=True, slots=True)
class ShownFile:
    path: str
    text: str
    archived: bool = False

    def to_json(self) -> dict[str, Any]:
        return {"path": self.path, "text": self.text, "archived": self.archived}


def show(space: OpenSpace, what: str = "") -> ShownFile:
    """A day, week, month or year by name or in words; an entry by id; a file by path. Today by default."""
    folder = space.journal
    for path in _paths(space, what.strip()):
        parts = _parts(folder, path)
        if parts:
            text = "\n".join(folder.read(part) for part in parts)
            return ShownFile(parts[0], text, archived=layout.stage_of(path).startswith("archive"))
    raise NotFound(
        f"The journal has nothing of {what.strip() or 'today'}.", "`waypost journal timeline` shows what there is."
    )


def _parts(folder: JournalFolder, path: str) -> list[str]:
    """The file, or all files of its day: each branch writes its own."""
    own = [path] if folder.exists(path) else []
    day, stage = layout.day_of(path), layout.stage_of(path)
    if day is None or path != f"{stage}/{day.isoformat()}.md":
        return own
    scanned = folder.scan(archive=stage.startswith("archive"))
    return own + [
        other for other in scanned if other != path and layout.stage_of(other) == stage and layout.day_of(other) == day
    ]


def _paths(space: OpenSpace, what: str) -> list[str]:
    folder = space.journal
    if not what:
        return [layout.day_path(folder.today(space.clock()))]
    if what.removesuffix(".gz").endswith(".md"):
        return [what.removesuffix(".gz")]
    try:
        return _places(space, check_id(what))
    except InvalidInput:
        return [
            candidate
            for path in _paths_of_span(*parse_span(space, what))
            for candidate in (path, layout.archived_path(path))
        ]


def _paths_of_span(first: date, last: date) -> list[str]:
    if first == last:
        return [layout.day_path(first)]
    if layout.Week.of(first) == layout.Week.of(last):
        return [layout.week_path(layout.Week.of(first))]
    if (first.year, first.month) == (last.year, last.month):
        return [layout.month_path(layout.Month(first.year, first.month))]
    return [layout.year_path(first.year)] if first.year == last.year else []


def _places(space: OpenSpace, memory_id: str) -> list[str]:
    with space.store.read() as reader:
        paths = [place.path for journal, place in reader.journal.places_of([memory_id]) if journal == space.journal_id]
    return best_first(paths)


def find_entry_id(space: OpenSpace, what: str) -> str:
    """The id of an entry: given, or of the only entry with these words, or of the best match."""
    try:
        return check_id(what)
    except InvalidInput:
        pass
    holding = {line.id for line in search_journal(space, what, limit=50) if line.id is not None}
    if len(holding) == 1:
        return holding.pop()
    view = View(Moment(space.clock()), ("journal",), space.identity.checkout_id)
    hits = [hit for hit in recall(space, what, view, k=5).hits if not holding or hit.id in holding]
    if hits and hits[0].score >= _SURE:
        return hits[0].id
    raise NotFound(f"No journal entry clearly matches {what[:60]!r}.", "Give its id: `waypost journal search`.")
