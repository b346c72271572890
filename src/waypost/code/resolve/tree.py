"""All outlines of a repository, by file and by name."""

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from waypost.code.files.languages import is_test_path
from waypost.code.outline import Outline, OutlineImport
from waypost.code.resolve.families import family
from waypost.code.source import COMPONENT_LANGUAGES, CONTAINERS, FUNCTIONS

MOST_STARS = 300  # wildcard imports per file, such as one for each of a library's functions; each unknown name is searched in all of them


class Value(NamedTuple):
    """What an expression refers to. `kind` is one of:

    - file: a file as a module
    - package: a folder or package; `path` is its name in the module system
    - symbol: a definition
    - instance: an object of a class
    - above: an object, but only what its class inherits
    """

    kind: str
    path: str
    symbol: int = -1
    strength: float = 1.0


class SymbolPlace(NamedTuple):
    """A file, or a symbol in it."""

    path: str
    qualified: str = ""
    line: int = 0  # of its definition: overloads have one qualified name


@dataclass(slots=True)
class OutlineView:
    """One file with its names indexed."""

    path: str
    outline: Outline
    family: str
    top: dict[str, int] = field(default_factory=dict)
    members: dict[int, dict[str, int]] = field(default_factory=dict)
    imports: dict[str, list[tuple[int, OutlineImport]]] = field(
        default_factory=dict
    )  # by the bound name, with their owner
    stars: list[OutlineImport] = field(default_factory=list)
    bindings: dict[tuple[int, str], str] = field(default_factory=dict)
    is_test: bool = False


class OutlineTree:
    """The files of a repository and their names. Outlines are loaded on demand."""

    def __init__(self, outlines: Mapping[str, Outline], manifests: Mapping[str, str]) -> None:
        self.outlines = outlines
        self.manifests = manifests
        self._views: dict[str, OutlineView | None] = {}
        self._qualified: dict[tuple[str, str], dict[str, list[tuple[str, int]]]] = {}

    @cached_property
    def paths(self) -> frozenset[str]:
        return frozenset(self.outlines)

    @cached_property
    def folders(self) -> dict[str, list[str]]:
        """The files in each folder; "" is the root. Folders without files are included."""
        folders: dict[str, list[str]] = {"": []}
        for path in sorted(self.paths):
            folder = posixpath.dirname(path)
            folders.setdefault(folder, []).append(path)
            while folder:
                folder = posixpath.dirname(folder)
                if folder in folders:
                    break
                folders[folder] = []
        return folders

    def view(self, path: str) -> OutlineView | None:
        """The file `path`, or None if it does not exist."""
        if path not in self._views:
            outline = self.outlines[path] if path in self.paths else None
            self._views[path] = _view(path, outline) if outline is not None else None
        return self._views[path]

    def definitions(self, name: str) -> Sequence[tuple[str, int]]:
        """Every definition of a name: its file and its index in the file's symbols."""
        return self._index.get(name, ())

    def qualified(self, language_family: str, name: str, qualified: str) -> Sequence[tuple[str, int]]:
        """Every definition in a language family with this name and qualified name."""
        key = (language_family, name)
        if key not in self._qualified:
            by_qualified: dict[str, list[tuple[str, int]]] = {}
            for path, number in self.definitions(name):
                view = self.view(path)
                if view is not None and view.family == language_family:
                    by_qualified.setdefault(view.outline.symbols[number].qualified, []).append((path, number))
            self._qualified[key] = by_qualified
        return self._qualified[key].get(qualified, ())

    @cached_property
    def _index(self) -> dict[str, list[tuple[str, int]]]:
        index: dict[str, list[tuple[str, int]]] = {}
        for path in self.outlines:
            for number, symbol in enumerate(self.outlines[path].symbols):
                index.setdefault(symbol.name, []).append((path, number))
        return index


def bound_name(language_family: str, statement: OutlineImport) -> str:
    """The name that an import binds in its file, or ""."""
    if statement.alias:
        return "" if statement.alias == "_" and language_family == "go" else statement.alias
    if statement.name:
        return statement.name
    if language_family == "python":
        return statement.module.split(".", 1)[0]
    if language_family == "ecmascript":
        return ""
    last = statement.module.replace("\\", "/").replace("::", "/").rstrip("/")
    if language_family in {"jvm", "dotnet"}:
        last = last.replace(".", "/")
    if language_family == "go":
        return _go_package(last)
    return last.rsplit("/", 1)[-1]


def _go_package(module: str) -> str:
    """The usual name of a Go package: the last part of its path without the version."""
    *above, last = module.split("/")
    if above and last[:1] == "v" and last[1:].isdecimal():
        last = above[-1]
    last = last.split(".v", 1)[0]
    return last.removeprefix("go-").rsplit("-", 1)[-1]


def _view(path: str, outline: Outline) -> OutlineView:
    view = OutlineView(path, outline, family(outline.language), is_test=is_test_path(path))
    symbols = outline.symbols
    is_component = outline.language in COMPONENT_LANGUAGES
    for number, symbol in enumerate(symbols):
        if (symbol.parent < 0 and symbol.qualified == symbol.name) or (symbol.parent == 0 and is_component):
            view.top.setdefault(symbol.name, number)
        if symbol.parent >= 0:
            view.members.setdefault(symbol.parent, {}).setdefault(symbol.name, number)
    view.bindings.update({(binding.owner, binding.name): binding.holds for binding in outline.bindings})
    _place_imports(view)
    return view


def _place_imports(view: OutlineView) -> None:
    """Index imports by bound name. Imports inside a function belong to it."""
    symbols = view.outline.symbols
    functions = iter([number for number, symbol in enumerate(symbols) if symbol.kind in FUNCTIONS])
    following = next(functions, -1)
    around: list[int] = []
    for import_statement in sorted(view.outline.imports, key=lambda statement: statement.line):
        while following >= 0 and symbols[following].start < import_statement.line:
            around.append(following)
            following = next(functions, -1)
        while around and symbols[around[-1]].end < import_statement.line:
            around.pop()
        if import_statement.name == "*" or (view.family == "dotnet" and not import_statement.alias):
            view.stars += [import_statement] if len(view.stars) < MOST_STARS else []
            continue
        name = bound_name(view.family, import_statement)
        if name:
            view.imports.setdefault(name, []).append((around[-1] if around else -1, import_statement))


def is_container(kind: str) -> bool:
    """Whether a symbol of this kind has members."""
    return kind in CONTAINERS or kind == "type"
