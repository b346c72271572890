"""All outlines of a tree, looked at file by file and name by name."""

import posixpath
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from waypost.code.files.languages import is_test_path
from waypost.code.outline import Outline, OutlineImport
from waypost.code.resolve.families import family
from waypost.code.source import CONTAINERS

FUNCTIONS = frozenset({"function", "method", "property", "macro"})
MOST_STARS = 60  # imports of everything in one file; each unknown name is looked for in all of them
_COMPONENTS = frozenset({"vue", "svelte", "astro"})


class Value(NamedTuple):
    """What an expression stands for. `kind` is one of:

    file      a file taken as a module
    package   a folder or package; `path` is its name as the module system has it
    symbol    a definition
    instance  an object of a class
    above     an object, but only what its class inherits
    """

    kind: str
    path: str
    symbol: int = -1
    strength: float = 1.0


class SymbolPlace(NamedTuple):
    """A file, or a symbol in it."""

    path: str
    qualified: str = ""


@dataclass(slots=True)
class OutlineView:
    """One file, with its names in order."""

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
    """The files of a tree and their names. Outlines are taken from the mapping only when needed."""

    def __init__(
        self,
        outlines: Mapping[str, Outline],
        manifests: Mapping[str, str],
        names: Callable[[str], Iterable[SymbolPlace]] | None = None,
    ) -> None:
        self.outlines = outlines
        self.manifests = manifests
        self._names = names
        self._views: dict[str, OutlineView | None] = {}
        self._told: dict[str, list[SymbolPlace]] = {}
        self._found: dict[str, list[tuple[str, int]]] = {}
        self._qualified: dict[tuple[str, str], dict[str, list[tuple[str, int]]]] = {}

    @cached_property
    def paths(self) -> frozenset[str]:
        return frozenset(self.outlines)

    @cached_property
    def folders(self) -> dict[str, list[str]]:
        """The files in each folder; "" is the root. Folders that hold only folders are there, too."""
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
        """The file `path`; None when it is not in the tree."""
        if path not in self._views:
            outline = self.outlines[path] if path in self.paths else None
            self._views[path] = _view(path, outline) if outline is not None else None
        return self._views[path]

    def defined(self, name: str) -> Sequence[tuple[str, int]]:
        """Every definition of a name: its file and its place in the symbols there."""
        if self._names is None:
            return self._index.get(name, ())
        if name not in self._found:
            self._told.setdefault(name, list(self._names(name)))
            self._found[name] = [found for place in self._told[name] for found in self._at(place)]
        return self._found[name]

    def places(self, name: str) -> Sequence[object]:
        """As many things as there are definitions of a name; no outline is read for it."""
        if self._names is None:
            return self._index.get(name, ())
        if name not in self._told:
            self._told[name] = list(self._names(name))
        return self._told[name]

    def qualified(self, kin: str, name: str, qualified: str) -> Sequence[tuple[str, int]]:
        """Every definition of a family with this name and this qualified name."""
        key = (kin, name)
        if key not in self._qualified:
            found: dict[str, list[tuple[str, int]]] = {}
            for path, number in self.defined(name):
                view = self.view(path)
                if view is not None and view.family == kin:
                    found.setdefault(view.outline.symbols[number].qualified, []).append((path, number))
            self._qualified[key] = found
        return self._qualified[key].get(qualified, ())

    def _at(self, place: SymbolPlace) -> Iterable[tuple[str, int]]:
        view = self.view(place.path)
        symbols = view.outline.symbols if view is not None else ()
        return [(place.path, number) for number, one in enumerate(symbols) if one.qualified == place.qualified]

    @cached_property
    def _index(self) -> dict[str, list[tuple[str, int]]]:
        index: dict[str, list[tuple[str, int]]] = {}
        for path in self.outlines:
            for number, symbol in enumerate(self.outlines[path].symbols):
                index.setdefault(symbol.name, []).append((path, number))
        return index


def bound_name(kin: str, brought: OutlineImport) -> str:
    """The name that an import gives in its file; "" for none."""
    if brought.alias:
        return "" if brought.alias == "_" and kin == "go" else brought.alias
    if brought.name:
        return brought.name
    if kin == "python":
        return brought.module.split(".", 1)[0]
    if kin == "ecmascript":
        return ""
    last = brought.module.replace("\\", "/").replace("::", "/").rstrip("/")
    if kin in {"jvm", "dotnet"}:
        last = last.replace(".", "/")
    if kin == "go":
        return _go_package(last)
    return last.rsplit("/", 1)[-1]


def _go_package(module: str) -> str:
    """The usual name of a Go package: the last part of its path, but not its version."""
    *above, last = module.split("/")
    if above and last[:1] == "v" and last[1:].isdecimal():
        last = above[-1]
    last = last.split(".v", 1)[0]
    return last.removeprefix("go-").rsplit("-", 1)[-1]


def _view(path: str, outline: Outline) -> OutlineView:
    view = OutlineView(path, outline, family(outline.language), is_test=is_test_path(path))
    symbols = outline.symbols
    is_component = outline.language in _COMPONENTS
    for number, symbol in enumerate(symbols):
        if (symbol.parent < 0 and symbol.qualified == symbol.name) or (symbol.parent == 0 and is_component):
            view.top.setdefault(symbol.name, number)
        if symbol.parent >= 0:
            view.members.setdefault(symbol.parent, {}).setdefault(symbol.name, number)
    view.bindings.update({(one.owner, one.name): one.holds for one in outline.bindings})
    _place_imports(view)
    return view


def _place_imports(view: OutlineView) -> None:
    """Imports by the name they bind; those inside of a function belong to it."""
    symbols = view.outline.symbols
    functions = iter([number for number, one in enumerate(symbols) if one.kind in FUNCTIONS])
    following = next(functions, -1)
    around: list[int] = []
    for brought in sorted(view.outline.imports, key=lambda one: one.line):
        while following >= 0 and symbols[following].start < brought.line:
            around.append(following)
            following = next(functions, -1)
        while around and symbols[around[-1]].end < brought.line:
            around.pop()
        if brought.name == "*" or (view.family == "dotnet" and not brought.alias):
            view.stars += [brought] if len(view.stars) < MOST_STARS else []
            continue
        name = bound_name(view.family, brought)
        if name:
            view.imports.setdefault(name, []).append((around[-1] if around else -1, brought))


def is_container(kind: str) -> bool:
    """Whether a symbol of this kind has members."""
    return kind in CONTAINERS or kind == "type"
