"""The names of the journal's files, and the time that each of them covers."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Self

DNA, INDEX, PREFERENCES = "DNA.md", "MEMORY.md", "important/preferences.md"
STAGES = ("daily", "weekly", "monthly", "yearly")
ARCHIVE = "archive"
_BUNDLED = tuple(f"{ARCHIVE}/{name}" for name in ("daily", "weekly", "monthly"))
FOLDERS = (*STAGES, "important", *_BUNDLED, f"{ARCHIVE}/media")
_DAY = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(?:\.[a-z0-9]{1,16})?")
_WEEK = re.compile(r"(\d{4})-W(\d\d)")
_MONTH = re.compile(r"(\d{4})-(\d\d)")
_YEAR = re.compile(r"\d{4}")
INDEX_COPIES = "backups/memory.md.backups.tar.bz2"  # of the index page, one a day
_INDEX_COPY = re.compile(r"backups/memory\.md\.backup\.\d{8}")
_BUNDLE = re.compile(r"(\d{4}-\d\d)\.tar\.bz2")
_YEARS = range(1000, 9999)  # leaves room to add weeks and years to a day


@dataclass(frozen=True, slots=True, order=True)
class Week:
    """An ISO week."""

    year: int
    number: int

    @classmethod
    def of(cls, day: date) -> Self:
        year, number, _ = day.isocalendar()
        return cls(year, number)

    @property
    def first(self) -> date:
        return date.fromisocalendar(self.year, self.number, 1)

    @property
    def last(self) -> date:
        return self.first + timedelta(days=6)

    @property
    def month(self) -> "Month":
        """A week's file is archived with the month of its Thursday. Its entries belong to the months of their days."""
        thursday = self.first + timedelta(days=3)
        return Month(thursday.year, thursday.month)

    def __str__(self) -> str:
        return f"{self.year:04}-W{self.number:02}"


@dataclass(frozen=True, slots=True, order=True)
class Month:
    year: int
    number: int

    @classmethod
    def of(cls, day: date) -> Self:
        return cls(day.year, day.month)

    @property
    def first(self) -> date:
        return date(self.year, self.number, 1)

    @property
    def last(self) -> date:
        return (self.first + timedelta(days=32)).replace(day=1) - timedelta(days=1)

    @property
    def weeks(self) -> tuple[Week, ...]:
        """The weeks whose Thursday is in this month, in order."""
        days = (self.first + timedelta(days=number) for number in range(self.last.day))
        return tuple(Week.of(day) for day in days if day.isoweekday() == 4)

    def __str__(self) -> str:
        return f"{self.year:04}-{self.number:02}"


def day_path(day: date, part: str = "") -> str:
    """The file of a day. `part` distinguishes files written on different branches or in different clones."""
    return f"daily/{day.isoformat()}{f'.{part}' if part else ''}.md"


def week_path(week: Week) -> str:
    return f"weekly/{week}.md"


def month_path(month: Month) -> str:
    return f"monthly/{month}.md"


def year_path(year: int) -> str:
    return f"yearly/{year:04}.md"


def archived_path(path: str) -> str:
    """Path of the original of a day, week or month."""
    return f"{ARCHIVE}/{path}"


def archived_paths(month: Month) -> Iterator[str]:
    """The paths of all originals that a month can have."""
    for number in range(month.last.day):
        yield archived_path(day_path(month.first + timedelta(days=number)))
    yield from (archived_path(week_path(week)) for week in month.weeks)
    yield archived_path(month_path(month))


def bundle_of(path: str) -> str | None:
    """The bundle that a file belongs to: an archived original to that of its month."""
    if _INDEX_COPY.fullmatch(path):
        return INDEX_COPIES
    if stage_of(path) not in _BUNDLED or not path.endswith(".md"):
        return None
    day, week = day_of(path), week_of(path)
    month = Month.of(day) if day else week.month if week else month_of(path)
    return f"{ARCHIVE}/{month}.tar.bz2" if month else None


def month_of_bundle(name: str) -> Month | None:
    match = _BUNDLE.fullmatch(name)
    return month_of(match[1]) if match else None


def stage_of(path: str) -> str:
    """The folder: daily, weekly, … important, or archive/daily …. Empty for files at the top."""
    return path.rpartition("/")[0]


def day_of(path: str) -> date | None:
    """The day in a file's name, with or without hyphens and a part."""
    return _date(_DAY.fullmatch(_stem(path)))


def week_of(path: str) -> Week | None:
    match = _WEEK.fullmatch(_stem(path))
    try:
        week = Week(int(match[1]), int(match[2])) if match and int(match[1]) in _YEARS else None
        return week if week and week.first else None
    except ValueError:  # a year without such a week
        return None


def month_of(path: str) -> Month | None:
    match = _MONTH.fullmatch(_stem(path))
    if match is None or not 1 <= int(match[2]) <= 12 or int(match[1]) not in _YEARS:
        return None
    return Month(int(match[1]), int(match[2]))


def year_of(path: str) -> int | None:
    stem = _stem(path)
    return int(stem) if _YEAR.fullmatch(stem) and int(stem) in _YEARS else None


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".gz").removesuffix(".md")


def _date(match: "re.Match[str] | None") -> date | None:
    try:
        return date(int(match[1]), int(match[2]), int(match[3])) if match and int(match[1]) in _YEARS else None
    except ValueError:
        return None
