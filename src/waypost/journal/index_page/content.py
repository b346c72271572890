"""What the index page of a journal is made of."""

from dataclasses import dataclass, field
from datetime import date, datetime

from waypost.journal.layout import Month, Week
from waypost.model.journal import ScoredEntry


@dataclass(frozen=True, slots=True)
class SourcedLine:
    """A line with the entries that it comes from."""

    text: str
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecurringTopic:
    """What somebody keeps coming back to."""

    label: str
    since: date
    last: date
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Day:
    day: date
    path: str  # of the file that exists
    items: tuple[ScoredEntry, ...]


@dataclass(frozen=True, slots=True)
class Period:
    """A week, month or year with its summary."""

    span: Week | Month | int
    path: str
    lines: tuple[SourcedLine, ...] = ()  # what it was about


@dataclass(frozen=True, slots=True)
class JournalFigures:
    conversations: int = 0
    mean_length: float = 0.0
    busiest: tuple[int, int] | None = None
    topics: tuple[tuple[SourcedLine, float], ...] = ()  # with their shares
    sizes: tuple[tuple[str, int, int], ...] = ()  # stage, bytes, files


@dataclass(frozen=True, slots=True)
class CondenseState:
    last: datetime | None
    next: datetime
    removed: int = 0
    archived: int = 0
    created: int = 0


@dataclass(frozen=True, slots=True)
class IndexContent:
    """All that the page is made of. Times are local."""

    language: str
    now: datetime
    upkeep: CondenseState
    created: date | None = None
    preferences: tuple[SourcedLine, ...] = ()
    has_preferences: bool = False  # the file exists
    projects: tuple[RecurringTopic, ...] = ()
    days: tuple[Day, ...] = ()
    periods: tuple[Period, ...] = ()  # of all sorts
    figures: JournalFigures = field(default_factory=JournalFigures)
