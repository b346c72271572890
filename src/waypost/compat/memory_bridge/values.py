"""Converts values of another program's database: numbers as text, text as bytes, times in many forms."""

import json
import re
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from waypost.model.characters import without_escapes
from waypost.model.draft import MAX_LEVEL
from waypost.store.sqlite.foreign import TooLarge, Value

_NUMBER = re.compile(r"[+-]?\d{1,20}(?:\.\d{0,20})?(?:[eE][+-]?\d{1,3})?")
_LEVEL = re.compile(r"l?([0-3])(?!\d)")
_LEVELS = ("project", "domain", "module", "code")
_ZONE_NAME = re.compile(r"\s?(?:UTC|GMT)$", re.IGNORECASE)
_FRACTION = re.compile(r"(?<=\.)(\d{6})\d{1,9}")  # nanoseconds, as written by Go
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_LINE_BREAKS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\s]+")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_JULIAN_EPOCH = 2_440_587.5
_JULIAN = (2_300_000.0, 2_600_000.0)  # from 1585 to 2406; as seconds, a day in January 1970
_SCALES = (1e11, 1e14, 1e17)  # larger numbers are milliseconds, microseconds, nanoseconds
_EARLIEST = datetime(1900, 1, 1, tzinfo=UTC)
_OPEN_END = datetime(3000, 1, 1, tzinfo=UTC)  # 9999-12-31 and similar dates mean no end
_LONGEST_ID = 200
_LONGEST_JSON = 20_000
_YES = frozenset({"true", "yes", "y", "t", "on", "1"})
_NO = frozenset({"false", "no", "n", "f", "off", "0", ""})


def text_of(value: Value) -> str | None:
    """The value as text without control characters; None if it is binary or missing."""
    if isinstance(value, bytes):
        try:
            value = value.decode("utf-8")
        except UnicodeDecodeError:
            return None
    if value is None or isinstance(value, TooLarge):
        return None
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    return _CONTROL.sub(" ", without_escapes(str(value))).strip()


def line_of(value: Value) -> str:
    """The value as one line; empty if it has no text."""
    text = text_of(value)
    return _LINE_BREAKS.sub(" ", text).strip() if text else ""


def id_of(value: Value) -> str:
    """The value as the id of a row: a short line, different for each value; empty if it has no text."""
    line = line_of(value)
    if len(line) <= _LONGEST_ID:
        return line
    return f"{line[:_LONGEST_ID]}…{sha256(line.encode()).hexdigest()[:16]}"


def number_of(value: Value) -> float | None:
    if isinstance(value, int | float):
        number = float(value)
    else:
        line = line_of(value)
        if not _NUMBER.fullmatch(line):
            return None
        number = float(line)
    return number if abs(number) < 1e20 else None  # False for NaN, too


def flag_of(value: Value) -> bool | None:
    """The value as a bool; None if it is neither true nor false."""
    if value is None or isinstance(value, TooLarge):
        return None
    line = line_of(value).casefold()
    number = number_of(value)
    if number is not None:
        return number != 0
    return True if line in _YES else False if line in _NO else None


def level_of(value: Value) -> int | None:
    """The level in `2`, `2.0`, `"2"`, `L2`, `L2_MODULE` or `module`; None for others."""
    number = number_of(value)
    if number is not None:
        return int(number) if number in range(MAX_LEVEL + 1) else None
    line = line_of(value).casefold().removeprefix("memorylevel.")
    match = _LEVEL.match(line)
    if match:
        return int(match[1])
    return _LEVELS.index(line) if line in _LEVELS else None


def time_of(value: Value) -> datetime | None:
    """An instant from ISO 8601, SQLite's format (both UTC without a zone) or a number since 1970; else None."""
    line = line_of(value)
    try:
        moment = None if isinstance(value, int | float) else _from_text(line)
        number = number_of(value) if moment is None else None
        if number is not None and number > 0:
            moment = _from_number(number)
    except (ValueError, OverflowError):
        return None
    return moment if moment is not None and moment >= _EARLIEST else None


def end_of(value: Value) -> datetime | None:
    """Like `time_of`, for the end of a period. A very distant end means None."""
    moment = time_of(value)
    return None if moment is None or moment >= _OPEN_END else moment


def _from_text(line: str) -> datetime | None:
    if _NUMBER.fullmatch(line) and len(line) != len("20260130"):
        return None
    plain = _FRACTION.sub(r"\1", _ZONE_NAME.sub("", line))
    try:
        moment = datetime.fromisoformat(plain)
    except ValueError:
        return None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _from_number(number: float) -> datetime:
    if _JULIAN[0] < number < _JULIAN[1]:
        return _EPOCH + timedelta(days=number - _JULIAN_EPOCH)
    scale = 1000 ** sum(number >= limit for limit in _SCALES)
    return _EPOCH + timedelta(seconds=number / scale)


def json_of(value: Value) -> Any:
    """The value of a JSON array or object; None if it is not one."""
    line = text_of(value)
    if not line or line[0] not in "[{" or len(line) > _LONGEST_JSON:
        return None
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
