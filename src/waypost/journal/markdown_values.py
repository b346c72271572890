"""Values inside one line of Markdown: quoted so that they come back exactly and cannot end the line or its comment."""

import json
import re
from datetime import UTC, date, datetime, time, timezone, tzinfo

QUOTED = r'"(?:[^"\\]|\\.)*+"'
_DASHES = re.compile(r"(?<=-)-")


def is_plain(value: str) -> bool:
    """Whether the value can stand as it is: visible characters without space, quote, bracket or double hyphen."""
    return value.isprintable() and bool(value) and not any(sign in value for sign in (" ", '"', "<", ">", "--"))


def quoted(value: str) -> str:
    """The value as a JSON text in which nothing can close an HTML comment and everything is visible."""
    shown = json.dumps(value, ensure_ascii=False)
    shown = _DASHES.sub(r"\\u002d", shown).replace("<", "\\u003c").replace(">", "\\u003e")
    return shown if shown.isprintable() else "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in shown)


def written(value: str) -> str:
    return value if is_plain(value) else quoted(value)


def unquoted(shown: str) -> str:
    """What `quoted` or `written` was given; of a broken value what can be read."""
    if not shown.startswith('"'):
        return shown
    try:
        value = json.loads(shown, strict=False)
    except ValueError:
        return shown.strip('"')
    return value if isinstance(value, str) else shown


def read_instant(shown: str, zone: tzinfo | None) -> datetime | None:
    """An ISO date-time with the offset it names, or else that of the zone. None if there is no such instant."""
    try:
        value = datetime.fromisoformat(shown)
    except ValueError:
        return None
    if value.tzinfo is None:
        return in_zone(value.date(), value.time(), zone)
    return value if _has_instant(value) else None


def in_zone(day: date, clock: time, zone: tzinfo | None) -> datetime:
    """That wall clock on that day, with the offset which held there (None: where this machine stands)."""
    value = datetime.combine(day, clock)
    try:
        value = value.astimezone() if zone is None else value.replace(tzinfo=zone)
        value = value.replace(tzinfo=timezone(value.utcoffset() or UTC.utcoffset(None)))
    except (ValueError, OverflowError, OSError):  # the first and last days of the calendar, in some zones
        value = value.replace(tzinfo=UTC)
    return value if _has_instant(value) else value.replace(tzinfo=UTC)


def _has_instant(value: datetime) -> bool:
    try:
        value.astimezone(UTC)
    except (ValueError, OverflowError):
        return False
    return True
