"""C, C++ and Objective-C: headers by the end of their path, functions by the included headers."""

import posixpath
from collections import defaultdict
from functools import cached_property

from waypost.code.outline import OutlineImport
from waypost.code.resolve.names import ModuleSystem
from waypost.code.resolve.tree import OutlineTree, OutlineView, Value

DECLARED = 0.9  # a header that the file includes has the name
ALONE = 0.6  # only one symbol of the repository has it
_GLOBAL = frozenset({"function", "class", "struct", "enum", "type", "macro", "module"})


class IncludeModules(ModuleSystem):
    """A name refers to this file, its headers or else the only file that defines it."""

    def __init__(self, tree: OutlineTree) -> None:
        self._tree = tree
        self._headers: dict[str, frozenset[str]] = {}

    def module(self, view: OutlineView, statement: OutlineImport) -> Value | None:
        written = statement.module.strip('<>"')
        near = posixpath.normpath(posixpath.join(posixpath.dirname(view.path), written))
        if near in self._tree.paths:
            return Value("file", near)
        matches = [path for path in self._by_name.get(posixpath.basename(written), ()) if path.endswith(f"/{written}")]
        if written in self._tree.paths:
            matches = [written]
        return Value("file", matches[0]) if len(matches) == 1 else None

    def same_package(self, view: OutlineView, name: str, owner: int) -> Value | None:  # noqa: ARG002 - the same in all scopes
        definitions: list[Value] = []
        for path, number in self._tree.definitions(name):
            other = self._tree.view(path)
            if other is None or other.family != "c" or (other.is_test and not view.is_test):
                continue
            symbol = other.outline.symbols[number]
            outer = other.outline.symbols[symbol.parent].kind if symbol.parent >= 0 else "module"
            if symbol.kind in _GLOBAL and outer == "module":
                definitions.append(Value("symbol", path, number))
        if not definitions:
            return None
        headers = self._included(view)
        declared = [value for value in definitions if value.path in headers]
        stems = {posixpath.splitext(path)[0] for path in headers}
        written = [
            value for value in definitions if value.path not in headers and posixpath.splitext(value.path)[0] in stems
        ]
        for group in (written, declared):
            if len({value.path for value in group}) == 1:
                return group[0]._replace(strength=DECLARED)
        return definitions[0]._replace(strength=ALONE) if len({value.path for value in definitions}) == 1 else None

    def _included(self, view: OutlineView) -> frozenset[str]:
        """The headers of a file, and those they include."""
        if view.path not in self._headers:
            direct = self._direct_headers(view)
            others = [other for path in direct if (other := self._tree.view(path)) is not None]
            self._headers[view.path] = frozenset(direct).union(*(self._direct_headers(other) for other in others))
        return self._headers[view.path]

    def _direct_headers(self, view: OutlineView) -> set[str]:
        values = (self.module(view, statement) for statement in view.outline.imports)
        return {value.path for value in values if value is not None}

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        names: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self._tree.paths):
            names[posixpath.basename(path)].append(path)
        return names
