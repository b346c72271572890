"""Which sentences no longer hold: plans that were carried out, offers that were answered, what was replaced, dates that passed.

Rules decide by word lists (`data/matters.toml`) and by the terms that two sentences share.
"""

import re
import tomllib
from calendar import monthrange
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from waypost.journal.importance.word_lists import LANGUAGES
from waypost.journal.statements.people import subject_of
from waypost.journal.statements.profile import personal_facts, sentence_terms
from waypost.journal.statements.recognise import main_statement
from waypost.journal.topics.similarity import topic_terms
from waypost.journal.wording import relative_days, summary_words
from waypost.text.stems import fold

_LEAST_TERM = 4  # letters of a term that what was replaced shares with what replaced it
_WEEK, _SPAN = timedelta(days=7), timedelta(days=31)  # how far "on Friday" and "next week" or "next month" reach
_CACHED = 8_000
_NAME = re.compile(r"(?<=\w )[A-ZА-ЯЁ][a-zа-яё]{2,}")
_CLAUSE = re.compile(r"[,;:–—]\s+")
_YEAR = re.compile(r"(?<!\d)20\d\d(?!\d)")
_SINGLE = ("home", "work")  # slots of which only the newest value holds


@dataclass(frozen=True, slots=True)
class DatedSentence:
    text: str
    language: str
    day: date


@dataclass(frozen=True, slots=True)
class _Reading:
    """What the rules see of a sentence."""

    kind: str
    is_milestone: bool
    has_happened: bool  # one of its clauses is a milestone that lies behind
    is_pending: bool
    recurs: bool
    closes: bool
    ends: bool
    matters: frozenset[str]
    persons: frozenset[str]
    names: frozenset[str]
    terms: frozenset[str]
    short_terms: frozenset[str]
    slots: frozenset[str]


@dataclass(frozen=True, slots=True)
class _MatterWords:
    pending: re.Pattern[str]
    closing: re.Pattern[str]
    ending: re.Pattern[str]
    recurring: re.Pattern[str]
    turning: re.Pattern[str]
    minor: re.Pattern[str]
    matters: dict[str, re.Pattern[str]]
    persons: dict[str, re.Pattern[str]]
    month_days: tuple[re.Pattern[str], ...]
    months: tuple[re.Pattern[str], ...]
    weekday: re.Pattern[str]
    starting: re.Pattern[str]  # a date from which something lasts


def outdated(sentences: Sequence[DatedSentence], until: date) -> set[int]:
    """The indices of sentences that no longer hold on the day `until`. The sentences must be in order of time."""
    readings = [_reading(sentence.text, sentence.language) for sentence in sentences]
    later = [index for index, reading in enumerate(readings) if _may_outdate(reading)]
    names = frozenset(name for reading in readings for name in reading.names)
    ended: set[int] = set()
    for index, (sentence, reading) in enumerate(zip(sentences, readings, strict=True)):
        following = (readings[other] for other in later if other > index)
        if is_past(sentence, until) or any(_outdates(other, reading, names) for other in following):
            ended.add(index)
    return ended


def outcome_of(sentences: Sequence[DatedSentence], index: int) -> int | None:
    """The index of the last sentence that says how a plan came out. None if none does."""
    plan = _reading(sentences[index].text, sentences[index].language)
    names = frozenset(name for sentence in sentences for name in _reading(sentence.text, sentence.language).names)
    for later in range(len(sentences) - 1, index, -1):
        reading = _reading(sentences[later].text, sentences[later].language)
        is_outcome = reading.is_milestone or bool(reading.matters & plan.matters)
        if reading.closes and is_outcome and _outdates(reading, plan, names):
            return later
    return None


def is_past(sentence: DatedSentence, until: date) -> bool:
    """Whether it only looks forward to a day before `until`: a reminder, an appointment, a plan with a date."""
    reading = _reading(sentence.text, sentence.language)
    if reading.has_happened or not (reading.is_pending or reading.kind in ("promise", "goal")):
        return False
    day = last_day_named(sentence)
    return day is not None and day < until


def is_turning_point(text: str, language: str) -> bool:
    """Whether it reports a birth, a wedding, a death, a new home, a contract or the like."""
    statement = main_statement(text, language)
    is_told = statement is not None and statement.is_real and statement.is_own and statement.kind != "goal"
    return is_told and _words(language).turning.search(_lower(text)) is not None


def is_milestone(text: str, language: str) -> bool:
    """Whether it reports what happened and matters for good. Plans, offers, notices and visits to a doctor do not."""
    reading, low = _reading(text, language), _lower(text)
    if reading.is_milestone and is_turning_point(text, language):
        return True
    words = _words(language)
    return reading.is_milestone and not reading.is_pending and words.minor.search(low) is None


def is_minor(text: str, language: str) -> bool:
    """Whether it reports a notice, an offer, a visit to a doctor or another event that says little later."""
    reading = _reading(text, language)
    is_event = reading.kind in ("event", "result", "progress") and not reading.is_pending
    return is_event and _words(language).minor.search(_lower(text)) is not None


def is_pending(text: str, language: str) -> bool:
    """Whether it is planned, offered or expected."""
    return _reading(text, language).is_pending


def is_reached(goal_status: str, language: str) -> bool:
    """Whether a report on a goal says that it was reached."""
    reading = _reading(goal_status, language)
    return reading.is_milestone and reading.closes and not reading.ends


def ends_a_plan(text: str, language: str) -> bool:
    """Whether it is no plan, though it speaks of wishes: "I turned the job down, I want to teach"."""
    return _words(language).closing.search(_lower(text)) is not None


def persons_in(text: str, language: str) -> frozenset[str]:
    """Who a text is about: relations of the speaker, and the beginnings of names."""
    reading = _reading(text, language)
    return reading.persons | reading.names


def last_day_named(sentence: DatedSentence) -> date | None:
    """The last day that a sentence looks forward to. None if it names none, or if that comes again."""
    words, text, said = _words(sentence.language), _lower(sentence.text), sentence.day
    if (
        words.recurring.search(text)
        or words.starting.search(text)
        or any(int(year[0]) > said.year for year in _YEAR.finditer(text))
    ):
        return None
    days = list(_named_days(words, text, said))
    relative = relative_days(sentence.text, said, summary_words(sentence.language))
    days += [day or said + _SPAN for day in relative]
    if words.weekday.search(text):
        days.append(said + _WEEK)
    return max(days, default=None)


def _named_days(words: _MatterWords, text: str, said: date) -> Iterator[date]:
    for month, pattern in enumerate(words.month_days, 1):
        for match in pattern.finditer(text):
            number = int(match["before"] or match["after"])
            year = said.year if (month, number) >= (said.month, said.day) else said.year + 1
            if 1 <= number <= monthrange(year, month)[1]:
                yield date(year, month, number)
    for month, pattern in enumerate(words.months, 1):
        if pattern.search(text):
            year = said.year if month >= said.month else said.year + 1
            yield date(year, month, monthrange(year, month)[1])


def _may_outdate(reading: _Reading) -> bool:
    return reading.closes or reading.ends or reading.is_pending or bool(reading.slots)


def _outdates(later: _Reading, earlier: _Reading, names: frozenset[str]) -> bool:
    if not earlier.is_milestone and earlier.kind == "fact" and earlier.slots & later.slots:
        return True
    if earlier.persons and later.persons and not earlier.persons & later.persons:
        return False
    if earlier.names and later.names and not earlier.names & later.names and not earlier.persons & later.persons:
        return False
    same_matter = bool(earlier.matters & later.matters)
    if earlier.is_pending and later.closes and (same_matter or earlier.terms & later.terms):
        return True
    if earlier.is_pending and later.is_pending and same_matter and earlier.kind != "goal" and later.kind != "goal":
        return bool(earlier.matters & {"child", "wedding", "surgery"})
    lasts = earlier.is_pending or earlier.recurs or earlier.kind in ("fact", "preference", "promise")
    shared = (term for term in earlier.short_terms & later.short_terms if term[:_LEAST_TERM] not in names)
    return lasts and not earlier.is_milestone and later.ends and any(shared)


@lru_cache(maxsize=_CACHED)
def _reading(text: str, language: str) -> _Reading:
    words, low = _words(language), _lower(text)
    statement = main_statement(text, language)
    kind = statement.kind if statement else "remark"
    real = statement is not None and statement.is_real and statement.is_own
    closes = real and words.closing.search(low) is not None and kind != "goal"
    pending = real and not closes and (kind == "goal" or words.pending.search(low) is not None)
    happened = real and any(_has_happened(clause, language, words) for clause in _CLAUSE.split(text))
    names = (
        frozenset[str]()
        if language == "de"
        else frozenset(fold(name)[:_LEAST_TERM] for name in (*_NAME.findall(text), subject_of(text, language)) if name)
    )
    slots = {fact.slot for fact in personal_facts(text, language, "", date.min) if fact.slot in _SINGLE}
    return _Reading(
        kind,
        statement is not None and statement.is_milestone,
        happened,
        pending and not happened,
        words.recurring.search(low) is not None,
        closes,
        real and words.ending.search(low) is not None,
        frozenset(name for name, pattern in words.matters.items() if pattern.search(low)),
        frozenset(name for name, pattern in words.persons.items() if pattern.search(low)),
        names,
        sentence_terms(text, language),
        frozenset(term for term in topic_terms(low, language) if len(term) >= _LEAST_TERM),
        frozenset(slots),
    )


def _has_happened(clause: str, language: str, words: _MatterWords) -> bool:
    statement = main_statement(clause, language)
    return statement is not None and statement.is_milestone and not words.pending.search(_lower(clause))


def _lower(text: str) -> str:
    return text.lower().replace("’", "'")


@cache
def _words(language: str) -> _MatterWords:
    table = _table()[language if language in LANGUAGES else "en"]
    months = table["months"]
    return _MatterWords(
        pending=_pattern(table["pending"]),
        closing=_pattern(table["closing"]),
        ending=_pattern(table["ending"]),
        recurring=_pattern(table["recurring"]),
        turning=_pattern(table["turning"]),
        minor=_pattern(table["minor"]),
        matters={name: _pattern([words]) for name, words in table["matter"].items()},
        persons={name: _pattern([words]) for name, words in table["person"].items()},
        month_days=tuple(_day_of_month(month) for month in months),
        months=tuple(re.compile(rf"(?<!\w){table['month_at']}(?:{month})(?!\w)") for month in months),
        weekday=_pattern([table["weekday"]]),
        starting=re.compile(
            rf"(?<!\w)(?:{table['starting']}) (?:dem |the )?(?:\d{{1,2}}(?:\.|st|nd|rd|th)? )?(?:{'|'.join(months)})(?!\w)"
        ),
    )


def _day_of_month(month: str) -> re.Pattern[str]:
    before = rf"(?P<before>\d{{1,2}})\.?(?:st|nd|rd|th)? (?:of )?(?:{month})"
    return re.compile(rf"(?<!\w)(?:{before}|(?:{month}) (?P<after>\d{{1,2}})(?:st|nd|rd|th)?)(?!\w)")


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads((files("waypost.journal") / "data" / "matters.toml").read_text("utf-8"))


def _pattern(alternatives: list[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{'|'.join(alternatives)})(?!\w)")
