"""Counting a journal: numbers of each file, added up. Names of sessions and speakers are kept as short marks only."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Self, TypeVar

from waypost.journal.layout import ARCHIVE, day_of, stage_of
from waypost.model.journal import Entry, mark_of

Name = TypeVar("Name", int, str)
BUSY_SPAN = 3  # hours: the busiest time of a day is told as a span of these


@dataclass(frozen=True, slots=True)
class Tally:
    """What there is in one file, or in many."""

    entries: int = 0
    conversations: int = 0  # entries of that kind
    characters: int = 0
    protected: int = 0
    sessions: frozenset[str] = frozenset()  # marks
    speakers: frozenset[str] = frozenset()
    hours: Counter[int] = field(default_factory=Counter)
    scores: Counter[int] = field(default_factory=Counter)  # importance, as the file says it
    kinds: Counter[str] = field(default_factory=Counter)
    first: date | None = None
    last: date | None = None

    @classmethod
    def of(cls, entries: Sequence[Entry], day: date | None = None) -> Self:
        """Hours are those of the place where it was said."""
        days = [day] if day is not None and entries else [entry.at.date() for entry in entries]
        return cls(
            entries=len(entries),
            conversations=sum(entry.kind == "conversation" for entry in entries),
            characters=sum(len(entry.text) for entry in entries),
            protected=sum(entry.protected for entry in entries),
            sessions=frozenset(mark_of(_session(entry)) for entry in entries if entry.kind == "conversation"),
            speakers=frozenset(mark_of(entry.speaker) for entry in entries if entry.speaker),
            hours=Counter(entry.at.hour for entry in entries if entry.kind == "conversation"),
            scores=Counter(entry.importance for entry in entries if entry.importance is not None),
            kinds=Counter(entry.kind for entry in entries),
            first=min(days, default=None),
            last=max(days, default=None),
        )

    @property
    def mean_length(self) -> float:
        """Entries of a conversation."""
        return self.conversations / len(self.sessions) if self.sessions else 0.0

    @property
    def mean_importance(self) -> float:
        return sum(score * count for score, count in self.scores.items()) / (self.scores.total() or 1)

    @property
    def busiest(self) -> tuple[int, int] | None:
        """The hours between which most was said; None while nothing was."""
        if not self.hours:
            return None
        starts = range(24 - BUSY_SPAN + 1)
        start = max(starts, key=lambda hour: (sum(self.hours[hour + more] for more in range(BUSY_SPAN)), -hour))
        return start, start + BUSY_SPAN

    def to_json(self) -> dict[str, Any]:
        """As it is kept between two looks."""
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
    """All of them together. A session that went on over several files is one."""
    each = list(tallies)
    return Tally(
        entries=sum(one.entries for one in each),
        conversations=sum(one.conversations for one in each),
        characters=sum(one.characters for one in each),
        protected=sum(one.protected for one in each),
        sessions=frozenset().union(*(one.sessions for one in each)),
        speakers=frozenset().union(*(one.speakers for one in each)),
        hours=_added(one.hours for one in each),
        scores=_added(one.scores for one in each),
        kinds=_added(one.kinds for one in each),
        first=min((one.first for one in each if one.first), default=None),
        last=max((one.last for one in each if one.last), default=None),
    )


def days_of(paths: Iterable[str]) -> dict[date, tuple[str, ...]]:
    """The files that hold words of each day, in order: the archive first, since shortening a day puts its original there."""
    found: dict[date, list[str]] = {}
    for path in sorted(paths):  # archive/… stands before daily/…
        day = day_of(path)
        if day is not None and stage_of(path) in (f"{ARCHIVE}/daily", "daily"):
            found.setdefault(day, []).append(path)
    return {day: tuple(each) for day, each in sorted(found.items())}


def joined(pages: Iterable[Iterable[Entry]]) -> tuple[Entry, ...]:
    """The entries of several files of one day in the order of time, each once."""
    found: dict[str, Entry] = {}
    for page in pages:
        for entry in page:
            found.setdefault(key_of(entry), entry)
    return tuple(sorted(found.values(), key=lambda entry: entry.at))


def key_of(entry: Entry) -> str:
    """By what the same entry is known in another file."""
    return entry.id or f"{entry.at.isoformat()} {mark_of(entry.text)}"


def with_words_of(entry: Entry, original: Entry | None) -> Entry:
    """The entry with its full words, if it was shortened and nobody has changed by hand what was left."""
    if original is None or entry.trimmed is None or entry.is_edited:
        return entry
    return replace(entry, text=original.text, trimmed=None)


def _session(entry: Entry) -> str:
    """Conversations without a name are one for each day."""
    return entry.session or entry.at.date().isoformat()


def _added(counters: "Iterable[Counter[Name]]") -> "Counter[Name]":
    added: Counter[Name] = Counter()
    for counter in counters:
        added.update(counter)
    return added
