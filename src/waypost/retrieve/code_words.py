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
    parts: tuple[tuple[str, tuple[str, ...]], ...]  # German words, longest first: what a compound may begin or end with

    def in_english(self, folded: str, language: str) -> tuple[str, ...]:
        """The English terms for a folded word of German or Russian; none for words of other kinds."""
        found = self.stems.get((language, stem(folded, language)))
        if found or language != "de":
            return found or ()
        for part, terms in self.parts:
            if len(folded) >= len(part) + _SHORTEST_REST:
                if folded.startswith(part):
                    return terms + self.in_english(folded[len(part) :].removeprefix("s"), language)
                if folded.endswith(part):
                    return self.in_english(folded[: -len(part)].removesuffix("s"), language) + terms
        return ()


@cache
def code_words() -> CodeWords:
    data = tomllib.loads(_DATA.read_text("utf-8"))
    endings = "|".join(sorted(data["extensions"].split(), key=len, reverse=True))
    stems = {
        (language, stem(fold(word), language)): tuple(stem(term, "en") for term in terms.split())
        for language in ("de", "ru")
        for word, terms in data[language].items()
    }
    german = sorted(((fold(word), terms) for word, terms in data["de"].items()), key=lambda one: (-len(one[0]), one))
    return CodeWords(
        path=re.compile(
            rf"(?<![\w./\\@-])[\w.@~-]{{0,80}}(?:[/\\]{{1,2}}[\w.@-]{{1,80}}){{0,20}}\.(?:{endings})\b(?!\.?\w)"
        ),
        tests=_folded(data["test_words"]),
        platforms=_folded(data["platforms"]),
        side_folders=_folded(data["side_folders"]),
        issue_stops=_folded(data["issue"]["stop"]),
        stems=stems,
        parts=tuple(
            (word, tuple(stem(term, "en") for term in terms.split()))
            for word, terms in german
            if len(word) >= _SHORTEST_PART
        ),
    )


def _folded(words: str) -> frozenset[str]:
    return frozenset(fold(word) for word in words.split())
