"""Importance of entries on the day a step is due: the same for every run, however far it has come.

Importance may depend a little on which entries are scored together. So everything that the steps of one day need is
scored at once: the two weeks before it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta

from waypost.errors import WaypostError
from waypost.flows.journal.importance import scored
from waypost.flows.journal_files.tally import entries_of
from waypost.flows.open_space import OpenSpace
from waypost.journal.layout import stage_of
from waypost.journal.memory_page.tally import files_by_day
from waypost.journal.units import derived_id, unit_of
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
        self._tables.clear()

    def of(self, entries: Sequence[Entry], day: date, at: datetime) -> list[ScoredEntry]:
        """The importance of each entry as of that day, in the order given."""
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
        """The importance of entries of a longer time, scored by themselves."""
        scores = self._scored({name_of(entry): entry for entry in entries}, at)
        return [replace(scores[name_of(entry)], entry=entry) for entry in entries]

    def _table(self, day: date, at: datetime) -> dict[str, ScoredEntry]:
        if day not in self._tables:
            self._tables[day] = self._scored(self._said_before(day), at)
        return self._tables[day]

    def _scored(self, entries: dict[str, Entry], at: datetime) -> dict[str, ScoredEntry]:
        """Entries without an id are scored under their id in the index: each counts as one mention."""
        ordered = sorted(entries.items(), key=lambda item: (item[1].at, item[0]))
        renamed = [replace(entry, id=name) for name, entry in ordered]
        if not renamed:
            return {}
        scores = scored(self.space, renamed, at, llm=self.llm(), notices=self.notices)
        return {name: scored_entry for (name, _), scored_entry in zip(ordered, scores, strict=True)}

    def _said_before(self, day: date) -> dict[str, Entry]:
        first, last = day - timedelta(days=REACH), day - timedelta(days=1)
        entries_by_name: dict[str, Entry] = {}
        for about, paths in files_by_day(self.space.journal.scan()).items():
            if first <= about <= last:
                for entry in self._full(paths):
                    if entry.held is not None:
                        entries_by_name.setdefault(name_of(entry), entry)
        return entries_by_name

    def _full(self, paths: Sequence[str]) -> list[Entry]:
        """The live file's entries with full texts, then those that only the archive has."""
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
        except WaypostError:  # the step that needs it reports it
            return ()


def name_of(entry: Entry) -> str:
    """An entry's id; for an entry written by hand, the id that follows from its text and time."""
    return entry.id or derived_id(unit_of(entry), "", 0)


def _is_in(table: dict[str, ScoredEntry], name: str, entry: Entry) -> bool:
    return entry.held is None or (name in table and table[name].entry.held == entry.held)
