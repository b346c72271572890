"""The subject of a "why" question, and the reason that a statement contains."""

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from waypost.text.language import language_of

_WORD = re.compile(r"[^\s?!.,;:]+")
_LONGEST = 2_000  # characters of a statement that are searched for a reason
_SHORTEST_REASON = 3


@cache
def _lists() -> dict[str, dict[str, Any]]:
    return tomllib.loads((files("waypost.facts") / "data" / "reasons.toml").read_text(encoding="utf-8"))


@cache
def _question_words() -> frozenset[str]:
    """Question words of all languages: three words do not show their language, and the lists do not interfere."""
    return frozenset(word for lists in _lists().values() for word in lists["asking"].split())


def question_subject(question: str) -> str:
    """The question without its question words: `Why did we use FastAPI?` is about `use FastAPI?`.

    A question made only of such words, or that does not begin with one, stays as it is.
    """
    for word in _WORD.finditer(question):
        if word[0].lower().replace("\u2019", "'") not in _question_words():
            return question[word.start() :]
    return question


@cache
def _reason_pattern(language: str) -> re.Pattern[str]:
    words = sorted(_lists()[language]["giving"], key=len, reverse=True)
    return re.compile(rf"(?:^|[\s,;:(–—])({'|'.join(map(re.escape, words))})[\s:,]+", re.I)


def stated_reason(text: str) -> str:
    """The part of a statement that says why, from `because` to the end of the sentence, or an empty string."""
    language = language_of(text)
    line = " ".join(text[:_LONGEST].split())
    match = _reason_pattern(language if language in _lists() else "en").search(line)
    if match is None:
        return ""
    reason = re.split(r"(?<=[.!?…])\s", line[match.start(1) :], maxsplit=1)[0].rstrip(" .!?…)")
    return reason if len(reason) - len(match[1]) > _SHORTEST_REASON else ""
