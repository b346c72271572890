"""How much news a sentence is, when somebody looks back: outcomes before attempts, the first of its kind before what is daily.

Rules decide by word lists (`data/news.toml`).
"""

import re
import tomllib
from functools import cache, lru_cache
from importlib.resources import files

from waypost.journal.importance.word_lists import LANGUAGES

_WORTH = {"outcome": 2.0, "rare": 1.5, "open": -1.5, "daily": -2.5}
_CACHED = 8_000
_MOST_READ = 600  # characters of one text


@lru_cache(maxsize=_CACHED)
def news_of(text: str, language: str) -> float:
    """How much news a text is: 3 for a result that is the first of its kind, below 0 for a plan or what is daily."""
    low = _lower(text)
    return sum(worth for name, worth in _WORTH.items() if _lists(language)[name].search(low))


@lru_cache(maxsize=_CACHED)
def is_outcome(text: str, language: str) -> bool:
    """Whether a text settles a matter, for better or worse."""
    return _lists(language)["outcome"].search(_lower(text)) is not None


@lru_cache(maxsize=_CACHED)
def is_setback(text: str, language: str) -> bool:
    """Whether it reports a failure that a later success overtakes."""
    return _lists(language)["setback"].search(_lower(text)) is not None


def _lower(text: str) -> str:
    return text[:_MOST_READ].lower().replace("’", "'").replace("ё", "е")


@cache
def _lists(language: str) -> dict[str, re.Pattern[str]]:
    source = files("waypost.journal") / "data" / "news.toml"
    table = tomllib.loads(source.read_text("utf-8"))[language if language in LANGUAGES else "en"]
    return {name: re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)") for name, words in table.items()}
