"""Quoting for values in one line of Markdown. They read back exactly and cannot end the line or its comment."""

import json
import re
from datetime import UTC, date, datetime, time, timezone, tzinfo

from waypost.errors import InvalidInput
from waypost.model.ids import check_id

QUOTED = r'"(?:[^"\\]|\\.)*+"'
_DASHES = re.compile(r"(?<=-)-")


def is_plain(value: str) -> bool:
    """Whether the value needs no quotes: visible characters without space, quote, bracket or double hyphen."""
    return value.isprintable() and bool(value) and not any(sign in value for sign in (" ", '"', "<", ">", "--"))


def quote(value: str) -> str:
    """The value as a JSON string that cannot close an HTML comment and is fully visible."""
    encoded = json.dumps(value, ensure_ascii=False)
    encoded = _DASHES.sub(r"\\u002d", encoded).replace("<", "\\u003c").replace(">", "\\u003e")
    return encoded if encoded.isprintable() else "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in encoded)


def quote_if_needed(value: str) -> str:
    return value if is_plain(value) else quote(value)


def unquote(text: str) -> str:
    """The value that `quote` or `quote_if_needed` got. Of a broken value, what can be read."""
    if not text.startswith('"'):
        return text
    try:
        value = json.loads(text, strict=False)
    except ValueError:
        return text.strip('"')
    return value if isinstance(value, str) else text


def read_instant(text: str, zone: tzinfo | None) -> datetime | None:
    """An ISO date-time with its own offset or that of the zone, or None if there is no such instant."""
    try:
        value = datetime.fromisoformat(text)
    except ValueError:
        return None
    if value.tzinfo is None:
        return in_zone(value.date(), value.time(), zone)
    return value if _has_instant(value) else None


def in_zone(day: date, clock: time, zone: tzinfo | None) -> datetime:
    """A wall clock time on a day, with the offset valid in the zone (None: that of this machine)."""
    value = datetime.combine(day, clock)
    try:
        value = value.astimezone() if zone is None else value.replace(tzinfo=zone)
        value = value.replace(tzinfo=timezone(value.utcoffset() or UTC.utcoffset(None)))
    except (ValueError, OverflowError, OSError):  # at the ends of the calendar, in some zones
        value = value.replace(tzinfo=UTC)
    return value if _has_instant(value) else value.replace(tzinfo=UTC)


def _has_instant(value: datetime) -> bool:
    try:
        value.astimezone(UTC)
    except (ValueError, OverflowError):
        return False
    return True


def read_id(text: str | None) -> str | None:
    """The memory id, or None if it is missing or invalid."""
    try:
        return check_id(text) if text else None
    except InvalidInput:
        return None
