"""The packages that a manifest requires, by name. Versions do not matter here."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from waypost.facts.coldstart.tree import ProjectTree, strings, table

_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][\w.\-]{0,100})")
_QUOTED = re.compile(r"['\"]([A-Za-z0-9@][\w.\-/:]{1,100})(?:\[[^\]'\"]{0,60}\])?[^'\"\n]{0,60}['\"]")
_GO = re.compile(
    r"^[ \t]*+(?:require[ \t]++)?([a-z0-9.\-]{1,60}\.[a-z]{2,10}/[\w./\-]{1,200})[ \t]++v[^\s/]{0,200}+(?![ \t]*+//[ \t]*+indirect)",
    re.MULTILINE,
)  # what only others need shapes nothing here
_XML = re.compile(
    r"<artifactId>\s*([\w.\-]{1,100})\s*<|<Package(?:Reference|Version)\s[^>]{0,200}?Include=\"([\w.\-]{1,100})\"|Sdk=\"([\w.\-]{1,100})"
)
_GRADLE = re.compile(
    r"['\"]([\w.\-]{1,100}):([\w.\-]{1,100})(?::[^'\"]{0,60})?['\"]|\bid[\s(]{1,3}['\"]([\w.\-]{2,100})['\"]|libs\.([\w.]{2,80})"
)
_COMMENT = re.compile(r"(?m)^[ \t]*+(?:#|//).{0,2000}$")
_LONGEST = 200_000


def dependencies(tree: ProjectTree, folder: str) -> dict[str, str]:
    """Each package named by the manifests of this folder, in lower case, with the manifest's path."""
    packages: dict[str, str] = {}
    for pattern, names_of in _MANIFESTS.items():
        for path in tree.find(folder, pattern):
            for name in names_of(tree, path):
                packages.setdefault(name.lower(), path)
    return packages


def _xml(tree: ProjectTree, path: str) -> Iterable[str]:
    return [next(filter(None, groups)) for groups in _XML.findall(tree.text(path)[:_LONGEST])]


def _requirements(tree: ProjectTree, path: str, starts: tuple[str, ...] = ("",)) -> Iterable[str]:
    lines = _COMMENT.sub("", tree.text(path)[:_LONGEST]).split("\n")
    return [match[1] for line in lines if line.startswith(starts) and (match := _REQUIREMENT.match(line))]


def _gradle(tree: ProjectTree, path: str) -> Iterable[str]:
    for group, artifact, plugin, alias in _GRADLE.findall(_COMMENT.sub("", tree.text(path)[:_LONGEST])):
        yield from filter(None, (group, artifact, plugin, alias.replace(".", "-")))


def _quoted_names(tree: ProjectTree, path: str) -> Iterable[str]:
    return _QUOTED.findall(_COMMENT.sub("", tree.text(path)[:_LONGEST]))


_JSON_TABLES = "dependencies devDependencies peerDependencies optionalDependencies require require-dev"
_TOML_TABLES = "dependencies dev-dependencies build-dependencies workspace.dependencies packages dev-packages"
_MANIFESTS: dict[str, Callable[[ProjectTree, str], Iterable[str]]] = {
    "package.json": lambda tree, path: _keys(tree.json(path), _JSON_TABLES),
    "composer.json": lambda tree, path: _keys(tree.json(path), _JSON_TABLES),
    "pyproject.toml": lambda tree, path: _python(tree.toml(path)),
    "pipfile": lambda tree, path: _keys(tree.toml(path), _TOML_TABLES),
    "cargo.toml": lambda tree, path: _keys(tree.toml(path), _TOML_TABLES),
    "setup.py": _quoted_names,
    "setup.cfg": lambda tree, path: _requirements(tree, path, (" ", "\t")),
    "*requirements*.txt": _requirements,
    "go.mod": lambda tree, path: _GO.findall(tree.text(path)[:_LONGEST]),
    "pom.xml": _xml,
    "directory.packages.props": _xml,
    "*.csproj": _xml,
    "*.fsproj": _xml,
    "build.gradle": _gradle,
    "build.gradle.kts": _gradle,
    "libs.versions.toml": _gradle,
    "gemfile": _quoted_names,
    "*.gemspec": _quoted_names,
}


def _keys(data: dict[str, Any], tables: str) -> list[str]:
    return [name for keys in tables.split() for name in table(data, *keys.split(".")) if isinstance(name, str)]


def _python(data: dict[str, Any]) -> Iterator[str]:
    lists = [strings(data, "project", "dependencies"), strings(data, "tool", "uv", "dev-dependencies")]
    for keys in (("project", "optional-dependencies"), ("dependency-groups",), ("tool", "pdm", "dev-dependencies")):
        lists += [strings(requirements) for requirements in table(data, *keys).values()]
    environments = table(data, "tool", "hatch", "envs").values()
    lists += [strings(environment, "dependencies") for environment in environments]
    matches = (_REQUIREMENT.match(requirement) for requirements in lists for requirement in requirements)
    yield from (match[1] for match in matches if match)
    poetry = table(data, "tool", "poetry")
    yield from [*table(poetry, "dependencies"), *table(poetry, "dev-dependencies")]
    for group in table(poetry, "group").values():
        yield from table(group, "dependencies")
