"""Times that a question names: the days it means, and the spans in which what is asked for was probably said.

    days_named("Was war letzten Dienstag?", "de", date(2026, 2, 12))   # (DaySpan(2026-02-10, 2026-02-10),)

"on 13 March 2023", "in May", "two weeks ago", "letzte Woche", "KW 5", "между 3 и 5 января", "вчера": dates, weeks, months,
quarters and years, and times relative to the day of the question, in English, German and Russian.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from waypost.retrieve.lexicon import LANGUAGES, times_of, treated_as
from waypost.retrieve.times.calendar import DAY
from waypost.retrieve.times.find import NamedTime, lowered, named_times

# A date in the question and "last week" in the turn: people talk about a day some days later.
TOLD_LATER = timedelta(days=10)

_WORD = re.compile(r"\w+")
_UNIT_DAYS = {"hour": 0.0, "day": 1.0, "week": 7.0, "month": 30.4, "quarter": 91.3, "year": 365.0}
_UNIT_SLACK = {"hour": 1, "day": 1, "week": 3, "month": 10, "quarter": 30, "year": 60}
_LAST_DAYS = {"week": 10, "month": 45, "quarter": 120, "year": 500}
_NEAR = {"before_yesterday": 2, "yesterday": 1}


@dataclass(frozen=True, slots=True)
class DaySpan:
    """From the first to the last day, both included, as the calendar has them."""

    first: date
    last: date

    @property
    def is_one_day(self) -> bool:
        return self.first == self.last


def days_named(text: str, language: str, today: date) -> tuple[DaySpan, ...]:
    """The days that a text written on the day `today` names, in the order it names them.

    A weekday, month, week or quarter without a year is the last one that has begun, unless "next" is said.
    "Two weeks ago" is a calendar week, "last month" a calendar month. "Since" reaches to today.
    """
    languages = (
        (language,) if language in LANGUAGES else LANGUAGES
    )  # too short to detect: the first language that has its words
    for name in languages:
        times = named_times(text, name, today)
        if times:
            joined = _joined(lowered(text), name, today, times)
            return tuple(dict.fromkeys(DaySpan(day.first, day.last) for day in joined))
    return ()


def words_of_time(text: str, language: str, today: date) -> frozenset[str]:
    """The words, in small letters, by which a text names times."""
    low = lowered(text)
    words: set[str] = set()
    for named in named_times(text, treated_as(language), today):
        words.update(_WORD.findall(low[named.start : named.end]))
    return frozenset(words)


def _joined(low: str, language: str, today: date, times: Sequence[NamedTime]) -> Iterator[NamedTime]:
    """Two ends of a range as one, and what holds since a time up to today."""
    table = times_of(language)
    articles = rf"(?:(?:{table['articles']})\s+)*"
    between = re.compile(rf"(?<!\w)(?:{table['between']})\s+{articles}$")
    since = re.compile(rf"(?<!\w)(?:{table['since']})\s+{articles}$")
    link, weak_link = (re.compile(rf"\s*(?:{words})\s+{articles}") for words in (table["to"], table["and"]))
    dash = re.compile(r"\s*[-–—]\s*")
    at = 0
    while at < len(times):
        named, before = times[at], low[max(0, times[at].start - 40) : times[at].start]
        after = times[at + 1] if at + 1 < len(times) else None
        gap = low[named.end : after.start] if after else ""
        linked = link.fullmatch(gap) and (between.search(before) or not weak_link.fullmatch(gap))
        if after and (linked or dash.fullmatch(gap)):
            yield _range(named, after)
            at += 2
            continue
        is_range = named.kind == "date" and named.first < named.last  # "с 3 по 5 января" is no "since"
        open_ended = since.search(before) and named.first <= today and not is_range
        yield replace(named, last=max(named.last, today)) if open_ended else named
        at += 1


def _range(begin: NamedTime, other: NamedTime) -> NamedTime:
    """From the one to the other; a beginning that would lie behind the end was meant a week or a year before."""
    first = begin.first
    if first > other.last and begin.cycle == "week":
        first -= 7 * DAY
    elif first > other.last and begin.cycle == "year":
        year = other.last.year - ((first.month, first.day) > (other.last.month, other.last.day))
        leap_day = (first.month, first.day) == (2, 29)
        first = first.replace(year=year, day=28 if leap_day else first.day)
    return replace(begin, first=min(first, other.last), last=max(first, other.last), end=other.end)


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
    """The spans that a question asked on the day `now` names, exact ones first. Vague ones have some days around them."""
    times = named_times(text, treated_as(language), now)
    exact = [_exact(named) for named in times if named.kind in ("date", "month")]
    vague = (_vague(named, now) for named in sorted(times, key=_vagueness))
    first = next((span for span in vague if span is not None), None)
    return tuple(exact) if first is None else (*exact, first)


def _exact(named: NamedTime) -> Span:
    """A day with the one before and after it: time zones, and nights."""
    slack = DAY if named.kind == "date" else 0 * DAY
    return Span(named.first - slack, named.last + slack, exact=True)


_VAGUE = ("ago", "before_yesterday", "yesterday", "last_weekday", "last_weekend", "last_unit")


def _vagueness(named: NamedTime) -> int:
    return _VAGUE.index(named.kind) if named.kind in _VAGUE else len(_VAGUE)


def _vague(named: NamedTime, now: date) -> Span | None:
    if named.kind == "ago":
        middle, slack = now - timedelta(days=named.count * _UNIT_DAYS[named.unit]), DAY * _UNIT_SLACK[named.unit]
        return Span(middle - slack, middle + slack, exact=False)
    if named.kind in _NEAR:
        return Span(named.first - DAY, named.last + DAY, exact=False)
    if named.kind in ("last_weekday", "last_weekend"):
        return Span(named.first, named.last + DAY, exact=False)
    if named.kind == "last_unit":
        return Span(now - DAY * _LAST_DAYS.get(named.unit, 1), now, exact=False)
    return None
