"""Known frameworks by package and import, and the data files of this package."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class Framework:
    name: str
    rank: str  # "web", "frontend", "mobile", or a library's purpose: "test", "cli", "data", "ml", "api", "queue", …
    what: str  # a few words: "a PHP web framework"
    packages: tuple[tuple[str, str], ...]  # ecosystem and package
    imports: tuple[str, ...]  # modules as source files import them
    implied: tuple[str, ...] = ()  # frameworks used with it, though a manifest may not name them
    weak: bool = False  # the package alone does not show that it is used as a framework

    @property
    def is_framework(self) -> bool:
        return self.rank in ("web", "frontend", "mobile")


@cache
def table(name: str) -> dict[str, Any]:
    """A data file of this package."""
    return tomllib.loads(files("waypost.code.architecture").joinpath(name).read_text(encoding="utf-8"))


@cache
def frameworks() -> Mapping[str, Framework]:
    """By name, in file order."""
    by_name = {}
    for entry in table("frameworks.toml")["framework"]:
        by_ecosystem = entry.get("packages", {}).items()
        packages = tuple((ecosystem, package) for ecosystem, names in by_ecosystem for package in names.split())
        imports, implied = tuple(entry.get("imports", "").split()), tuple(entry.get("implied", ()))
        name, rank, what = entry["name"], entry["rank"], entry["what"]
        by_name[name] = Framework(name, rank, what, packages, imports, implied, bool(entry.get("weak")))
    return by_name


@cache
def by_package() -> Mapping[tuple[str, str], Framework]:
    return {key: framework for framework in frameworks().values() for key in framework.packages}


@cache
def by_import() -> Mapping[str, Framework]:
    return {module: framework for framework in frameworks().values() for module in framework.imports}


def framework_of_package(ecosystem: str, package: str) -> Framework | None:
    """The framework of a package. A `*` at the end of a table entry matches any ending."""
    exact = by_package().get((ecosystem, package))
    if exact is None and ecosystem in ("go", "maven", "nuget", "npm", "composer"):
        for prefix, framework in _prefixes(ecosystem):
            if package.startswith(prefix):
                return framework
    return exact


@cache
def _prefixes(ecosystem: str) -> tuple[tuple[str, Framework], ...]:
    pairs = [(name[:-1], it) for (where, name), it in by_package().items() if where == ecosystem and name[-1:] == "*"]
    return tuple(sorted(pairs, key=lambda pair: -len(pair[0])))


def framework_of_import(module: str) -> Framework | None:
    """The framework of a module, by its longest known prefix: `django.db.models` matches `django`."""
    by_module = by_import()
    separator = next((mark for mark in ("\\", "/", "::") if mark in module), ".")
    parts = module.lstrip("\\").split(separator)
    for length in range(min(len(parts), 5), 0, -1):
        framework = by_module.get(separator.join(parts[:length]))
        if framework is not None:
            return framework
    return None
