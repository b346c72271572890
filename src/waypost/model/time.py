"""Instants: UTC with zone inside, ISO 8601 outside, whole microseconds in the database.

A memory has two pairs of them: `recorded_at` / `superseded_at` (what we knew) and `valid_from` /
`valid_until` (what was true). A `Moment` asks about one point of each.
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
    """Read an ISO 8601 date or date-time. Without a zone it is UTC; a bare date is its midnight."""
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


def to_micros(value: datetime) -> int:
    return (value - _EPOCH) // timedelta(microseconds=1)


def from_micros(value: int) -> datetime:
    return _EPOCH + timedelta(microseconds=value)


@dataclass(frozen=True, slots=True)
class Moment:
    """What was true at `as_of`, as far as it was known at `known_at`.

    `known_at=None` means everything we know by now. `explicit` says that a caller asked for `as_of`:
    only then is what was said in conversations bound to begin by the time it was said.
    """

    as_of: datetime
    known_at: datetime | None = None
    explicit: bool = False
    asked_at: datetime | None = None  # when the question is asked, where `as_of` is another time

    @property
    def told_at(self) -> datetime:
        """The instant whose knowledge answers: then, or now."""
        return self.known_at or self.asked_at or self.as_of
