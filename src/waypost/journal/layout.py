"""The names of the journal's files, and which time each of them is about."""

import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Self

DNA, INDEX, PREFERENCES = "DNA.md", "MEMORY.md", "important/preferences.md"
STAGES = ("daily", "weekly", "monthly", "yearly")
ARCHIVE = "archive"
FOLDERS = (*STAGES, "important", *(f"{ARCHIVE}/{name}" for name in ("daily", "weekly", "monthly", "media")))
_DAY = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(?:\.[a-z0-9]{1,16})?")
_WEEK = re.compile(r"(\d{4})-W(\d\d)")
_MONTH = re.compile(r"(\d{4})-(\d\d)")
_YEAR = re.compile(r"\d{4}")
_YEARS = range(1000, 9999)  # what is counted from a day, in weeks or years, must be a day too


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
        """A week belongs to the month of its Thursday."""
        thursday = self.first + timedelta(days=3)
        return Month(thursday.year, thursday.month)

    def __str__(self) -> str:
        return f"{self.year:04}-W{self.number:02}"


@dataclass(frozen=True, slots=True, order=True)
class Month:
    year: int
    number: int

    @property
    def weeks(self) -> tuple[Week, ...]:
        """Those whose Thursday is in it, in order."""
        day, found = date(self.year, self.number, 1), []
        while (day.year, day.month) == (self.year, self.number):
            if day.isoweekday() == 4:
                found.append(Week.of(day))
            day += timedelta(days=1)
        return tuple(found)

    def __str__(self) -> str:
        return f"{self.year:04}-{self.number:02}"


def day_path(day: date, part: str = "") -> str:
    """`part` tells the files of one day apart that are written on different branches or in different clones."""
    return f"daily/{day.isoformat()}{f'.{part}' if part else ''}.md"


def week_path(week: Week) -> str:
    return f"weekly/{week}.md"


def month_path(month: Month) -> str:
    return f"monthly/{month}.md"


def year_path(year: int) -> str:
    return f"yearly/{year:04}.md"


def archived_path(path: str) -> str:
    """Where the original of a day, week or month is kept."""
    return f"{ARCHIVE}/{path}"


def stage_of(path: str) -> str:
    """The folder: daily, weekly, … important, or archive/daily …; empty for what stands at the top."""
    return path.rpartition("/")[0]


def day_of(path: str) -> date | None:
    """The day that a file is about by its name, also in the older spelling without hyphens, and with a part."""
    return _date(_DAY.fullmatch(_stem(path)))


def week_of(path: str) -> Week | None:
    found = _WEEK.fullmatch(_stem(path))
    try:
        week = Week(int(found[1]), int(found[2])) if found and int(found[1]) in _YEARS else None
        return week if week and week.first else None
    except ValueError:  # no year has such a week
        return None


def month_of(path: str) -> Month | None:
    found = _MONTH.fullmatch(_stem(path))
    if found is None or not 1 <= int(found[2]) <= 12 or int(found[1]) not in _YEARS:
        return None
    return Month(int(found[1]), int(found[2]))


def year_of(path: str) -> int | None:
    stem = _stem(path)
    return int(stem) if _YEAR.fullmatch(stem) and int(stem) in _YEARS else None


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".gz").removesuffix(".md")


def _date(found: "re.Match[str] | None") -> date | None:
    try:
        return date(int(found[1]), int(found[2]), int(found[3])) if found and int(found[1]) in _YEARS else None
    except ValueError:
        return None
