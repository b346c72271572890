"""Whether a message to an agent states what holds for later work, or only asks for something (`data/statement_cues.toml`)."""

import re
import tomllib
from functools import cache, lru_cache
from pathlib import Path

_DATA = Path(__file__).with_name("data") / "statement_cues.toml"
_SENTENCE = re.compile(r"(?<=[.!?;:])\s+|\n+")
_MOST_READ = 2000  # characters


@lru_cache(maxsize=2_000)  # the same messages are compared with each prompt
def statement_cues(text: str) -> int:
    """How many sorts of cues its sentences have that are no questions: 0 for most requests."""
    stating = " ".join(part for part in _SENTENCE.split(text[:_MOST_READ]) if not part.rstrip().endswith("?"))
    folded = stating.replace("’", "'").lower()
    return sum(cue.search(folded) is not None for cue in _cues())


@cache
def _cues() -> tuple[re.Pattern[str], ...]:
    tables: dict[str, dict[str, str]] = tomllib.loads(_DATA.read_text("utf-8"))
    return tuple(
        re.compile(rf"\b(?:{'|'.join(_pattern(cue) for words in table.values() for cue in words.split())})\b")
        for table in tables.values()
    )


def _pattern(cue: str) -> str:
    whole = re.escape(cue.removesuffix("…").replace("_", " "))
    return rf"{whole}\w*" if cue.endswith("…") else whole
