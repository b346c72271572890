"""Instants: aware UTC datetimes in code, ISO 8601 outside, whole microseconds in the database.

A memory has two periods: `recorded_at` to `superseded_at` (when Waypost knew it) and `valid_from` to `valid_until`
(when it was true). A `Moment` is one point in each.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from waypost.errors import InvalidInput

Clock = Callable[[], datetime]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def utc_now() -> datetime:
    return datetime.now(UTC)


def parse_time(text: str, field: str = "time") -> datetime:
    """Read an ISO 8601 date or date-time. Without a zone it is UTC; a date means midnight."""
    try:
        value = datetime.fromisoformat(text.strip())
        value = value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except (ValueError, OverflowError, AttributeError) as error:
        raise InvalidInput(
            f"{field}: {str(text)[:60]!r} is not a date or time.",
            "Write it as 2026-01-30 or 2026-01-30T14:05:00Z.",
        ) from error
    return value


def format_time(value: datetime) -> str:
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def format_minute(value: datetime) -> str:
    """A time for people, to the minute and with its zone: 2026-01-30 14:05 UTC."""
    return f"{value.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def to_micros(value: datetime) -> int:
    return (value - _EPOCH) // timedelta(microseconds=1)


def from_micros(value: int) -> datetime:
    return _EPOCH + timedelta(microseconds=value)


@dataclass(frozen=True, slots=True)
class Moment:
    """What was true at `as_of`, as known at `known_at`; `known_at=None` means everything known by now.

    `explicit` means that a caller asked for `as_of`. Only then are journal entries limited to those said by then.
    """

    as_of: datetime
    known_at: datetime | None = None
    explicit: bool = False
    asked_at: datetime | None = None  # the time of the question, if `as_of` is another

    @property
    def knowledge_at(self) -> datetime:
        """The instant whose knowledge answers the question."""
        return self.known_at or self.asked_at or self.as_of
