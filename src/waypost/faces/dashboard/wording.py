"""Formats values for people."""

import unicodedata
from datetime import datetime
from textwrap import dedent

from waypost.model.code_link import CODE_CHANGED
from waypost.text.plural import counted

_UNITS = ("bytes", "kB", "MB", "GB", "TB")
_SPANS = (
    (86400 * 365, "year"),
    (86400 * 30, "month"),
    (86400 * 7, "week"),
    (86400, "day"),
    (3600, "hour"),
    (60, "minute"),
)
_KEPT_CONTROLS = "\n\t"


def ago(then: datetime, now: datetime) -> str:
    seconds = int((now - then).total_seconds())
    if seconds < 0:
        return f"on {day(then)}"
    for length, name in _SPANS:
        if seconds >= length:
            return f"{counted(seconds // length, name)} ago"
    return "just now"


def day(value: datetime) -> str:
    return f"{value:%Y-%m-%d}"


def size(number: float) -> str:
    value, unit = float(number), 0
    while value >= 1000 and unit < len(_UNITS) - 1:
        value, unit = value / 1000, unit + 1
    return f"{value:.0f} {_UNITS[unit]}" if unit == 0 or value >= 10 else f"{value:.1f} {_UNITS[unit]}"


def percent(share: float) -> str:
    return f"{share:.0%}"


def reason(text: str) -> str:
    """Why something is stale, as the start of a sentence."""
    code = text.removeprefix(CODE_CHANGED)
    return f"Its code has changed: {code}" if code != text else text[:1].upper() + text[1:]


def shortened(text: str, length: int = 200) -> str:
    """The text on one line, cut to a length."""
    line = " ".join(plain(text).split())
    return line if len(line) <= length else line[: length - 1].rstrip() + "…"


def opening(text: str, lines: int = 6, width: int = 160) -> str:
    """The first lines, each cut to a width."""
    first = plain(dedent(text[: lines * width * 4])).split("\n")
    visible = [line if len(line) <= width else line[: width - 1] + "…" for line in first[:lines]]
    return "\n".join([*visible, "…"] if len(first) > lines else visible)


def plain(text: str) -> str:
    """Text with control characters and direction marks shown as their codes."""
    return "".join(_visible(character) for character in text)


def _visible(character: str) -> str:
    if character in _KEPT_CONTROLS or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co"):
        return character
    if character in "\u200c\u200d\ufe0f":  # joiners that some scripts and emoji need
        return character
    return f"\\u{ord(character):04x}"
