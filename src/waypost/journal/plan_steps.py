"""The steps of a condensing plan, and the files and limits it works with."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TypeVar

from waypost.journal import layout
from waypost.journal.layout import Month, Week

# Size limit of the archive's uncompressed days. Ninety days with ten conversations each would take 1.8 MB,
# while a whole year must fit into 2.7 MB.
PLAIN_ARCHIVE = 64 * 1024
MEGABYTE = 1024 * 1024
Period = TypeVar("Period")


@dataclass(frozen=True, slots=True)
class File:
    """A journal file as the plan sees it."""

    size: int
    gzipped: bool = False
    is_closed: bool = False  # on hold, in conflict or unreadable: must not be touched
    scored: date | None = None  # the day for which a trimmed day was last scored, if nobody changed it since


Files = Mapping[str, File]  # by path


@dataclass(frozen=True, slots=True)
class SizeLimits:
    """Limits in bytes. Exceeding one brings the weekly summary early."""

    file: int = 5 * MEGABYTE
    daily: int = 20 * MEGABYTE
    total: int = 100 * MEGABYTE
    plain_archive: int = PLAIN_ARCHIVE


@dataclass(frozen=True, slots=True)
class ExceededLimit:
    """A limit that a file, the folder of days, or the whole journal exceeds."""

    folder: str
    size: int
    limit: int


@dataclass(frozen=True, slots=True)
class Trim:
    """Shorten a day's unimportant answers, and write each entry's importance into its heading."""

    due: date
    day: date
    path: str


@dataclass(frozen=True, slots=True)
class Rescore:
    """Update the importance of entries in the days that are still whole. Topics that return become more important."""

    due: date
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Join:
    """Make a week's summary from its joined days and these, which move to the archive."""

    due: date
    week: Week
    paths: tuple[str, ...]
    passed: ExceededLimit | None = None  # the limit that makes it early


@dataclass(frozen=True, slots=True)
class MakeMonth:
    due: date
    month: Month
    weeks: tuple[Week, ...]  # their files move to the archive
    days: tuple[str, ...] = ()  # of a month without weeks: its only days, which are in weeks of other months


@dataclass(frozen=True, slots=True)
class MakeYear:
    due: date
    year: int
    months: tuple[Month, ...]  # their files move to the archive


@dataclass(frozen=True, slots=True)
class Compress:
    """Put originals of a month into its bundle."""

    due: date
    paths: tuple[str, ...]


Step = Trim | Join | MakeMonth | MakeYear | Compress | Rescore


# -- what files cover


def archive_of(live: str) -> str:
    """Path of a live file's original: one per day, however the file is spelled."""
    day = in_stage(live, "daily", layout.day_of)
    return layout.archived_path(layout.day_path(day) if day else live)


def joined_days(files: Iterable[str], week: Week) -> dict[date, str]:
    """The days of a week whose only file is in the archive."""
    paths = set(files)
    live = {day for path in paths if layout.stage_of(path) == "daily" and (day := layout.day_of(path))}
    days = [week.first + timedelta(days=number) for number in range(7)]
    archived = {day: layout.archived_path(layout.day_path(day)) for day in days}
    return {day: path for day, path in archived.items() if path in paths and day not in live}


def end_of(path: str) -> date | None:
    """The last day that an archived file covers."""
    if day := in_stage(path, "archive/daily", layout.day_of):
        return day
    week = in_stage(path, "archive/weekly", layout.week_of)
    period = week or in_stage(path, "archive/monthly", layout.month_of)
    return period.last if period else None


def is_closed_at(files: Files, path: str) -> bool:
    return path in files and files[path].is_closed


def in_stage(path: str, stage: str, parse: Callable[[str], Period | None]) -> Period | None:
    """The period of a file, if it is in this folder."""
    return parse(path) if layout.stage_of(path) == stage else None


def open_in(files: Files, stage: str, parse: Callable[[str], Period | None]) -> dict[str, Period]:
    """The files of a folder that may be changed, with their periods."""
    periods = {path: in_stage(path, stage, parse) for path, file in files.items() if not file.is_closed}
    return {path: period for path, period in periods.items() if period is not None}
