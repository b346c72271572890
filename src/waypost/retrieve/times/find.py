"""Where a text names a time, and which days are meant: the rules for English, German and Russian, read from a table.

Each rule finds its own expressions; where two overlap, the one that begins first and is longer is meant: "the day before
yesterday" is not yesterday, "heute morgen" is not tomorrow, "nächsten Montag" is not the last Monday.
"""

import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from waypost.retrieve.lexicon import times_of
from waypost.retrieve.times.calendar import DAY, Days, back_from, day_at, latest_day, month_days, week_days
from waypost.retrieve.times.patterns import UNITS, compiled

_MOST_READ = 20_000  # characters; who asks at greater length names his time before that
_FEW = {"from": 6, "to": 2}  # "a few days ago": two to six
_OLDEST_YEAR = 1970  # a smaller number alone is more often a number than a year


@dataclass(frozen=True, slots=True)
class NamedTime:
    """A time that stands in a text. `kind` says by which rule; unit and count are those of "two weeks ago"."""

    start: int
    end: int
    first: date
    last: date
    kind: str
    unit: str = ""
    count: int = 0
    cycle: str = ""  # week or year: without one it could be meant of another


@dataclass(frozen=True, slots=True)
class TimeText:
    """A text as the rules read it."""

    low: str
    raw: str
    language: str
    today: date

    @property
    def table(self) -> dict[str, Any]:
        return times_of(self.language)


def lowered(text: str) -> str:
    """The text in which the places of times are told: in small letters, with single spaces."""
    raw = " ".join(text[:_MOST_READ].split())
    return "".join(one.lower() if len(one.lower()) == 1 else one for one in raw)


def named_times(text: str, language: str, today: date) -> list[NamedTime]:
    """All times that the text names, in the order they stand in it."""
    raw = " ".join(text[:_MOST_READ].split())
    told = TimeText(lowered(text), raw, language, today)
    found = [one for rule in _RULES for one in rule(told)]
    found.sort(key=lambda one: (one.start, -one.end))
    kept: list[NamedTime] = []
    for one in found:
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return [one for one in kept if one.kind != "nothing"]


def _matches(name: str, told: TimeText) -> Iterator[re.Match[str]]:
    return compiled(name, told.language).finditer(told.low)


def _stands_behind(words: str, told: TimeText, at: int) -> bool:
    """Whether one of these words is the last before this place."""
    return bool(words) and re.search(rf"(?<!\w)(?:{words})[\s.:#]*$", told.low[max(0, at - 40) : at]) is not None


def _dates(told: TimeText) -> Iterator[NamedTime]:
    for match in _matches("iso", told):
        if day := day_at(int(match["y"]), int(match["m"]), int(match["d"])):
            yield _named(match, (day, day), "date")
    for match in _matches("slashed", told):
        for month, of_month in ((match["a"], match["b"]), (match["b"], match["a"])):  # 12/31 here, 31/12 there
            if day := day_at(int(match["y"]), int(month), int(of_month)):
                yield _named(match, (day, day), "date")
                break
    for match in _matches("dotted", told):
        yield from _dotted(told, match)


def _dotted(told: TimeText, match: re.Match[str]) -> Iterator[NamedTime]:
    """15.01.2026 and 15.01. but not the version 1.2.2026, the mark 3.5. or the price 15.01."""
    if _stands_behind(told.table["versions"], told, match.start()):
        yield _named(match, (told.today, told.today), "nothing")
        return
    two_digits = len(match["d"]) == len(match["m"]) == 2
    behind = _stands_behind(told.table["numeric"], told, match.start())
    year = match["y"]
    if year and (len(year) == 4 or two_digits):
        if day := day_at(int(year) + (0 if len(year) == 4 else 2000), int(match["m"]), int(match["d"])):
            yield _named(match, (day, day), "date")
    elif not year and (behind or (two_digits and match[0].endswith(".") and told.language == "de")):
        day = latest_day(told.today, int(match["m"]), int(match["d"]))
        yield from [_named(match, (day, day), "date", cycle="year")] if day else []


def _months_named(told: TimeText) -> Iterator[NamedTime]:
    for match in _matches("months", told):
        month = next(n for n, names in enumerate(told.table["months"], 1) if re.fullmatch(names, match["month"]))
        day = int(match["before"] or match["after"] or 0)
        if not _is_month(told, match, day):
            continue
        year, cycle = _year_of(told, match, month, day), "" if match["year"] or match["lastyear"] else "year"
        if not day:
            yield _named(match, month_days(year, month), "month", cycle=cycle)
            continue
        first, last = int(match["from"] or day), int(match["until"] or day)
        days = day_at(year, month, first), day_at(year, month, last)
        if days[0] and days[1] and days[0] <= days[1]:
            yield _named(match, (days[0], days[1]), "date", cycle=cycle)


def _is_month(told: TimeText, match: re.Match[str], day: int) -> bool:
    """Words that are also names or verbs need a sign that the month is meant."""
    if not re.fullmatch(told.table["doubtful"], match["month"]) or match["year"] or match["before"]:
        return True
    if _stands_behind(told.table["of_month"], told, match.start("month")):
        return True
    return bool(day) and told.raw[match.start("month")].isupper()


def _year_of(told: TimeText, match: re.Match[str], month: int, day: int) -> int:
    """A month without a year is the last one that has begun: memories are of the past."""
    today, at = told.today, match.start()
    if match["year"]:
        return int(match["year"])
    if match["lastyear"]:
        return today.year - 1
    if _stands_behind(told.table["next"], told, at):
        return today.year + ((month, day or 1) <= (today.month, today.day))
    if month == today.month and not day and _stands_behind(told.table["last"], told, at):
        return today.year - 1
    return today.year - ((month, day or 1) > (today.month, today.day))


def _days_alone(told: TimeText) -> Iterator[NamedTime]:
    for match in _matches("alone", told):
        if (words := told.table["of_day_alone"]) and not _stands_behind(words, told, match.start()):
            continue
        number, at = int(match["alone"]), told.today.replace(day=1)
        for _ in range(3):  # of three months in a row one has 31 days
            if 1 <= number <= monthrange(at.year, at.month)[1] and at.replace(day=number) <= told.today:
                day = at.replace(day=number)
                yield _named(match, (day, day), "date")
                break
            at = (at - DAY).replace(day=1)


def _agos(told: TimeText) -> Iterator[NamedTime]:
    for match in _matches("ago", told):
        numbers: dict[str, int] = told.table["numbers"]
        word = match["count"] or ""
        count = numbers.get(word, 1) if not word.isdigit() else int(word)
        unit = next(unit for unit in UNITS if match[unit])
        if word in told.table["vague"] and unit != "hour":
            most = _FEW["from"] if count > 2 else 3
            days = (back_from(told.today, unit, most)[0], back_from(told.today, unit, _FEW["to"])[1])
        else:
            days = back_from(told.today, unit, count)
        yield replace(_named(match, days, "ago"), unit=unit, count=count)


_NEAR = {"before_yesterday": -2, "yesterday": -1, "today": 0, "tomorrow": 1, "after_tomorrow": 2}


def _near(told: TimeText) -> Iterator[NamedTime]:
    for match in _matches("near", told):
        kind = next(kind for kind in _NEAR if match[kind])
        if kind == "tomorrow" and _stands_behind(told.table["not_tomorrow"], told, match.start()):
            continue
        day = told.today + _NEAR[kind] * DAY
        yield _named(match, (day, day), kind)


def _weekdays_named(told: TimeText) -> Iterator[NamedTime]:
    doubtful, behind = told.table["doubtful_weekdays"], told.table["of_weekday"]
    for match in _matches("weekdays", told):
        asked = next(n for n in range(7) if match[f"d{n}"])
        at = match.start(f"d{asked}")
        if match["not"] or (
            doubtful and re.fullmatch(doubtful, match[f"d{asked}"]) and not _stands_behind(behind, told, at)
        ):
            yield _named(match, (told.today, told.today), "nothing")
            continue
        back = (told.today.weekday() - asked - 1) % 7 + 1  # never today: who means today says so
        if match["next"]:
            day = told.today + DAY * ((asked - told.today.weekday() - 1) % 7 + 1)
        elif match["this"]:
            day = told.today + DAY * (asked - told.today.weekday())
        else:
            day = told.today - DAY * back
        kind = "last_weekday" if match["last"] else "weekday"
        yield _named(match, (day, day), kind, cycle="" if match["last"] or match["next"] else "week")


def _weekends(told: TimeText) -> Iterator[NamedTime]:
    for match in _matches("weekend", told):
        saturday = told.today + DAY * (5 - told.today.weekday())
        if match["last"]:
            saturday -= 7 * DAY
        elif match["next"] and told.today >= saturday:
            saturday += 7 * DAY
        yield _named(match, (saturday, saturday + DAY), "last_weekend" if match["last"] else "weekend")


def _units_named(told: TimeText) -> Iterator[NamedTime]:
    """This, the last and the next day, week, month, quarter, year, as the calendar has them; and "the last 3 days"."""
    for match in _matches("unit", told):
        unit = next(unit for unit in UNITS if match[unit])
        days = back_from(told.today, unit, 1 if match["last"] else -1 if match["next"] else 0)
        yield replace(_named(match, days, "last_unit" if match["last"] else "unit"), unit=unit)
    for match in _matches("past", told):
        numbers: dict[str, int] = told.table["numbers"]
        count = numbers[match["count"]] if match["count"] in numbers else int(match["count"])
        unit = next(unit for unit in UNITS if match[unit])
        length = {"hour": 0, "day": 1, "week": 7, "month": 30.5, "quarter": 91.5, "year": 365.25}[unit] * count
        yield replace(_named(match, (told.today - DAY * int(length), told.today), "past"), unit=unit, count=count)


def _weeks_and_quarters(told: TimeText) -> Iterator[NamedTime]:
    for match in _matches("iso_week", told):
        if days := week_days(told.today, int(match["w"]), int(match["y"])):
            yield _named(match, days, "week")
    for match in _matches("week", told):
        year = match["y"] or match["y2"]
        found = week_days(told.today, int(match["w"] or match["w2"]), int(year) if year else None)
        kind, cycle = "week" if found else "nothing", "" if year else "year"
        yield _named(match, found or (told.today, told.today), kind, cycle=cycle)
    for match in _matches("quarter", told):
        number = int(match["q"]) if match["q"] else next(n for n in range(1, 5) if match[f"q{n}"])
        first = 3 * number - 2
        year = int(match["y"]) if match["y"] else told.today.year - (first > told.today.month)
        days = month_days(year, first)[0], month_days(year, first + 2)[1]
        yield _named(match, days, "quarter", cycle="" if match["y"] else "year")


def _years(told: TimeText) -> Iterator[NamedTime]:
    """A number that may be a year, unless it counts or names something."""
    for match in _matches("year", told):
        year, behind = int(match["y"]), told.low[match.end() : match.end() + 20].lstrip()
        if not _OLDEST_YEAR <= year <= told.today.year + 10 or _stands_behind(told.table["named"], told, match.start()):
            continue
        if re.match(rf"(?:{told.table['quantities']})(?!\w)", behind) or told.low[: match.start()].endswith(
            ("€", "$", "#", "-", "_", "=")
        ):
            continue
        yield _named(match, (date(year, 1, 1), date(year, 12, 31)), "year")


def _named(match: re.Match[str], days: Days, kind: str, *, cycle: str = "") -> NamedTime:
    return NamedTime(match.start(), match.end(), *days, kind, cycle=cycle)


_RULES: tuple[Callable[[TimeText], Iterator[NamedTime]], ...] = (
    _dates,
    _months_named,
    _days_alone,
    _agos,
    _near,
    _weekdays_named,
    _weekends,
    _units_named,
    _weeks_and_quarters,
    _years,
)
