"""The patterns of patterns.toml, compiled once per language."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

_DATA = Path(__file__).with_name("patterns.toml")
_LAST_RESORT = "generic"


@dataclass(frozen=True, slots=True)
class PatternRules:
    ends: str
    comments: tuple[str, ...]
    blocks: tuple[tuple[str, str], ...]
    parameters: str
    symbols: tuple[tuple[str, re.Pattern[str]], ...]
    imports: tuple[re.Pattern[str], ...]
    package: re.Pattern[str] | None
    until: dict[str, re.Pattern[str]]  # by kind
    words: frozenset[str]  # words before a bracket that are not calls


@cache
def rules_for(language: str) -> PatternRules:
    """The rules of a language, or generic ones."""
    table = _tables()
    entry = _with_inherited(table, language if language in table else _LAST_RESORT)
    modifiers = rf"(?:(?:{entry['modifiers']})[ \t]+){{0,6}}" if entry.get("modifiers") else ""
    return PatternRules(
        ends=entry["ends"],
        comments=tuple(entry.get("comments", ())),
        blocks=tuple((opening, closing) for opening, closing in entry.get("blocks", ())),
        parameters=entry["parameters"],
        symbols=tuple((kind, re.compile(pattern.replace("{m}", modifiers))) for kind, pattern in entry["symbols"]),
        imports=tuple(re.compile(pattern) for pattern in entry.get("imports", ())),
        package=re.compile(entry["package"]) if entry.get("package") else None,
        until={kind: re.compile(pattern) for kind, pattern in entry.get("until", {}).items()},
        words=frozenset(table[_LAST_RESORT]["words"]),
    )


def languages_with_patterns() -> tuple[str, ...]:
    return tuple(_tables())


def _with_inherited(table: dict[str, dict[str, Any]], name: str) -> dict[str, Any]:
    entry = table[name]
    return {**_with_inherited(table, entry["like"]), **entry} if "like" in entry else entry


@cache
def _tables() -> dict[str, dict[str, Any]]:
    return tomllib.loads(_DATA.read_text(encoding="utf-8"))
