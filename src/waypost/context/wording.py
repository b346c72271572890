"""What Waypost itself writes into briefings, in the language of the task (`data/briefing.toml`)."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_DATA = Path(__file__).with_name("data") / "briefing.toml"
_ENGLISH = "en"


@dataclass(frozen=True, slots=True)
class Wording:
    heading: Mapping[str, str]  # by section, in the order in which sections stand
    injected: str  # above what a prompt hook adds
    reason: str  # before the reason of a decision
    tests: str
    table: str
    nothing: str
    no_room: str
    summary: str
    summary_left_out: str


@cache
def _wordings() -> Mapping[str, Wording]:
    return {language: Wording(**row) for language, row in tomllib.loads(_DATA.read_text("utf-8")).items()}


def wording(language: str) -> Wording:
    """The wording for a language, English for languages without one."""
    wordings = _wordings()
    return wordings.get(language, wordings[_ENGLISH])


def summary(words: Wording, memories: int, left_out: int, tokens: int, limit: int) -> str:
    """How many memories are shown in how many tokens, as one sentence."""
    if not memories:
        return words.no_room.format(count=left_out, limit=limit) if left_out else words.nothing
    form = words.summary_left_out if left_out else words.summary
    return form.format(count=memories, tokens=tokens, limit=limit, left=left_out)
