"""The content of a journal's index page."""

from dataclasses import dataclass, field
from datetime import date, datetime

from waypost.journal.layout import Month, Week
from waypost.model.journal import ScoredEntry


@dataclass(frozen=True, slots=True)
class SourcedLine:
    """A line with the ids of its source entries."""

    text: str
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PersonLine:
    """A fact about the person: the key of its label, its text with the source, its day, and the latest about it."""

    slot: str
    line: SourcedLine
    day: date | None = None
    path: str = ""
    latest: "PersonLine | None" = None


@dataclass(frozen=True, slots=True)
class RecurringTopic:
    """A topic that keeps coming back, and how it stands."""

    label: str
    since: date
    last: date
    ids: tuple[str, ...]
    latest: PersonLine | None = None


@dataclass(frozen=True, slots=True)
class Day:
    day: date
    path: str  # of an existing file
    items: tuple[ScoredEntry, ...]


@dataclass(frozen=True, slots=True)
class Period:
    """A week, month or year with its summary."""

    span: Week | Month | int
    path: str
    lines: tuple[SourcedLine, ...] = ()  # what the period was about


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
    """Everything on the page. Times are local."""

    language: str
    now: datetime
    condensing: CondenseState
    created: date | None = None
    person: tuple[PersonLine, ...] = ()  # by slot
    ongoing: tuple[PersonLine, ...] = ()  # what happened and is due, newest first
    preferences: tuple[PersonLine, ...] = ()
    milestones: tuple[PersonLine, ...] = ()  # what happened and matters for good, newest first
    has_preferences: bool = False  # the file exists
    projects: tuple[RecurringTopic, ...] = ()
    days: tuple[Day, ...] = ()
    periods: tuple[Period, ...] = ()  # weeks, months and years
    figures: JournalFigures = field(default_factory=JournalFigures)
