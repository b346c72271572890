"""When an entry was said, as a person tells it: a date, a date with an hour, or words, by the journal's own clock."""

import re
from datetime import datetime, time

from waypost.errors import InvalidInput
from waypost.flows.journal.timeline import named_span
from waypost.flows.open_space import OpenSpace

_NOON = time(12)
"""Of a day that is named without an hour: the middle is least wrong, and no clock is ever moved at noon."""

_ONLY_DATE = re.compile(r"\d{4}-?\d\d-?\d\d|\d{4}-?W\d\d-?\d")
_HOUR = re.compile(
    r"(?:(?:^|[\s,;])(?:um|gegen|at|around|about|в|около)[ ])?"
    r"(?<![\d.:/-])(?P<hour>\d{1,2})"
    r"(?:(?::(?P<minute>\d\d)(?::(?P<second>\d\d))?)(?P<half>[ ]?[ap]\.?m\b\.?)?(?:[ ](?:uhr|часов|часа|час|ч))?(?![\w:-])"
    r"|[ ]?(?P<alone>[ap]\.?m\b\.?)|[ ](?:uhr|o'?clock|часов|часа|час)\b)",
    re.IGNORECASE,
)


def moment_told(space: OpenSpace, told: str) -> datetime:
    """The instant that a text names: ISO 8601, or words such as "gestern 18:00" and "last Tuesday at 6 pm".

    What has no zone is by the journal's clock. A day without an hour is its noon, today without one is now.
    """
    text = told.strip()
    if (exact := _written(space, text)) is not None:
        return exact
    now = space.clock()
    words, hour = _without_hour(text[:200])
    first, last = named_span(space, words) if words or hour is None else (space.journal.today(now),) * 2
    if first != last:
        raise InvalidInput(f"{text[:60]!r} is more than a day.", "Name one day: 2026-01-30, yesterday, last Tuesday.")
    if hour is None and first == space.journal.today(now):
        return now
    return _local(space, datetime.combine(first, hour or _NOON))


def _written(space: OpenSpace, text: str) -> datetime | None:
    """What is written as ISO 8601 with an hour; a bare date is a day like one named in words."""
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
        raise InvalidInput(f"{value} is out of reach.", "Name a day of our time.") from error


def _without_hour(text: str) -> tuple[str, time | None]:
    """The words without the hour among them, and the hour."""
    found = _HOUR.search(text)
    if found is None:
        return text, None
    hour, half = int(found["hour"]), (found["half"] or found["alone"] or "").strip().lower()[:1]
    if half:
        hour = hour % 12 + (12 if half == "p" else 0) if 1 <= hour <= 12 else 99
    try:
        at = time(hour, int(found["minute"] or 0), int(found["second"] or 0))
    except ValueError as error:
        raise InvalidInput(f"{found[0].strip()!r} is no hour of a day.", "Write it as 18:00.") from error
    return f"{text[: found.start()]} {text[found.end() :]}".strip(" ,;\t"), at
