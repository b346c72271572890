"""Where a text names a time, and which days are meant: the rules for English, German and Russian, read from a table.

Each rule finds its own expressions; where two overlap, the one that begins first and is longer is meant: "the day before
yesterday" is not yesterday, "heute morgen" is not tomorrow, "nächsten Montag" is not the last Monday.
"""

import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
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
    """The text in small letters, with single spaces. Places of times are positions in it."""
    raw = " ".join(text[:_MOST_READ].split())
    if raw.isascii():
        return raw.lower()
    return "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in raw)


@lru_cache(maxsize=8)  # a question is read for its days, its spans and its words of time
def named_times(text: str, language: str, today: date) -> tuple[NamedTime, ...]:
    """All times that the text names, in the order they stand in it."""
    raw = " ".join(text[:_MOST_READ].split())
    time_text = TimeText(lowered(text), raw, language, today)
    times = [named for rule in _RULES for named in rule(time_text)]
    times.sort(key=lambda named: (named.start, -named.end))
    kept: list[NamedTime] = []
    for named in times:
        if not kept or named.start >= kept[-1].end:
            kept.append(named)
    return tuple(named for named in kept if named.kind != "nothing")


def _matches(name: str, text: TimeText) -> Iterator[re.Match[str]]:
    return compiled(name, text.language).finditer(text.low)


def _stands_behind(words: str, text: TimeText, at: int) -> bool:
    """Whether one of these words is the last before this place."""
    return bool(words) and re.search(rf"(?<!\w)(?:{words})[\s.:#]*$", text.low[max(0, at - 40) : at]) is not None


def _dates(text: TimeText) -> Iterator[NamedTime]:
    for match in _matches("iso", text):
        if day := day_at(int(match["y"]), int(match["m"]), int(match["d"])):
            yield _named(match, (day, day), "date")
    for match in _matches("slashed", text):
        for month, of_month in ((match["a"], match["b"]), (match["b"], match["a"])):  # 12/31 here, 31/12 there
            if day := day_at(int(match["y"]), int(month), int(of_month)):
                yield _named(match, (day, day), "date")
                break
    for match in _matches("dotted", text):
        yield from _dotted(text, match)


def _dotted(text: TimeText, match: re.Match[str]) -> Iterator[NamedTime]:
    """15.01.2026 and 15.01. but not the version 1.2.2026, the mark 3.5. or the price 15.01."""
    if _stands_behind(text.table["versions"], text, match.start()):
        yield _named(match, (text.today, text.today), "nothing")
        return
    two_digits = len(match["d"]) == len(match["m"]) == 2
    behind = _stands_behind(text.table["numeric"], text, match.start())
    year = match["y"]
    if year and (len(year) == 4 or two_digits):
        if day := day_at(int(year) + (0 if len(year) == 4 else 2000), int(match["m"]), int(match["d"])):
            yield _named(match, (day, day), "date")
    elif not year and (behind or (two_digits and match[0].endswith(".") and text.language == "de")):
        day = latest_day(text.today, int(match["m"]), int(match["d"]))
        yield from [_named(match, (day, day), "date", cycle="year")] if day else []


def _months_named(text: TimeText) -> Iterator[NamedTime]:
    for match in _matches("months", text):
        month = next(n for n, names in enumerate(text.table["months"], 1) if re.fullmatch(names, match["month"]))
        day = int(match["before"] or match["after"] or 0)
        if not _is_month(text, match, day):
            continue
        year, cycle = _year_of(text, match, month, day), "" if match["year"] or match["lastyear"] else "year"
        if not day:
            yield _named(match, month_days(year, month), "month", cycle=cycle)
            continue
        first, last = int(match["from"] or day), int(match["until"] or day)
        days = day_at(year, month, first), day_at(year, month, last)
        if days[0] and days[1] and days[0] <= days[1]:
            yield _named(match, (days[0], days[1]), "date", cycle=cycle)


def _is_month(text: TimeText, match: re.Match[str], day: int) -> bool:
    """Words that are also names or verbs need a sign that the month is meant."""
    if not re.fullmatch(text.table["doubtful"], match["month"]) or match["year"] or match["before"]:
        return True
    if _stands_behind(text.table["of_month"], text, match.start("month")):
        return True
    return bool(day) and text.raw[match.start("month")].isupper()


def _year_of(text: TimeText, match: re.Match[str], month: int, day: int) -> int:
    """A month without a year is the last one that has begun: memories are of the past."""
    today, at = text.today, match.start()
    if match["year"]:
        return int(match["year"])
    if match["lastyear"]:
        return today.year - 1
    if _stands_behind(text.table["next"], text, at):
        return today.year + ((month, day or 1) <= (today.month, today.day))
    if month == today.month and not day and _stands_behind(text.table["last"], text, at):
        return today.year - 1
    return today.year - ((month, day or 1) > (today.month, today.day))


def _days_alone(text: TimeText) -> Iterator[NamedTime]:
    for match in _matches("alone", text):
        if (words := text.table["of_day_alone"]) and not _stands_behind(words, text, match.start()):
            continue
        number, at = int(match["alone"]), text.today.replace(day=1)
        for _ in range(3):  # of three months in a row one has 31 days
            if 1 <= number <= monthrange(at.year, at.month)[1] and at.replace(day=number) <= text.today:
                day = at.replace(day=number)
                yield _named(match, (day, day), "date")
                break
            at = (at - DAY).replace(day=1)


def _agos(text: TimeText) -> Iterator[NamedTime]:
    for match in _matches("ago", text):
        numbers: dict[str, int] = text.table["numbers"]
        word = match["count"] or ""
        count = numbers.get(word, 1) if not word.isdigit() else int(word)
        unit = next(unit for unit in UNITS if match[unit])
        if word in text.table["vague"] and unit != "hour":
            most = _FEW["from"] if count > 2 else 3
            days = (back_from(text.today, unit, most)[0], back_from(text.today, unit, _FEW["to"])[1])
        else:
            days = back_from(text.today, unit, count)
        yield replace(_named(match, days, "ago"), unit=unit, count=count)


_NEAR = {"before_yesterday": -2, "yesterday": -1, "today": 0, "tomorrow": 1, "after_tomorrow": 2}


def _near(text: TimeText) -> Iterator[NamedTime]:
    for match in _matches("near", text):
        kind = next(kind for kind in _NEAR if match[kind])
        if kind == "tomorrow" and _stands_behind(text.table["not_tomorrow"], text, match.start()):
            continue
        day = text.today + _NEAR[kind] * DAY
        yield _named(match, (day, day), kind)


def _weekdays_named(text: TimeText) -> Iterator[NamedTime]:
    doubtful, behind = text.table["doubtful_weekdays"], text.table["of_weekday"]
    for match in _matches("weekdays", text):
        weekday = next(n for n in range(7) if match[f"d{n}"])
        at = match.start(f"d{weekday}")
        if match["not"] or (
            doubtful and re.fullmatch(doubtful, match[f"d{weekday}"]) and not _stands_behind(behind, text, at)
        ):
            yield _named(match, (text.today, text.today), "nothing")
            continue
        back = (text.today.weekday() - weekday - 1) % 7 + 1  # never today: for that people write "today"
        if match["next"]:
            day = text.today + DAY * ((weekday - text.today.weekday() - 1) % 7 + 1)
        elif match["this"]:
            day = text.today + DAY * (weekday - text.today.weekday())
        else:
            day = text.today - DAY * back
        kind = "last_weekday" if match["last"] else "weekday"
        yield _named(match, (day, day), kind, cycle="" if match["last"] or match["next"] else "week")


def _weekends(text: TimeText) -> Iterator[NamedTime]:
    for match in _matches("weekend", text):
        saturday = text.today + DAY * (5 - text.today.weekday())
        if match["last"]:
            saturday -= 7 * DAY
        elif match["next"] and text.today >= saturday:
            saturday += 7 * DAY
        yield _named(match, (saturday, saturday + DAY), "last_weekend" if match["last"] else "weekend")


def _units_named(text: TimeText) -> Iterator[NamedTime]:
    """This, the last and the next day, week, month, quarter, year, as the calendar has them; and "the last 3 days"."""
    for match in _matches("unit", text):
        unit = next(unit for unit in UNITS if match[unit])
        days = back_from(text.today, unit, 1 if match["last"] else -1 if match["next"] else 0)
        yield replace(_named(match, days, "last_unit" if match["last"] else "unit"), unit=unit)
    for match in _matches("past", text):
        numbers: dict[str, int] = text.table["numbers"]
        count = numbers[match["count"]] if match["count"] in numbers else int(match["count"])
        unit = next(unit for unit in UNITS if match[unit])
        length = {"hour": 0, "day": 1, "week": 7, "month": 30.5, "quarter": 91.5, "year": 365.25}[unit] * count
        yield replace(_named(match, (text.today - DAY * int(length), text.today), "past"), unit=unit, count=count)


def _weeks_and_quarters(text: TimeText) -> Iterator[NamedTime]:
    for match in _matches("iso_week", text):
        if days := week_days(text.today, int(match["w"]), int(match["y"])):
            yield _named(match, days, "week")
    for match in _matches("week", text):
        year = match["y"] or match["y2"]
        span = week_days(text.today, int(match["w"] or match["w2"]), int(year) if year else None)
        kind, cycle = "week" if span else "nothing", "" if year else "year"
        yield _named(match, span or (text.today, text.today), kind, cycle=cycle)
    for match in _matches("quarter", text):
        number = int(match["q"]) if match["q"] else next(n for n in range(1, 5) if match[f"q{n}"])
        first = 3 * number - 2
        year = int(match["y"]) if match["y"] else text.today.year - (first > text.today.month)
        days = month_days(year, first)[0], month_days(year, first + 2)[1]
        yield _named(match, days, "quarter", cycle="" if match["y"] else "year")


def _years(text: TimeText) -> Iterator[NamedTime]:
    """A number that may be a year, unless it counts or names something."""
    for match in _matches("year", text):
        year, behind = int(match["y"]), text.low[match.end() : match.end() + 20].lstrip()
        if not _OLDEST_YEAR <= year <= text.today.year + 10 or _stands_behind(text.table["named"], text, match.start()):
            continue
        if re.match(rf"(?:{text.table['quantities']})(?!\w)", behind) or text.low[: match.start()].endswith(
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
