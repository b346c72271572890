"""What folders are called: the lists by which `domains` reads a tree. `data/layout.toml` says what each is for."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class LayoutWords:
    containers: frozenset[str]
    never: frozenset[str]
    package_roots: frozenset[str]
    tests: frozenset[str]
    layers: frozenset[str]
    layer_marks: frozenset[str]
    slices: frozenset[str]
    generic: frozenset[str]
    test_starts: tuple[str, ...]
    test_ends: tuple[str, ...]
    manifests: frozenset[str]
    manifest_ends: tuple[str, ...]
    source: frozenset[str]


@cache
def words() -> LayoutWords:
    """Read once."""
    told: dict[str, Any] = tomllib.loads(
        files("waypost.facts").joinpath("data", "layout.toml").read_text(encoding="utf-8")
    )
    return LayoutWords(
        containers=frozenset(told["containers"].split()),
        never=frozenset(told["never"].split()),
        tests=frozenset(told["tests"].split()),
        layers=frozenset(told["layers"].split()),
        layer_marks=frozenset(told["layer_marks"].split()),
        slices=frozenset(told["slices"].split()),
        generic=frozenset(told["generic"].split()),
        package_roots=frozenset(told["package_roots"].split()),
        test_starts=tuple(told["test_starts"].split()),
        test_ends=tuple(told["test_ends"].split()),
        manifests=frozenset(told["manifests"].split()),
        manifest_ends=tuple(told["manifest_ends"].split()),
        source=frozenset(told["source"].split()),
    )
