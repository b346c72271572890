"""The word lists of smart context, read once: `data/scope.toml` says what they mean."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from waypost.text.keywords import stop_words
from waypost.text.stems import fold, stem

LANGUAGES = ("en", "de", "ru")
_DATA = Path(__file__).with_name("data") / "scope.toml"
_EXACTLY = "="
_SHORTEST_PART = 5  # letters that a listed word must have to be seen inside a compound
_SHORTEST_REST = 3  # letters that must remain of the compound
_CYRILLIC = re.compile("[\u0400-\u052f]")


@dataclass(frozen=True, slots=True)
class ScopeTopics:
    """Named sets of words; a word may name several."""

    names: tuple[str, ...]  # in the order of the file
    exact: Mapping[str, tuple[str, ...]]  # folded word → names
    stems: Mapping[tuple[str, str], tuple[str, ...]]  # (language, stem) → names
    parts: tuple[tuple[str, str], ...]  # (folded word, name): what a compound may begin or end with

    def named_by(self, word: str) -> tuple[str, ...]:
        """The names that a word leads to, in any of its forms and as a part of a compound."""
        folded = fold(word)
        names = list(self.exact.get(folded, ()))
        for language in ("ru",) if _CYRILLIC.match(folded) else ("en", "de"):
            names += self.stems.get((language, stem(folded, language)), ())
        if not names:
            names = [name for part, name in self.parts if _is_compound(folded, part)]
        return tuple(dict.fromkeys(names))


@dataclass(frozen=True, slots=True)
class ScopeWords:
    stop: frozenset[str]  # folded, of all languages: a description of a few words seldom shows its own
    groups: ScopeTopics
    related: Mapping[str, tuple[str, ...]]
    task_types: ScopeTopics
    bonuses: Mapping[str, Mapping[str, float]]
    path_types: Mapping[str, frozenset[str]]
    same_as: Mapping[str, str]

    def is_stop(self, word: str) -> bool:
        return fold(word) in self.stop


@cache
def scope_words() -> ScopeWords:
    data = tomllib.loads(_DATA.read_text("utf-8"))
    stop = {fold(word) for words in data["stop"].values() for word in words.split()}
    return ScopeWords(
        stop=frozenset(stop.union(*map(stop_words, LANGUAGES))),
        groups=_topics(data["groups"]),
        related={name: tuple(group["related"].split()) for name, group in data["groups"].items()},
        task_types=_topics(data["task_types"]),
        bonuses=data["bonuses"],
        path_types={name: frozenset(words.split()) for name, words in data["path_types"].items()},
        same_as=data["same_as"],
    )


def _topics(tables: Mapping[str, Mapping[str, str]]) -> ScopeTopics:
    exact: dict[str, tuple[str, ...]] = {}
    stems: dict[tuple[str, str], tuple[str, ...]] = {}
    parts: dict[tuple[str, str], None] = {}
    for name, table in tables.items():
        for language in LANGUAGES:
            for word in table[language].split():
                folded = fold(word.removeprefix(_EXACTLY))
                exact[folded] = (*exact.get(folded, ()), name)
                if word.startswith(_EXACTLY):
                    continue
                key = language, stem(folded, language)
                stems[key] = (*stems.get(key, ()), name)
                if language != "ru" and len(folded) >= _SHORTEST_PART:
                    parts[folded, name] = None
    return ScopeTopics(tuple(tables), exact, stems, tuple(parts))


def _is_compound(word: str, part: str) -> bool:
    return len(word) >= len(part) + _SHORTEST_REST and (word.startswith(part) or word.endswith(part))
