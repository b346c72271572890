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


Groups = tuple[tuple[str, ...], ...]  # for each thing that is named, its English words, the most usual one first


@dataclass(frozen=True, slots=True)
class CodeWords:
    path: re.Pattern[str]  # a path that ends with the ending of a source file
    tests: frozenset[str]
    kinds: frozenset[str]  # say what kind of code is meant, and nothing about it
    symbol_kinds: frozenset[str]  # those of them beside which a word is a name
    platforms: frozenset[str]
    side_folders: frozenset[str]
    issue_stops: frozenset[str]
    english: Mapping[tuple[str, str], tuple[str, ...]]  # (language, stem) → English words
    phrases: Mapping[tuple[str, str, str], tuple[str, ...]]  # (language, stem, stem) → English words
    parts: tuple[tuple[str, tuple[str, ...]], ...]  # German stems, longest first: what a compound may begin or end with

    def in_english(self, folded: str, language: str) -> Groups:
        """What a folded word of German or Russian names in English; nothing for words that are not listed.

        A German compound is read from its ends: `konfigurationsdatei` is `config` and `file`.
        """
        english = self.english.get((language, stem(folded, language)))
        if english:
            return (english,)
        if language != "de":
            return ()
        stemmed = stem(folded, "de")
        for part, words in self.parts:
            if len(stemmed) >= len(part) + _SHORTEST_REST:
                if stemmed.startswith(part):
                    return (words, *self.in_english(folded[len(part) :].lstrip("ens"), language))
                if stemmed.endswith(part):
                    return (*self.in_english(stemmed[: -len(part)].removesuffix("s"), language), words)
        return ()

    def phrase(self, before: str, folded: str, language: str) -> Groups:
        """The same for two words that name one thing: `база данных`."""
        english = self.phrases.get((language, stem(before, language), stem(folded, language)))
        return (english,) if english else ()


@cache
def code_words() -> CodeWords:
    data = tomllib.loads(_DATA.read_text("utf-8"))
    endings = "|".join(sorted(data["extensions"].split(), key=len, reverse=True))
    english: dict[tuple[str, str], tuple[str, ...]] = {}
    phrases: dict[tuple[str, str, str], tuple[str, ...]] = {}
    for language in ("de", "ru"):
        for words, meaning in data[language].items():
            stems = [stem(fold(word), language) for word in words.split("_")]
            if len(stems) == 1:
                english[language, stems[0]] = tuple(meaning.split())
            else:
                phrases[language, stems[0], stems[1]] = tuple(meaning.split())
    german = sorted(
        ((word, terms) for (language, word), terms in english.items() if language == "de"), key=_longest_first
    )
    return CodeWords(
        path=re.compile(
            rf"(?<![\w./\\@-])[\w.@~-]{{0,80}}(?:[/\\]{{1,2}}[\w.@-]{{1,80}}){{0,20}}\.(?:{endings})\b(?!\.?\w)"
        ),
        tests=_folded(data["test_words"]),
        kinds=_folded(f"{data['symbol_kinds']} {data['other_kinds']}"),
        symbol_kinds=_folded(data["symbol_kinds"]),
        platforms=_folded(data["platforms"]),
        side_folders=_folded(data["side_folders"]),
        issue_stops=_folded(data["issue"]["stop"]),
        english=english,
        phrases=phrases,
        parts=tuple(entry for entry in german if len(entry[0]) >= _SHORTEST_PART),
    )


def _longest_first(entry: tuple[str, tuple[str, ...]]) -> tuple[int, str]:
    return -len(entry[0]), entry[0]


def _folded(words: str) -> frozenset[str]:
    return frozenset(fold(word) for word in words.split())
