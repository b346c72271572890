"""Which symbols may be used from outside of the repository: by a runtime, a framework, or the language itself."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from waypost.code.resolve.families import family

_DATA = Path(__file__).with_name("entry_points.toml")
_BASES = re.compile(
    r"\bclass\s+[\w.]{1,200}(?:\[[^\]]{0,200}\])?\(([^)]{1,500})\)|\b(?:extends|implements)\s+(.{1,500})"
    r"|[\w>)\]]\s{0,3}:\s{0,3}([A-Z].{0,500})|\bclass\s+[\w:.]{1,200}\s<\s([A-Z].{0,500})"
)
_WORD = re.compile(r"\w")
_OBJECT = frozenset({"object", "Object", "Generic", "Protocol", "ABC"})
_TYPING = frozenset({"", "typing", "typing_extensions", "t", "abc", "builtins"})  # `asyncio.Protocol` is another one


class _EntryPoints(NamedTuple):
    names: dict[str, frozenset[str]]
    prefixes: tuple[str, ...]
    plain: frozenset[str]
    found_by_base: frozenset[str]


def is_entry_point(name: str, language: str, decorators: tuple[str, ...]) -> bool:
    """Whether something outside may call a symbol, by its name or by a decorator that registers it."""
    rules = _entry_points()
    if name in rules.names["any"] or name in rules.names.get(family(language), frozenset()):
        return True
    if name.startswith(rules.prefixes) or not _WORD.search(name):  # operators are called by their signs
        return True
    return any(decorator.split("(")[0].strip() not in rules.plain for decorator in decorators)


def is_found_by_base(signature: str) -> bool:
    """Whether a framework finds a class by a base that its first line names."""
    match = _BASES.search(signature)
    written = next((group for group in match.groups() if group), "") if match else ""
    return any(base.strip().rpartition(".")[2] in _entry_points().found_by_base for base in written.split(","))


def is_private(name: str, language: str, signature: str) -> bool:
    """Whether only code near a symbol can use it, as far as its name and signature say."""
    if name.startswith(("_", "#")) or "private " in signature:
        return True
    if language == "go":
        return name[:1].islower()
    return language == "rust" and not signature.startswith("pub")


def base_count(signature: str) -> int:
    """How many base types the first line of a type names."""
    match = _BASES.search(signature)
    written = next((group for group in match.groups() if group), "") if match else ""
    names = [part.split("[")[0].split("<")[0].strip() for part in written.replace(" implements ", ",").split(",")]
    return sum(bool(name) and "=" not in name and not _is_object(name) for name in names)


def _is_object(base: str) -> bool:
    """Whether a base type has no methods that others call."""
    place, _, name = base.rpartition(".")
    return name in _OBJECT and place in _TYPING


@cache
def _entry_points() -> _EntryPoints:
    data = tomllib.loads(_DATA.read_text(encoding="utf-8"))
    names = {family_name: frozenset(words.split()) for family_name, words in data["names"].items()}
    return _EntryPoints(
        names, tuple(data["prefixes"]), frozenset(data["plain"].split()), frozenset(data["found_by_base"].split())
    )
