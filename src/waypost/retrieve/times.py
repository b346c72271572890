"""Times that a question names, as spans in which what is asked for was probably said.

"on 13 March 2023", "in May", "two weeks ago", "letzte Woche", "вчера": absolute dates and months, and times relative to
the moment of the question, in English, German and Russian.
"""

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from typing import Any

from waypost.retrieve.lexicon import times_of, treated_as

# A date in the question and "last week" in the turn: people tell of a day some days later.
TOLD_LATER = timedelta(days=10)

_DAY = timedelta(days=1)
_UNIT_DAYS = {"day": 1.0, "week": 7.0, "month": 30.4, "year": 365.0}
_UNIT_SLACK = {"day": 1, "week": 3, "month": 10, "year": 60}
_LAST_DAYS = {"week": 10, "month": 45, "year": 500}


@dataclass(frozen=True, slots=True)
class Span:
    """From the first to the last day, both included."""

    first: date
    last: date
    exact: bool  # a date; otherwise relative to now, and vague

    def match(self, day: date) -> float:
        """1 inside, ½ shortly after an exact one, else 0."""
        if self.first <= day <= self.last:
            return 1.0
        return 0.5 if self.exact and self.last < day <= self.last + TOLD_LATER else 0.0


def spans_in(text: str, language: str, now: date) -> tuple[Span, ...]:
    """The spans that a question asked on the day `now` names, exact ones first."""
    low = text.lower()
    found = [*_dates(low, treated_as(language), now)]
    relative = _relative(low, treated_as(language), now)
    return tuple(found) if relative is None else (*found, relative)


def _dates(low: str, language: str, now: date) -> Iterator[Span]:
    table = times_of(language)
    for match in re.finditer(r"(?<!\d)(\d{4})-(\d\d)-(\d\d)(?!\d)", low):
        yield from _day_span(*(int(part) for part in match.groups()))
    for match in _month_pattern(language).finditer(low):
        word = match["month"]
        month = next(n for n, names in enumerate(table["months"], 1) if re.fullmatch(names, word))
        day, year = match["before"] or match["after"], match["year"]
        if word in table["verbs"] and not (day or year or _names_month(low, match.start("month"), table)):
            continue
        # A month without a year is the last one that has begun: memories are of the past.
        in_year = int(year) if year else now.year - ((month, int(day or 1)) > (now.month, now.day))
        if day:
            yield from _day_span(in_year, month, int(day))
        else:
            yield Span(date(in_year, month, 1), date(in_year, month, monthrange(in_year, month)[1]), exact=True)


def _day_span(year: int, month: int, day: int) -> Iterator[Span]:
    """The day with the one before and after it: time zones, and nights."""
    if 1 <= month <= 12 and 1 <= year < 9999 and 1 <= day <= monthrange(year, month)[1]:
        at = date(year, month, day)
        yield Span(at - _DAY, at + _DAY, exact=True)


def _names_month(low: str, start: int, table: dict[str, Any]) -> bool:
    return re.search(rf"\b(?:{table['of_month']})\s+$", low[:start]) is not None


@cache
def _month_pattern(language: str) -> re.Pattern[str]:
    names = "|".join(times_of(language)["months"])
    return re.compile(
        rf"(?:(?<!\w)(?P<before>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:of\s+)?)?(?<!\w)(?P<month>{names})(?!\w)\.?"
        r"(?:\s+(?P<after>\d{1,2})(?:st|nd|rd|th)?(?!\w))?(?:,?\s*(?:of\s+)?(?P<year>(?:19|20)\d\d)(?!\w))?"
    )


@cache
def _relative_patterns(language: str) -> dict[str, re.Pattern[str]]:
    table = times_of(language)
    units = "|".join(f"(?P<{unit}>{table[unit]})" for unit in _UNIT_DAYS)
    count = rf"(?P<count>\d{{1,3}}|{'|'.join(sorted(table['numbers'], key=len, reverse=True))})\s+(?:{units})"
    ago = rf"{table['ago_before']}\s+{count}" if "ago_before" in table else rf"{count}\s+{table['ago_after']}"
    days = "|".join(f"(?P<d{n}>{names})" for n, names in enumerate(table["weekdays"]))
    sources = {
        "ago": ago,
        "yesterday": table["yesterday"],
        "weekday": rf"(?:{table['last']})\s+(?:{days})",
        "weekend": rf"(?:{table['last']})\s+(?:{table['weekend']})",
        "unit": rf"(?:{table['last']})\s+(?:{units})",
    }
    return {name: re.compile(rf"(?<!\w)(?:{source})(?!\w)") for name, source in sources.items()}


def _relative(low: str, language: str, now: date) -> Span | None:
    patterns = _relative_patterns(language)
    if match := patterns["ago"].search(low):
        numbers: dict[str, int] = times_of(language)["numbers"]
        count = numbers[match["count"]] if match["count"] in numbers else int(match["count"])
        unit = next(unit for unit in _UNIT_DAYS if match[unit])
        middle = now - timedelta(days=count * _UNIT_DAYS[unit])
        slack = timedelta(days=_UNIT_SLACK[unit])
        return Span(middle - slack, middle + slack, exact=False)
    if patterns["yesterday"].search(low):
        return Span(now - 2 * _DAY, now, exact=False)
    if match := patterns["weekday"].search(low):
        asked = next(n for n in range(7) if match[f"d{n}"])
        day = now - _DAY * ((now.weekday() - asked - 1) % 7 + 1)
        return Span(day, day + _DAY, exact=False)
    if patterns["weekend"].search(low):
        saturday = now - _DAY * (now.weekday() + 2)
        return Span(saturday, saturday + 2 * _DAY, exact=False)
    if match := patterns["unit"].search(low):
        days = next((days for unit, days in _LAST_DAYS.items() if match[unit]), 1)
        return Span(now - _DAY * days, now, exact=False)
    return None
