"""The word lists for descriptions (words.toml, patterns.toml)."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

_WORDS, _PATTERNS = "words.toml", "patterns.toml"


@dataclass(frozen=True, slots=True)
class DescriptionWords:
    verbs: frozenset[str]
    rather_nouns: frozenset[str]
    takes_object: frozenset[str]
    makes_new: frozenset[str]
    prepositions: frozenset[str]
    conjunctions: frozenset[str]
    no_article: frozenset[str]
    acronyms: frozenset[str]
    verbs_before_nouns: frozenset[str]
    mass_nouns: frozenset[str]
    not_verbs: frozenset[str]
    numbered: frozenset[str]
    noun_heads: frozenset[str]
    after_nouns: frozenset[str]
    flags: frozenset[str]
    handles: frozenset[str]
    acts_on_self: frozenset[str]
    inner_verbs: frozenset[str]
    dull_bases: frozenset[str]
    plain_types: frozenset[str]
    general_stems: frozenset[str]
    empty_stems: frozenset[str]
    empty_docs: frozenset[str]
    pairs: Mapping[str, str]
    two_words: Mapping[str, str]
    abbreviations: Mapping[str, str]
    special: Mapping[str, str]
    beginnings: Mapping[str, str]
    endings: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class CallPatterns:
    """Patterns by call name: receiver ("" for none, "*" for any), languages (empty: all), rank, phrase."""

    calls: Mapping[str, tuple[tuple[str, frozenset[str], int, str], ...]]
    any_of: Mapping[str, tuple[tuple[str, frozenset[str], int, str], ...]]  # by receiver, for any call on it
    decorators: Mapping[str, str]
    routes: Mapping[str, str]
    roles: Mapping[str, str]
    folders: Mapping[str, str]
    standard: Mapping[str, tuple[str, ...]]


@cache
def words() -> DescriptionWords:
    table = _table(_WORDS)
    lists = {name: frozenset(value.split()) if isinstance(value, str) else value for name, value in table.items()}
    return DescriptionWords(**lists | {"empty_docs": frozenset(table["empty_docs"].strip().split("\n"))})


@cache
def patterns() -> CallPatterns:
    table = _table(_PATTERNS)
    calls: dict[str, list[tuple[str, frozenset[str], int, str]]] = {}
    any_of: dict[str, list[tuple[str, frozenset[str], int, str]]] = {}
    for rank, pattern in enumerate(table["pattern"]):
        languages = frozenset(pattern.get("languages", ()))
        for call in pattern["calls"].split():
            receiver, dot, name = call.rpartition(".")
            if name == "*":
                any_of.setdefault(receiver, []).append((receiver, languages, rank, pattern["says"]))
            else:
                receiver_pattern = receiver if receiver or not dot else "*"
                calls.setdefault(name, []).append((receiver_pattern, languages, rank, pattern["says"]))
    return CallPatterns(
        {name: tuple(entries) for name, entries in calls.items()},
        {name: tuple(entries) for name, entries in any_of.items()},
        table["decorators"],
        table["routes"],
        table["roles"],
        table["folders"],
        {language: tuple(beginnings.split()) for language, beginnings in table["standard"].items()},
    )


def _table(name: str) -> dict[str, Any]:
    return tomllib.loads((files("waypost.code.summary") / name).read_text("utf-8"))
