"""The word lists of ranking, read once: `data/words.toml` and `data/times.toml`; stop words are those of the index."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from waypost.text.keywords import stop_words
from waypost.text.stems import fold

LANGUAGES = ("en", "de", "ru")
_LISTS = ("fragments", "asking")
_DATA = Path(__file__).with_name("data")


@dataclass(frozen=True, slots=True)
class QuestionWords:
    stop: frozenset[str]  # folded
    asking: frozenset[str]  # folded
    self: re.Pattern[str]
    recalled: re.Pattern[str]
    speaking: re.Pattern[str]
    when: re.Pattern[str]
    how_many: re.Pattern[str]
    several: re.Pattern[str]
    dated: re.Pattern[str]
    counted: re.Pattern[str]


def treated_as(language: str) -> str:
    """The language whose lists serve for a text: a text without a language, or in an unknown one, reads as English."""
    return language if language in LANGUAGES else "en"


@cache
def words_of(language: str) -> QuestionWords:
    table = _tables("words.toml")[treated_as(language)]
    patterns = {name: _pattern(source) for name, source in table.items() if name not in _LISTS}
    return QuestionWords(
        stop=stop_words(treated_as(language)) | set(table["fragments"].split()),
        asking=frozenset(map(fold, table["asking"].split())),
        **patterns,
    )


@cache
def times_of(language: str) -> dict[str, Any]:
    """The words for times in a language, and those that serve in all."""
    tables = _tables("times.toml")
    return tables["all"] | tables[treated_as(language)]


@cache
def _tables(name: str) -> dict[str, dict[str, Any]]:
    return tomllib.loads((_DATA / name).read_text("utf-8"))


def _pattern(source: str) -> re.Pattern[str]:
    """Alternatives that may stand on several lines; only whole words match."""
    return re.compile(rf"(?<!\w)(?:{source.strip().replace(chr(10), '')})(?!\w)")
