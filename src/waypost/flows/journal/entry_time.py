"""Parse when an entry was said: a date, a date with a time, or words, in the journal's time zone."""

import re
from datetime import date, datetime, time, timedelta

from waypost.errors import InvalidInput
from waypost.flows.journal.timeline import parse_span
from waypost.flows.open_space import OpenSpace
from waypost.text.durations import parse_offset

_FROM, _UNTIL = "valid_from", "valid_until"
_SECONDS_OF_DAY = 24 * 60 * 60
_NOON, _SECONDS_OF_DAY = time(12), 24 * 60 * 60
"""Of a day that is named without an hour: the middle is least wrong, and no clock is ever moved at noon."""

_ONLY_DATE = re.compile(r"\d{4}-?\d\d-?\d\d|\d{4}-?W\d\d-?\d")
_WORD = re.compile(r"\w+")
_SMALL_WORDS = frozenset(
    [
        "on",
        "in",
        "at",
        "since",
        "from",
        "to",
        "till",
        "until",
        "by",
        "the",
        "of",
        "and",
        "between",
        "am",
        "an",
        "im",
        "in",
        "seit",
        "ab",
        "von",
        "vom",
        "bis",
        "zum",
        "zur",
        "um",
        "und",
        "zwischen",
        "der",
        "den",
        "dem",
        "des",
        "в",
        "во",
        "с",
        "со",
        "на",
        "по",
        "до",
        "к",
        "и",
        "между",
        "от",
    ]
)
"""May stand beside the words of a time. Any other word leaves the time unclear."""

_HOUR = re.compile(
    r"(?:(?:^|[\s,;])(?:um|gegen|at|around|about|в|около)[ ])?"
    r"(?<![\d.:/-])(?P<hour>\d{1,2})"
    r"(?:(?::(?P<minute>\d\d)(?::(?P<second>\d\d))?)(?P<half>[ ]?[ap]\.?m\b\.?)?(?:[ ](?:uhr|часов|часа|час|ч))?(?![\w:-])"
    r"|[ ]?(?P<alone>[ap]\.?m\b\.?)|[ ](?:uhr|o'?clock|часов|часа|час)\b)",
    re.IGNORECASE,
)


def parse_entry_time(space: OpenSpace, given: str) -> datetime:
    """The instant that a text names: ISO 8601, or words such as "gestern 18:00" and "last Tuesday at 6 pm".

    Without a zone, the journal's zone applies. A day without a time means noon; today without a time means now.
    """
    text = given.strip()
    if (exact := _parse_iso(space, text)) is not None:
        return exact
    now = space.clock()
    offset = parse_offset(text, ahead=False)
    if offset is not None and -offset < _SECONDS_OF_DAY:
        return now + timedelta(seconds=offset)
    words, hour = _without_hour(text[:200])
    first, last = parse_span(space, words) if words or hour is None else (space.journal.today(now),) * 2
    if first != last:
        raise InvalidInput(f"{text[:60]!r} is more than a day.", "Name one day: 2026-01-30, yesterday, last Tuesday.")
    if hour is None and first == space.journal.today(now):
        return now
    return _local(space, datetime.combine(first, hour or _NOON))


def parse_words(space: OpenSpace, given: str, field: str) -> datetime:
    """The instant that a field names in words or by a duration, such as `3d`: an end lies ahead, all others lie back.

    Of several days, `valid_from` takes the first, others the last one that has begun.
    """
    text, now, ahead = given.strip(), space.clock(), field == _UNTIL
    try:
        offset = parse_offset(text, ahead=ahead)
        if offset is not None:
            return now + timedelta(seconds=offset)
        words, hour = _without_hour(text[:200])
        today = space.journal.today(now)
        first, last = parse_span(space, words) if words or hour is None else (today, today)
        _check_words(words, today)
        day = first if field == _FROM else last if ahead else min(last, max(first, today))
        if hour is None and day == today and not ahead:
            return now
        return _local(space, datetime.combine(day, hour or _NOON))
    except (InvalidInput, OverflowError) as error:
        raise InvalidInput(
            f"{field}: {text[:60]!r} is not a date or time.",
            "Write 2026-01-30, 2026-01-30T14:05:00Z, 3d, or words such as yesterday.",
        ) from error


def _check_words(text: str, today: date) -> None:
    """Raise InvalidInput if a text has words beside its time, such as the end of "yesterday-ish"."""
    from waypost.retrieve.lexicon import LANGUAGES  # only for times in words
    from waypost.retrieve.times.question_times import words_of_time

    if text[:1].isdigit() and not _WORD.sub("", text).strip("-"):
        return  # a week, month or year as digits
    understood = _SMALL_WORDS.union(*(words_of_time(text, language, today) for language in LANGUAGES))
    if unclear := [word for word in _WORD.findall(text.lower()) if word not in understood]:
        raise InvalidInput(f"{unclear[0]!r} is not part of a time.", "Write only the time.")


def _parse_iso(space: OpenSpace, text: str) -> datetime | None:
    """ISO 8601 with a time. A bare date is handled like a day in words."""
    if _ONLY_DATE.fullmatch(text):
        return None
    try:
        value = datetime.fromisoformat(text)
    except ValueError:
        return None
    return value if value.tzinfo is not None else _local(space, value)


def _local(space: OpenSpace, value: datetime) -> datetime:
    zone = space.journal.zone
    try:
        return value.astimezone() if zone is None else value.replace(tzinfo=zone)
    except (OverflowError, ValueError, OSError) as error:
        raise InvalidInput(f"{value} is out of range.", "Name a day of our time.") from error


def _without_hour(text: str) -> tuple[str, time | None]:
    match = _HOUR.search(text)
    if match is None:
        return text, None
    hour, half = int(match["hour"]), (match["half"] or match["alone"] or "").strip().lower()[:1]
    if half:
        hour = hour % 12 + (12 if half == "p" else 0) if 1 <= hour <= 12 else 99
    try:
        at = time(hour, int(match["minute"] or 0), int(match["second"] or 0))
    except ValueError as error:
        raise InvalidInput(f"{match[0].strip()!r} is not a time of day.", "Write it as 18:00.") from error
    return f"{text[: match.start()]} {text[match.end() :]}".strip(" ,;\t"), at
