"""What a plan of condensing is made from and of: files as it sees them, limits, and steps."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TypeVar

from waypost.journal import layout
from waypost.journal.layout import Month, Week

# The archive's days may take this much uncompressed. Ninety days of ten conversations would be 1.8 MB, when a year of them
# is to take 2.7 MB altogether.
PLAIN_ARCHIVE = 64 * 1024
MEGABYTE = 1024 * 1024
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class File:
    """What the plan needs to know of a file of the journal."""

    size: int
    gzipped: bool = False
    is_closed: bool = False  # held by a person, in conflict, or unreadable: nothing may be done with it
    scored: date | None = None  # of a day: trimmed, and its importance as of this day, and nobody has changed it since


@dataclass(frozen=True, slots=True)
class SizeLimits:
    """In bytes. Passing one brings the weekly summary early."""

    file: int = 5 * MEGABYTE
    daily: int = 20 * MEGABYTE
    total: int = 100 * MEGABYTE
    plain_archive: int = PLAIN_ARCHIVE


@dataclass(frozen=True, slots=True)
class Passed:
    """A limit that is passed: by a file, by the folder of the days, or by all."""

    folder: str
    size: int
    limit: int


@dataclass(frozen=True, slots=True)
class Trim:
    """Shorten the answers of a day that are worth little, and write the worth of each entry into its heading."""

    due: date
    day: date
    path: str


@dataclass(frozen=True, slots=True)
class Rescore:
    """What comes up again rises: the worth of the entries of the days that are still whole, as of today."""

    due: date
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Join:
    """Make the summary of a week from the days that joined it before and these, which leave for the archive."""

    due: date
    week: Week
    paths: tuple[str, ...]
    passed: Passed | None = None  # the limit for which it comes early


@dataclass(frozen=True, slots=True)
class MakeMonth:
    due: date
    month: Month
    weeks: tuple[Week, ...]  # whose files leave for the archive


@dataclass(frozen=True, slots=True)
class MakeYear:
    due: date
    year: int
    months: tuple[Month, ...]  # whose files leave for the archive


@dataclass(frozen=True, slots=True)
class Compress:
    due: date
    path: str


Step = Trim | Join | MakeMonth | MakeYear | Compress | Rescore


# -- what files are about


def archive_of(live: str) -> str:
    """Where the original of a live file is kept: one place for a day, however its file is spelled."""
    day = in_stage(live, "daily", layout.day_of)
    return layout.archived_path(layout.day_path(day) if day else live)


def joined_days(files: Iterable[str], week: Week) -> dict[date, str]:
    """The days of a week whose only file is the one in the archive."""
    paths = set(files)
    live = {day for path in paths if layout.stage_of(path) == "daily" and (day := layout.day_of(path))}
    days = [week.first + timedelta(days=number) for number in range(7)]
    archived = {day: layout.archived_path(layout.day_path(day)) for day in days}
    return {day: path for day, path in archived.items() if path in paths and day not in live}


def end_of(path: str) -> date | None:
    """The last day that an archived file is about."""
    if day := in_stage(path, "archive/daily", layout.day_of):
        return day
    if week := in_stage(path, "archive/weekly", layout.week_of):
        return week.first + timedelta(days=6) if week.year < date.max.year else None
    if month := in_stage(path, "archive/monthly", layout.month_of):
        after = date(month.year + month.number // 12, month.number % 12 + 1, 1) if month.year < date.max.year else None
        return after - timedelta(days=1) if after else None
    return None


def is_closed_at(files: Mapping[str, File], path: str) -> bool:
    return path in files and files[path].is_closed


def in_stage(path: str, stage: str, read: Callable[[str], T | None]) -> T | None:
    """What a file is about, if it stands in this folder."""
    return read(path) if layout.stage_of(path) == stage else None


def open_in(files: Mapping[str, File], stage: str, read: Callable[[str], T | None]) -> dict[str, T]:
    """The files of a folder that may be touched, and what each is about."""
    return {
        path: about
        for path, file in files.items()
        if not file.is_closed and (about := in_stage(path, stage, read)) is not None
    }
