"""Words that mean about the same in everyday questions: who lives somewhere has moved there, in any of three languages."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from waypost.text.stems import fold, stem

_DATA = Path(__file__).with_name("data") / "everyday.toml"
_LANGUAGES = ("en", "de", "ru")


def related(word: str) -> frozenset[str]:
    """Stems of the words that a text may have instead of this one, in all languages; none for most words."""
    folded = fold(word)
    return frozenset[str]().union(*(_groups().get(stem(folded, own), frozenset()) for own in _LANGUAGES))


@cache
def _groups() -> Mapping[str, frozenset[str]]:
    groups: dict[str, frozenset[str]] = {}
    for line in tomllib.loads(_DATA.read_text("utf-8"))["groups"]:
        stems = frozenset(stem(fold(word), own) for word in line.split() for own in _LANGUAGES)
        for each in stems:
            groups[each] = groups.get(each, frozenset()) | stems
    return groups
