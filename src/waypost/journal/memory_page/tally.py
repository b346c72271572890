"""Figures about a journal, per file and in total. Session and speaker names are stored only as short marks."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Self, TypeVar

from waypost.journal.layout import ARCHIVE, day_of, stage_of
from waypost.model.journal import Entry, mark_of

Name = TypeVar("Name", int, str)
BUSY_SPAN = 3  # hours of the span that is reported as the busiest


@dataclass(frozen=True, slots=True)
class Tally:
    """Figures of one file or of many."""

    entries: int = 0
    conversations: int = 0  # entries of this kind
    characters: int = 0
    protected: int = 0
    sessions: frozenset[str] = frozenset()  # marks
    speakers: frozenset[str] = frozenset()
    hours: Counter[int] = field(default_factory=Counter)
    scores: Counter[int] = field(default_factory=Counter)  # importance, as in the file
    kinds: Counter[str] = field(default_factory=Counter)
    first: date | None = None
    last: date | None = None

    @classmethod
    def of(cls, entries: Sequence[Entry], day: date | None = None) -> Self:
        """Hours are local to where something was said."""
        days = [day] if day is not None and entries else [entry.at.date() for entry in entries]
        spoken = [entry for entry in entries if entry.kind == "conversation"]
        sessions = {entry.session or str(entry.at.date()) for entry in spoken}  # without a name: one per day
        return cls(
            entries=len(entries),
            conversations=len(spoken),
            characters=sum(len(entry.text) for entry in entries),
            protected=sum(entry.protected for entry in entries),
            sessions=frozenset(mark_of(session) for session in sessions),
            speakers=frozenset(mark_of(entry.speaker) for entry in entries if entry.speaker),
            hours=Counter(entry.at.hour for entry in spoken),
            scores=Counter(entry.importance for entry in entries if entry.importance is not None),
            kinds=Counter(entry.kind for entry in entries),
            first=min(days, default=None),
            last=max(days, default=None),
        )

    @property
    def mean_length(self) -> float:
        """Entries per conversation."""
        return self.conversations / len(self.sessions) if self.sessions else 0.0

    @property
    def mean_importance(self) -> float:
        return sum(score * count for score, count in self.scores.items()) / (self.scores.total() or 1)

    @property
    def busiest(self) -> tuple[int, int] | None:
        """The span of hours in which most was said, or None without entries."""
        if not self.hours:
            return None
        starts = range(24 - BUSY_SPAN + 1)
        start = max(starts, key=lambda hour: (sum(self.hours[hour + more] for more in range(BUSY_SPAN)), -hour))
        return start, start + BUSY_SPAN

    def to_json(self) -> dict[str, Any]:
        """The form in which figures are stored between runs."""
        return {
            "n": [self.entries, self.conversations, self.characters, self.protected],
            "sessions": sorted(self.sessions),
            "speakers": sorted(self.speakers),
            "hours": sorted(self.hours.items()),
            "scores": sorted(self.scores.items()),
            "kinds": sorted(self.kinds.items()),
            "days": [day.isoformat() if day else None for day in (self.first, self.last)],
        }

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> Self:
        first, last = (date.fromisoformat(day) if day else None for day in row["days"])
        entries, conversations, characters, protected = row["n"]
        return cls(
            entries,
            conversations,
            characters,
            protected,
            frozenset(row["sessions"]),
            frozenset(row["speakers"]),
            Counter(dict(row["hours"])),
            Counter(dict(row["scores"])),
            Counter(dict(row["kinds"])),
            first,
            last,
        )


def total(tallies: Iterable[Tally]) -> Tally:
    """The sum of all figures. A session that spans several files counts once."""
    rows = list(tallies)
    return Tally(
        entries=sum(row.entries for row in rows),
        conversations=sum(row.conversations for row in rows),
        characters=sum(row.characters for row in rows),
        protected=sum(row.protected for row in rows),
        sessions=frozenset().union(*(row.sessions for row in rows)),
        speakers=frozenset().union(*(row.speakers for row in rows)),
        hours=_sum(row.hours for row in rows),
        scores=_sum(row.scores for row in rows),
        kinds=_sum(row.kinds for row in rows),
        first=min((row.first for row in rows if row.first), default=None),
        last=max((row.last for row in rows if row.last), default=None),
    )


def files_by_day(paths: Iterable[str]) -> dict[date, tuple[str, ...]]:
    """The files of each day, the archive first: shortening a day puts its original there."""
    files: dict[date, list[str]] = {}
    for path in sorted(paths):  # archive/… stands before daily/…
        day = day_of(path)
        if day is not None and stage_of(path) in (f"{ARCHIVE}/daily", "daily"):
            files.setdefault(day, []).append(path)
    return {day: tuple(paths_of_day) for day, paths_of_day in sorted(files.items())}


def merge_entries(pages: Iterable[Iterable[Entry]]) -> tuple[Entry, ...]:
    """The entries of several files of one day in time order, each once."""
    entries: dict[str, Entry] = {}
    for page in pages:
        for entry in page:
            entries.setdefault(entry_key(entry), entry)
    return tuple(sorted(entries.values(), key=lambda entry: entry.at))


def entry_key(entry: Entry) -> str:
    """The key that identifies the same entry in other files."""
    return entry.id or f"{entry.at.isoformat()} {mark_of(entry.text)}"


def with_full_text(entry: Entry, original: Entry | None) -> Entry:
    """The entry with its full text, if it was shortened and nobody edited it since."""
    if original is None or entry.trimmed is None or entry.is_edited:
        return entry
    return replace(entry, text=original.text, trimmed=None)


def _sum(counters: "Iterable[Counter[Name]]") -> "Counter[Name]":
    counts: Counter[Name] = Counter()
    for counter in counters:
        counts.update(counter)
    return counts
