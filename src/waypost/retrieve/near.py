"""Whether something has to do with a message at all, as far as an engine or the words can tell."""

import re
import tomllib
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path

from waypost.retrieve.spread import Engines
from waypost.text.words import keyword_terms

USUAL = 0.7  # of an engine that nobody has measured
ENOUGH_TERMS = 0.5  # of the words of a message, where only words can tell
_DATA = Path(__file__).with_name("data") / "nearness.toml"
_PART = re.compile(r"[^/:]+")


def least_cosine(engine: str) -> float:
    """From which cosine on an engine sees a text near to a message."""
    known = _known()
    return next((known[part] for part in _PART.findall(engine) if part in known), USUAL)


def nearness(cosines: Mapping[str, float], engines: Engines, message: str, text: str) -> float:
    """How near a text is, 0 at the threshold and 1 when it says the same; negative: not near.

    `message` and `text` are languages: they say which engine judges. Without a cosine nothing is near.
    """
    for engine in engines.by_preference(message, text):
        if engine is not None and engine in cosines:
            least = least_cosine(engine)
            return (cosines[engine] - least) / (1 - least)
    return -1.0


def shares_words(terms: Collection[str], text: str, language: str) -> bool:
    """Whether a text has at least half of the words of a message."""
    found = keyword_terms(text, language)
    there = set(found.words) | set(found.stems)
    return bool(terms) and sum(term in there for term in terms) >= ENOUGH_TERMS * len(terms)


@cache
def _known() -> Mapping[str, float]:
    least: Mapping[str, float] = tomllib.loads(_DATA.read_text("utf-8"))["least"]
    return least
