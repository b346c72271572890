"""`context --preset journal`: files of the journal, as they help with a question.

Always the index, the preferences and the last three days. Then what the question names. Then the conversations that it may be
about, the days of the best ones, and the summaries of that time. All of it fenced, DNA.md before it, within half of the window
of the model that reads. The answer says what was loaded, and why.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from waypost.context.budget import CHARACTERS_PER_TOKEN
from waypost.context.render import Opening
from waypost.errors import InvalidInput, WaypostError
from waypost.flows.context.brief import Briefing, check_budget
from waypost.flows.context.dna import opening_of
from waypost.flows.context.journal_files import ChosenFiles, ChosenPart, choose_files
from waypost.flows.journal_files.log import note
from waypost.flows.journal_files.tally import entries_of
from waypost.flows.open_space import OpenSpace
from waypost.journal.coverage import CoverageIndex, last_day_of
from waypost.journal.files import JournalFolder
from waypost.journal.layout import ARCHIVE, INDEX, PREFERENCES, stage_of
from waypost.journal.readable import readable_entry, split_summary, without_marks
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
_ALWAYS = ((INDEX, "index"), (PREFERENCES, "preferences"))
_REACH = 3  # entries around one without a conversation


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
    index_text = _GAP.join(piece.text for piece in index)
    choice = choose_files(space, question, view, shelf, now=asked_at, today=today, index=index_text)
    opening, notices = opening_of(space, limit, characters_as_tokens)
    filled = _fill(pages, standard, choice.parts, opening, limit)
    text = opening.assembled(_GAP.join(filled.sections()))
    made = _briefing(text, filled, choice, limit, notices)
    note(space, "context_loaded", files=[file.path for file in made.loaded], total_tokens=made.tokens)
    return made


def characters_as_tokens(text: str) -> int:
    """Four characters are about a token."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def _standard(shelf: CoverageIndex, today: date) -> list[ChosenPart]:
    """What every question gets."""
    always = [ChosenPart(path, why) for path, why in _ALWAYS if path in shelf.paths]
    recent = (shelf.day(today - timedelta(days=back)) for back in range(RECENT_DAYS))
    return always + [ChosenPart(path, "recent") for paths in recent for path in paths]


class _Piece(NamedTuple):
    """An entry of a day, or a point of a summary."""

    text: str
    id: str | None = None
    session: str | None = None


class _Pages:
    """Files as they are read: taken apart where they can be cut, without marks, secrets and what is not held."""

    def __init__(self, space: OpenSpace, folder: JournalFolder, view: View) -> None:
        self._space, self._folder, self._view = space, folder, replace(view, collections=("journal",), archived=True)
        self._known: dict[str, list[_Piece]] = {}
        self.problems: list[str] = []

    def read(self, path: str) -> list[_Piece]:
        if path not in self._known:
            try:
                self._known[path] = self._entries(path) if is_day(path) else self._points(path)
            except WaypostError as error:  # damaged, or gone meanwhile
                self.problems.append(error.what)
                self._known[path] = []
        return self._known[path]

    def around(self, part: ChosenPart) -> list[int]:
        """The places in its file that a part has: all, or the conversation of its entry."""
        pieces = self.read(part.path)
        place = next((at for at, piece in enumerate(pieces) if piece.id == part.entry), None)
        if part.entry is None or place is None or not is_day(part.path):
            return list(range(len(pieces)))
        session = pieces[place].session
        if session is None:
            return list(range(max(0, place - _REACH), min(len(pieces), place + _REACH + 1)))
        return [at for at, piece in enumerate(pieces) if piece.session == session]

    def _points(self, path: str) -> list[_Piece]:
        return [_Piece(text) for text in split_summary(_clean(without_marks(self._folder.read(path))))]

    def _entries(self, path: str) -> list[_Piece]:
        """Entries that are still stored. Forgotten text that is in a file again is not shown."""
        entries, pieces = entries_of(self._space, path), []
        with self._space.store.read() as reader:
            placed = {place.place: place.memory_id for place in reader.journal.places(self._space.journal_id, [path])}
            texts = self._held(reader, placed.values())
        for place, entry in enumerate(entries):
            memory_id = placed.get(place, "")
            words = texts.get(memory_id)
            if words is not None:
                line = readable_entry(entry, self._folder.zone)
                # What is known word for word has passed the gateway: its secrets are masked.
                text = defuse(line) if words == entry.held else _clean(line)
                pieces.append(_Piece(text, memory_id, entry.session))
        return pieces

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
    """What was chosen of each file, within the budget."""

    pages: _Pages
    places: dict[str, list[int]] = field(default_factory=dict)  # by path, in order of the file
    why: dict[str, str] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    cut: list[str] = field(default_factory=list)

    def add(self, part: ChosenPart, room: int) -> int:
        """Add a part, or as much of it as fits. Returns the characters it took."""
        wanted = self.pages.around(part)
        taken = self.places.get(part.path, [])
        missing = [at for at in wanted if at not in taken]
        if not missing:
            return 0
        around = len(f"## {part.path}\n") + len(_GAP) + _ROOM_FOR_CUT if not taken else 0
        fitting = self._fitting(part, missing, room - around)
        if len(fitting) < len(missing) and part.entry is None:
            (self.cut if fitting or taken else self.left_out).append(part.path)
        if not fitting:
            return 0
        self.places[part.path] = sorted([*taken, *fitting])
        self.why.setdefault(part.path, part.why)
        pieces = self.pages.read(part.path)
        return around + sum(len(pieces[at].text) + len(_GAP) for at in fitting)

    def _fitting(self, part: ChosenPart, missing: list[int], room: int) -> list[int]:
        """The places that fit: of a conversation those next to its entry, of a day the last ones, of a page the first ones."""
        pieces = self.pages.read(part.path)
        order = missing
        if part.entry is not None:
            entry = next((at for at, piece in enumerate(pieces) if piece.id == part.entry), 0)
            order = sorted(missing, key=lambda at: abs(at - entry))
        elif is_day(part.path):
            order = missing[::-1]
        if sum(len(pieces[at].text) + len(_GAP) for at in order) > room or len(order) < len(pieces):
            room -= _ROOM_FOR_CUT
        fitting = []
        for at in order:
            room -= len(pieces[at].text) + len(_GAP)
            if room < 0:
                break
            fitting.append(at)
        return fitting

    def sections(self) -> list[str]:
        return [self.section(path) for path in self.order()]

    def section(self, path: str) -> str:
        pieces, places = self.pages.read(path), self.places[path]
        texts = [pieces[at].text for at in places]
        left = len(pieces) - len(places)
        if left and is_day(path):
            is_end = places == list(range(left, len(pieces)))
            mark = _CUT.format(count=left, what="entries, earlier," if is_end else "entries")
            texts = [mark, *texts] if is_end else [*texts, mark]
        elif left:
            texts.append(_CUT.format(count=left, what="lines or more"))
        return f"## {path}\n{_between(path).join(texts)}"

    def order(self) -> list[str]:
        """What every question gets, then the newest first."""
        always = [path for path, why in self.why.items() if why in ("index", "preferences", "recent")]
        others = [path for path in self.places if path not in always]
        return always + sorted(others, key=lambda path: last_day_of(path) or date.min, reverse=True)


def _between(path: str) -> str:
    return _GAP if is_day(path) else "\n"


def _fill(
    pages: _Pages, standard: Sequence[ChosenPart], chosen: Sequence[ChosenPart], opening: Opening, limit: int
) -> _Filled:
    """Parts in the order of their importance, as far as the budget reaches."""
    room = limit * CHARACTERS_PER_TOKEN - len(opening.assembled("" if opening.inside else "-")) - len(_GAP)
    filled = _Filled(pages)
    reserved = min(_needed(pages, standard, chosen), int(max(0, room) * FOR_CHOSEN))
    for part in standard:
        room -= filled.add(part, room - reserved)
    for part in chosen:
        room -= filled.add(part, room)
    return filled


def _needed(pages: _Pages, standard: Sequence[ChosenPart], chosen: Sequence[ChosenPart]) -> int:
    """The characters of what the question needs besides what every question gets."""
    places: dict[str, set[int]] = {}
    always = {part.path for part in standard}
    for part in chosen:
        if part.path not in always:
            places.setdefault(part.path, set()).update(pages.around(part))
    lengths = {path: [len(piece.text) + len(_GAP) for piece in pages.read(path)] for path in places}
    return sum(
        len(f"## {path}\n") + len(_GAP) + _ROOM_FOR_CUT + sum(lengths[path][at] for at in own)
        for path, own in places.items()
        if own
    )


def _briefing(text: str, filled: _Filled, choice: ChosenFiles, limit: int, notices: Sequence[str]) -> JournalBriefing:
    tokens = characters_as_tokens(text)
    loaded = tuple(
        Loaded(path, characters_as_tokens(filled.section(path)), filled.why[path]) for path in filled.order()
    )
    files = ", ".join(f"{file.path} ({file.why})" for file in loaded)
    parts = [f"Loaded in {tokens} of {limit} tokens: {files}." if files else "Nothing was loaded."]
    if filled.cut:
        parts.append(f"Cut to what fits: {', '.join(filled.cut)}.")
    if filled.left_out:
        parts.append(f"Left out for want of room: {', '.join(filled.left_out)}.")
    hits: tuple[Hit, ...] = tuple(choice.hits) if loaded else ()
    return JournalBriefing(
        text,
        tokens,
        hits,
        max((hit.score for hit in hits), default=0.0),
        " ".join((*parts, *notices, *choice.notices, *filled.pages.problems)),
        loaded,
    )
