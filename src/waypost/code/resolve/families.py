"""Languages whose files use each other, and how names are looked up in them (families.toml)."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_DATA = Path(__file__).with_name("families.toml")


@dataclass(frozen=True, slots=True)
class Habits:
    """How a family of languages looks up names."""

    own: frozenset[str] = frozenset()  # words for the object or class of a method: self, this
    above: frozenset[str] = frozenset()  # words for the classes it derives from: super, parent
    implied: bool = False  # a plain call in a method may mean a method of its class
    constructors: frozenset[str] = frozenset()  # methods of a class that give a new one: Ruby's `new`
    built_in: frozenset[str] = frozenset()  # functions and methods of the language: never guessed by their name


def family(language: str) -> str:
    """The family of a language; the language itself when it is alone."""
    return _families().get(language, language)


@cache
def habits(name: str) -> Habits:
    """How the family `name` looks up names."""
    entry = _data().get(name, {})
    return Habits(
        own=frozenset(entry.get("own", ())),
        above=frozenset(entry.get("above", ())),
        implied=entry.get("implied", False),
        constructors=frozenset(entry.get("constructors", ())),
        built_in=frozenset(entry.get("built_in", "").split()) | frozenset(_data()["any"]["built_in"].split()),
    )


@cache
def _families() -> dict[str, str]:
    return {language: name for name, entry in _data().items() for language in entry.get("languages", ())}


@cache
def _data() -> dict[str, dict[str, Any]]:
    return tomllib.loads(_DATA.read_text(encoding="utf-8"))
