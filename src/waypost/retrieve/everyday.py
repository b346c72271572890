"""Words that mean about the same, or belong to one matter, in any of three languages: who lives somewhere has moved there."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from waypost.text.stems import fold, stem

_DATA = Path(__file__).with_name("data")
_CYRILLIC = "\u0400"  # its first letter
EVERYDAY, DEVELOPMENT = "everyday", "development"


def related(word: str, field: str = EVERYDAY) -> frozenset[str]:
    """Stems of the words that a text may have instead of this one, in all languages; none for most words."""
    folded = fold(word)
    return frozenset[str]().union(*(_groups(field).get(each, frozenset()) for each in _stems(folded)))


def _stems(folded: str) -> tuple[str, ...]:
    """In the languages of its script."""
    return (stem(folded, "en"), stem(folded, "de")) if folded[:1] < _CYRILLIC else (stem(folded, "ru"),)


@cache
def _groups(field: str) -> Mapping[str, frozenset[str]]:
    groups: dict[str, frozenset[str]] = {}
    for line in tomllib.loads((_DATA / f"{field}.toml").read_text("utf-8"))["groups"]:
        stems = frozenset(each for word in line.split() for each in _stems(fold(word)))
        for each in stems:
            groups[each] = groups.get(each, frozenset()) | stems
    return groups
