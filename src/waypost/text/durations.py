"""Durations: `90`, `30m`, `12h`, `3d`, `2w`, and in words such as `3 days`, `2 Wochen` or `5 дней`."""

import re
import tomllib
from functools import cache
from importlib.resources import files

from waypost.errors import InvalidInput

_SECONDS = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400, "week": 7 * 86_400}
_LONGEST = 60
_SPACED_SIGN = re.compile(r"[0-9] \w(?!\w)")  # `3 d` is more likely a mistake


@cache
def _pattern() -> re.Pattern[str]:
    table = tomllib.loads(files(__package__).joinpath("data", "durations.toml").read_text(encoding="utf-8"))
    units = "|".join(f"(?P<{unit}>{table[unit]})" for unit in _SECONDS)
    before = f"(?P<past>{table['past_before']})|(?P<future>{table['future_before']})"
    return re.compile(
        rf"(?:(?:{before})[ ])?(?P<count>[0-9]{{1,12}})(?:[ ]?(?:{units}))?(?:[ ](?P<ago>{table['past_after']}))?"
    )


def parse_duration(span: str) -> int:
    """The seconds in `90`, `30m`, `12h`, `3d`, `2w` or `3 days`, also in German and Russian. Raises InvalidInput."""
    match = _match(span)
    if match is None or match["past"] or match["future"] or match["ago"]:
        raise InvalidInput(f"{span[:40]!r} is not a duration.", "Write seconds, or 30m, 12h, 3d, 2w.")
    return _seconds(match)


def parse_offset(text: str, *, ahead: bool) -> int | None:
    """Seconds from now in `3d`, `3 days ago`, `vor 3 Tagen` or `через 3 дня`; None if the text is no such time.

    A duration without a direction lies in the past, or with `ahead` in the future. A bare number is no duration.
    """
    match = _match(text)
    if match is None or not any(match[unit] for unit in _SECONDS):
        return None
    past = bool(match["past"] or match["ago"]) or (not match["future"] and not ahead)
    return -_seconds(match) if past else _seconds(match)


def _match(text: str) -> re.Match[str] | None:
    match = _pattern().fullmatch(text.strip().lower()) if len(text) <= _LONGEST else None
    return None if match is not None and _SPACED_SIGN.search(match[0]) else match


def _seconds(match: re.Match[str]) -> int:
    unit = next((name for name in _SECONDS if match[name] is not None), "second")
    return int(match["count"]) * _SECONDS[unit]
