"""What entries are worth on the day on which a step falls due: the same whoever asks, and however far a run has come.

What an entry is worth may depend a little on what is asked about together. So all that the steps of one day need is asked at
once: what was said in the two weeks before it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta

from waypost.errors import WaypostError
from waypost.flows.journal.files.units import derived_id, unit_of
from waypost.flows.journal.importance import scored
from waypost.flows.journal.tally import entries_of
from waypost.flows.open_space import OpenSpace
from waypost.journal.index_page.tally import files_by_day
from waypost.journal.layout import stage_of
from waypost.llm.protocol import Llm
from waypost.model.journal import Entry, Score, ScoredEntry

REACH = 13  # days back to the Monday of a week whose Sunday joins today
_NOTHING = Score(0, 0, 0, 0, "It does not hold any more (0).", "")


@dataclass(slots=True)
class EntryScores:
    space: OpenSpace
    notices: list[str]
    llm: Callable[[], Llm | None]
    _tables: dict[date, dict[str, ScoredEntry]] = field(default_factory=dict)

    def forget(self) -> None:
        """The files have changed."""
        self._tables.clear()

    def of(self, entries: Sequence[Entry], day: date, at: datetime) -> list[ScoredEntry]:
        """The worth of each as of that day, in the order given."""
        table = self._table(day, at)
        names = [name_of(entry) for entry in entries]
        if not all(_is_in(table, name, entry) for name, entry in zip(names, entries, strict=True)):
            holding = {name: entry for name, entry in zip(names, entries, strict=True) if entry.held is not None}
            table = self._scored(holding, at)
        return [
            replace(table[name], entry=entry) if entry.held is not None else ScoredEntry(entry, _NOTHING)
            for name, entry in zip(names, entries, strict=True)
        ]

    def alone(self, entries: Sequence[Entry], at: datetime) -> list[ScoredEntry]:
        """The worth of the entries of a longer time, which are asked about by themselves."""
        found = self._scored({name_of(entry): entry for entry in entries}, at)
        return [replace(found[name_of(entry)], entry=entry) for entry in entries]

    def _table(self, day: date, at: datetime) -> dict[str, ScoredEntry]:
        if day not in self._tables:
            self._tables[day] = self._scored(self._said_before(day), at)
        return self._tables[day]

    def _scored(self, entries: dict[str, Entry], at: datetime) -> dict[str, ScoredEntry]:
        """What was written without an id is asked about by the one that the index has for it: it is one mention."""
        ordered = sorted(entries.items(), key=lambda item: (item[1].at, item[0]))
        asked = [replace(entry, id=name) for name, entry in ordered]
        if not asked:
            return {}
        found = scored(self.space, asked, at, llm=self.llm(), notices=self.notices)
        return {name: one for (name, _), one in zip(ordered, found, strict=True)}

    def _said_before(self, day: date) -> dict[str, Entry]:
        """All that holds of the days before, in full words."""
        first, last = day - timedelta(days=REACH), day - timedelta(days=1)
        found: dict[str, Entry] = {}
        for about, paths in files_by_day(self.space.journal.scan()).items():
            if first <= about <= last:
                for entry in self._full(paths):
                    if entry.held is not None:
                        found.setdefault(name_of(entry), entry)
        return found

    def _full(self, paths: Sequence[str]) -> list[Entry]:
        """The live file's entries with their full words; then what only the archive has."""
        live = [entry for path in paths if stage_of(path) == "daily" for entry in self._read(path)]
        kept = [entry for path in paths if stage_of(path) != "daily" for entry in self._read(path)]
        words = {entry.id: entry.text for entry in kept if entry.id}
        full = [
            replace(entry, text=words[entry.id], trimmed=None)
            if entry.trimmed and not entry.is_edited and entry.id in words
            else entry
            for entry in live
        ]
        return [*full, *kept]

    def _read(self, path: str) -> Sequence[Entry]:
        try:
            return entries_of(self.space, path)
        except WaypostError:  # the step that needs it will say so
            return ()


def name_of(entry: Entry) -> str:
    """Its id; of what was written by hand, the one that follows from its words and time."""
    return entry.id or derived_id(unit_of(entry), "", 0)


def _is_in(table: dict[str, ScoredEntry], name: str, entry: Entry) -> bool:
    return entry.held is None or (name in table and table[name].entry.held == entry.held)
