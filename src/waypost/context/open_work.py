"""Whether a memory states work that is still open, in English, German or Russian (`data/open_work.toml`)."""

import re
import tomllib
from functools import cache
from pathlib import Path

_DATA = Path(__file__).with_name("data") / "open_work.toml"
_LONGEST = 600  # characters; a longer text reports, and mentions open work by the way


def is_open_work(text: str) -> bool:
    stripped = text.strip()
    begins, anywhere = _patterns()
    return len(stripped) <= _LONGEST and bool(begins.match(stripped) or anywhere.search(stripped))


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    data = tomllib.loads(_DATA.read_text("utf-8"))
    begins, anywhere = ("|".join(data[name]) for name in ("begins", "anywhere"))
    return re.compile(rf"\A[-*\[\] ]*(?:{begins})", re.IGNORECASE), re.compile(anywhere)
