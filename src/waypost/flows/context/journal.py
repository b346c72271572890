"""`context --preset journal`: files of the journal, as they help with a question.

Always the index, the preferences and the last three days; then what the question names or is about, the newest first. All of it
fenced, DNA.md before it, within half of the window of the model that reads. The answer says what was loaded, and why.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any

from waypost.context.budget import CHARACTERS_PER_TOKEN
from waypost.context.render import Opening
from waypost.errors import InvalidInput, WaypostError
from waypost.flows.context.brief import Briefing, check_budget
from waypost.flows.context.dna import opening_of
from waypost.flows.context.journal_files import ChosenFiles, choose_files
from waypost.flows.journal_files.log import note
from waypost.flows.journal_files.tally import entries_of
from waypost.flows.open_space import OpenSpace
from waypost.journal.coverage import CoverageIndex, last_day_of
from waypost.journal.files import JournalFolder
from waypost.journal.layout import ARCHIVE, INDEX, PREFERENCES, stage_of
from waypost.journal.readable import cut_to, readable_entry, split_summary, without_marks
from waypost.model.draft import check_text
from waypost.model.recall import Hit, View
from waypost.store.protocol import Reader
from waypost.text.fence import defuse
from waypost.text.secrets.masking import mask

RECENT_DAYS = 3
FOR_CHOSEN = 0.5  # of the budget is kept for what the question needs, where the last days are long
_GAP = "\n\n"
_CUT = "[… {count} more {what} in this file]"
_ROOM_FOR_CUT = 60  # characters


@dataclass(frozen=True, slots=True)
class Loaded:
    path: str
    tokens: int
    why: str

    def to_json(self) -> dict[str, Any]:
        return {"path": self.path, "tokens": self.tokens, "why": self.why}


@dataclass(frozen=True, slots=True)
class JournalBriefing(Briefing):
    loaded: tuple[Loaded, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return Briefing.to_json(self) | {"loaded": [file.to_json() for file in self.loaded]}


def journal_brief(
    space: OpenSpace, question: str, view: View, *, tokens: int | None = None, now: datetime | None = None
) -> JournalBriefing:
    """What the journal's files say that helps with a question. The index is up to the files (`journal_look`)."""
    limit = space.settings.journal.context_window // 2 if tokens is None else tokens
    check_budget(limit)
    question = check_text(question, "question")
    if view.moment.explicit or view.moment.known_at is not None:
        raise InvalidInput(
            "Files of the journal say what holds now.", "Ask without as_of and known_at, or without the preset."
        )
    folder, asked_at = space.journal, now or space.clock()
    today = folder.today(asked_at)
    with space.store.read() as reader:
        shelf = CoverageIndex(frozenset(reader.journal.files(space.journal_id)))
    pages = _Pages(space, folder, view)
    standard = _standard(shelf, today)
    index = pages.read(INDEX) if INDEX in shelf.paths else []
    choice = choose_files(space, question, view, shelf, now=asked_at, today=today, index=_GAP.join(index))
    opening, notices = opening_of(space, limit, characters_as_tokens)
    filled = _fill(pages, standard, _newest_first(choice, standard), opening, limit)
    text = opening.assembled(_GAP.join(filled.sections))
    made = _briefing(text, filled, choice, limit, notices)
    note(space, "context_loaded", files=[file.path for file in made.loaded], total_tokens=made.tokens)
    return made


def characters_as_tokens(text: str) -> int:
    """Four characters are about a token."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def _standard(shelf: CoverageIndex, today: date) -> dict[str, str]:
    """What every question gets."""
    always = {path: why for path, why in ((INDEX, "index"), (PREFERENCES, "preferences")) if path in shelf.paths}
    recent = (shelf.day(today - timedelta(days=back)) for back in range(RECENT_DAYS))
    return always | {path: "recent" for paths in recent for path in paths}


def _newest_first(choice: ChosenFiles, standard: dict[str, str]) -> dict[str, str]:
    chosen = [path for path in choice.files if path not in standard]
    chosen.sort(key=lambda path: last_day_of(path) or date.min, reverse=True)
    return {path: choice.files[path] for path in chosen}


class _Pages:
    """Files as they are read: taken apart where they can be cut, without marks, secrets and what is not held."""

    def __init__(self, space: OpenSpace, folder: JournalFolder, view: View) -> None:
        self._space, self._folder, self._view = space, folder, replace(view, collections=("journal",), archived=True)
        self._known: dict[str, list[str]] = {}
        self.problems: list[str] = []

    def read(self, path: str) -> list[str]:
        if path not in self._known:
            try:
                self._known[path] = self._entries(path) if is_day(path) else self._points(path)
            except WaypostError as error:  # damaged, or gone meanwhile
                self.problems.append(error.what)
                self._known[path] = []
        return self._known[path]

    def _points(self, path: str) -> list[str]:
        return split_summary(_clean(without_marks(self._folder.read(path))))

    def _entries(self, path: str) -> list[str]:
        """Entries that are still stored. Forgotten text that is in a file again is not shown."""
        entries, lines = entries_of(self._space, path), []
        with self._space.store.read() as reader:
            placed = {place.place: place.memory_id for place in reader.journal.places(self._space.journal_id, [path])}
            texts = self._held(reader, placed.values())
        for place, entry in enumerate(entries):
            words = texts.get(placed.get(place, ""))
            if words is not None:
                line = readable_entry(entry, self._folder.zone)
                # What is known word for word has passed the gateway: its secrets are masked.
                lines.append(defuse(line) if words == entry.held else _clean(line))
        return lines

    def _held(self, reader: Reader, wanted: Iterable[str]) -> dict[str, str]:
        """The words of those that are held, by id."""
        ids = set(wanted)
        numbers = [turn.number for turn in reader.memories.neighbours(ids, 0, self._view) if turn.memory_id in ids]
        texts = {version.memory_id: version.text for version in reader.memories.by_number(numbers).values()}
        for memory_id in ids - texts.keys():  # notes are in no session
            texts |= {
                version.memory_id: version.text
                for version in reader.memories.versions(memory_id)
                if version.superseded_at is None
            }
        return texts


def is_day(path: str) -> bool:
    return stage_of(path) in ("daily", f"{ARCHIVE}/daily")


def _clean(text: str) -> str:
    plain = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return defuse(mask(plain).text)


@dataclass(slots=True)
class _Filled:
    sections: list[str]
    loaded: list[Loaded]
    left_out: list[str]
    cut: list[str]
    problems: list[str]


def _fill(pages: _Pages, standard: dict[str, str], chosen: dict[str, str], opening: Opening, limit: int) -> _Filled:
    """Files in their order, as far as the budget reaches; one that does not fit is cut at its entries, or left out."""
    room = limit * CHARACTERS_PER_TOKEN - len(opening.assembled("" if opening.inside else "-")) - len(_GAP)
    needed = sum(_length(path, pages.read(path)) for path in chosen)
    kept_for_chosen = min(needed, int(max(0, room) * FOR_CHOSEN))
    filled = _Filled([], [], [], [], pages.problems)
    room -= _load(pages, standard, room - kept_for_chosen, filled)
    _load(pages, chosen, room, filled)
    return filled


def _load(pages: _Pages, files: dict[str, str], room: int, filled: _Filled) -> int:
    """Load files into so many characters; the answer says how many were taken."""
    start = room
    for path, why in files.items():
        pieces = pages.read(path)
        if not pieces:
            continue
        section = _section(path, pieces)
        if len(section) + len(_GAP) > room:
            section = _cut_section(path, pieces, room - len(_GAP))
            (filled.cut if section else filled.left_out).append(path)
        if section:
            filled.sections.append(section)
            filled.loaded.append(Loaded(path, characters_as_tokens(section), why))
            room -= len(section) + len(_GAP)
    return start - room


def _section(path: str, pieces: Sequence[str]) -> str:
    return f"## {path}\n{_between(path).join(pieces)}"


def _length(path: str, pieces: Sequence[str]) -> int:
    return len(_section(path, pieces)) + len(_GAP) if pieces else 0


def _between(path: str) -> str:
    return _GAP if is_day(path) else "\n"


def _cut_section(path: str, pieces: Sequence[str], room: int) -> str:
    """The last entries of a day, the beginning of any other page; empty where not even one fits."""
    day = is_day(path)
    kept, left = cut_to(pieces, room - len(path) - _ROOM_FOR_CUT, _between(path), from_end=day)
    if not kept:
        return ""
    what = "entries, earlier," if day else "lines or more"
    mark = _CUT.format(count=left, what=what)
    return _section(path, [mark, *kept] if day else [*kept, mark])


def _briefing(text: str, filled: _Filled, choice: ChosenFiles, limit: int, notices: Sequence[str]) -> JournalBriefing:
    tokens = characters_as_tokens(text)
    files = ", ".join(f"{file.path} ({file.why})" for file in filled.loaded)
    parts = [f"Loaded in {tokens} of {limit} tokens: {files}." if files else "Nothing was loaded."]
    if filled.cut:
        parts.append(f"Cut to what fits: {', '.join(filled.cut)}.")
    if filled.left_out:
        parts.append(f"Left out for want of room: {', '.join(filled.left_out)}.")
    loaded = {file.path for file in filled.loaded}
    hits: tuple[Hit, ...] = tuple(choice.hits) if loaded else ()
    return JournalBriefing(
        text,
        tokens,
        hits,
        max((hit.score for hit in hits), default=0.0),
        " ".join((*parts, *notices, *choice.notices, *filled.problems)),
        tuple(filled.loaded),
    )
