"""What a question for a reason is about, and the reason that a statement gives in its own words."""

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from waypost.text.language import language_of

_WORD = re.compile(r"[^\s?!.,;:]+")
_LONGEST = 2_000  # characters of a statement that are looked through for a reason
_SHORTEST_REASON = 3


@cache
def _lists() -> dict[str, dict[str, Any]]:
    return tomllib.loads((files("waypost.facts") / "data" / "reasons.toml").read_text(encoding="utf-8"))


@cache
def _asking() -> frozenset[str]:
    """Of all languages: nobody can tell the language of three words, and no list has what another is about."""
    return frozenset(word for lists in _lists().values() for word in lists["asking"].split())


def asked_about(question: str) -> str:
    """The question without the words that only ask: `Why did we use FastAPI?` is about `use FastAPI?`.

    A question of nothing else, and one that does not begin by asking, stays as it is.
    """
    for word in _WORD.finditer(question):
        if word[0].lower().replace("\u2019", "'") not in _asking():
            return question[word.start() :]
    return question


@cache
def _giving(language: str) -> re.Pattern[str]:
    words = sorted(_lists()[language]["giving"], key=len, reverse=True)
    return re.compile(rf"(?:^|[\s,;:(–—])({'|'.join(map(re.escape, words))})[\s:,]+", re.IGNORECASE)


def told_reason(text: str) -> str:
    """The part of a statement that says why, from its `because` to the end of the sentence; empty where there is none."""
    language = language_of(text)
    line = " ".join(text[:_LONGEST].split())
    found = _giving(language if language in _lists() else "en").search(line)
    if found is None:
        return ""
    said = re.split(r"(?<=[.!?…])\s", line[found.start(1) :], maxsplit=1)[0].rstrip(" .!?…)")
    return said if len(said) - len(found[1]) > _SHORTEST_REASON else ""
