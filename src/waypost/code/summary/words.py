"""The word lists of summaries (words.toml)."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class DescriptionWords:
    empty_docs: frozenset[str]
    little_words: frozenset[str]
    common_calls: frozenset[str]
    standard: Mapping[str, tuple[str, ...]]  # prefixes of modules, by language


@cache
def words() -> DescriptionWords:
    table = tomllib.loads((files("waypost.code.summary") / "words.toml").read_text("utf-8"))
    return DescriptionWords(
        frozenset(table["empty_docs"].strip().split("\n")),
        frozenset(table["little_words"].split()),
        frozenset(table["common_calls"].split()),
        {language: tuple(prefixes.split()) for language, prefixes in table["standard"].items()},
    )
