"""Whether a fact says itself that it holds only for a while (`data/temporary.toml`)."""

import re
import tomllib
from functools import cache
from importlib.resources import files

_DAY = 86_400
_READ = 600  # characters


def seconds_of(text: str) -> int | None:
    """How long a fact holds by its own words, or None if they do not limit it."""
    beginning = text[:_READ].casefold()
    return next((days * _DAY for days, pattern in _spans() if pattern.search(beginning)), None)


@cache
def _spans() -> tuple[tuple[int, re.Pattern[str]], ...]:
    table = tomllib.loads(files("waypost.facts").joinpath("data/temporary.toml").read_text(encoding="utf-8"))
    spans = sorted(table["span"], key=lambda row: row["days"])
    return tuple((row["days"], re.compile(rf"(?<!\w)(?:{'|'.join(row['words'])})(?!\w)")) for row in spans)
