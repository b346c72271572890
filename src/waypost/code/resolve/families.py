"""Languages whose files use each other, and their name lookup rules (families.toml)."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_DATA = Path(__file__).with_name("families.toml")


@dataclass(frozen=True, slots=True)
class LookupRules:
    """How a family of languages looks up names."""

    own: frozenset[str] = frozenset()  # words for the object or class of a method: self, this
    above: frozenset[str] = frozenset()  # words for its base classes: super, parent
    implied: bool = False  # a plain call in a method may mean a method of its class
    constructors: frozenset[str] = frozenset()  # class methods that return a new instance: Ruby's `new`
    same_object: frozenset[str] = frozenset()  # methods of wrappers that return what is inside: `unwrap`
    built_in: frozenset[str] = frozenset()  # functions and methods of the language: never resolved by unique name


def family(language: str) -> str:
    """The family of a language, or the language itself if it has none."""
    return _families().get(language, language)


@cache
def lookup_rules(name: str) -> LookupRules:
    entry = _data().get(name, {})
    return LookupRules(
        own=frozenset(entry.get("own", ())),
        above=frozenset(entry.get("above", ())),
        implied=entry.get("implied", False),
        constructors=frozenset(entry.get("constructors", ())),
        same_object=frozenset(entry.get("same_object", "").split()),
        built_in=frozenset(entry.get("built_in", "").split()) | frozenset(_data()["any"]["built_in"].split()),
    )


@cache
def _families() -> dict[str, str]:
    return {language: name for name, entry in _data().items() for language in entry.get("languages", ())}


@cache
def _data() -> dict[str, dict[str, Any]]:
    return tomllib.loads(_DATA.read_text(encoding="utf-8"))
