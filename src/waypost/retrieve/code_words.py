"""The word lists for questions about code, read once: `data/code_words.toml` says what they mean."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from waypost.text.stems import fold, stem

_DATA = Path(__file__).with_name("data") / "code_words.toml"
_SHORTEST_PART = 4  # letters that a German word must have to be seen inside a compound
_SHORTEST_REST = 2  # letters that must remain of the compound


@dataclass(frozen=True, slots=True)
class CodeWords:
    path: re.Pattern[str]  # a path that ends with the ending of a source file
    tests: frozenset[str]
    platforms: frozenset[str]
    side_folders: frozenset[str]
    issue_stops: frozenset[str]
    stems: Mapping[tuple[str, str], tuple[str, ...]]  # (language, stem) → English terms
    phrases: Mapping[tuple[str, str, str], tuple[str, ...]]  # (language, stem, stem) → English terms
    parts: tuple[tuple[str, tuple[str, ...]], ...]  # German stems, longest first: what a compound may begin or end with

    def in_english(self, folded: str, language: str) -> tuple[str, ...]:
        """The English terms for a folded word of German or Russian; none for words that are not listed.

        A German compound is read from its ends: `konfigurationsdatei` is `config` and `file`.
        """
        found = self.stems.get((language, stem(folded, language)))
        if found or language != "de":
            return found or ()
        stemmed = stem(folded, "de")
        for part, terms in self.parts:
            if len(stemmed) >= len(part) + _SHORTEST_REST:
                if stemmed.startswith(part):
                    return terms + self.in_english(folded[len(part) :].lstrip("ens"), language)
                if stemmed.endswith(part):
                    return self.in_english(stemmed[: -len(part)].removesuffix("s"), language) + terms
        return ()

    def phrase(self, before: str, folded: str, language: str) -> tuple[str, ...]:
        """The English terms for two words that are one thing: `база данных`."""
        return self.phrases.get((language, stem(before, language), stem(folded, language)), ())


@cache
def code_words() -> CodeWords:
    data = tomllib.loads(_DATA.read_text("utf-8"))
    endings = "|".join(sorted(data["extensions"].split(), key=len, reverse=True))
    stems: dict[tuple[str, str], tuple[str, ...]] = {}
    phrases: dict[tuple[str, str, str], tuple[str, ...]] = {}
    for language in ("de", "ru"):
        for words, terms in data[language].items():
            found = [stem(fold(word), language) for word in words.split("_")]
            english = tuple(stem(term, "en") for term in terms.split())
            if len(found) == 1:
                stems[language, found[0]] = english
            else:
                phrases[language, found[0], found[1]] = english
    german = sorted(
        ((word, terms) for (language, word), terms in stems.items() if language == "de"), key=_longest_first
    )
    return CodeWords(
        path=re.compile(
            rf"(?<![\w./\\@-])[\w.@~-]{{0,80}}(?:[/\\]{{1,2}}[\w.@-]{{1,80}}){{0,20}}\.(?:{endings})\b(?!\.?\w)"
        ),
        tests=_folded(data["test_words"]),
        platforms=_folded(data["platforms"]),
        side_folders=_folded(data["side_folders"]),
        issue_stops=_folded(data["issue"]["stop"]),
        stems=stems,
        phrases=phrases,
        parts=tuple(one for one in german if len(one[0]) >= _SHORTEST_PART),
    )


def _longest_first(one: tuple[str, tuple[str, ...]]) -> tuple[int, str]:
    return -len(one[0]), one[0]


def _folded(words: str) -> frozenset[str]:
    return frozenset(fold(word) for word in words.split())
