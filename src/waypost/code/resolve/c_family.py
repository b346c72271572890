"""C, C++ and Objective-C: headers by the end of their path, functions by what the included headers declare."""

import posixpath
from collections import defaultdict
from functools import cached_property

from waypost.code.outline import OutlineImport
from waypost.code.resolve.tree import OutlineTree, OutlineView, Value

DECLARED = 0.9  # a header that the file includes has the name
ALONE = 0.6  # only one symbol of the tree has it
_GLOBAL = frozenset({"function", "class", "struct", "enum", "type", "macro", "module"})


class IncludeModules:
    """A name means what this file, its headers or, failing that, a single file of the tree defines."""

    def __init__(self, tree: OutlineTree) -> None:
        self._tree = tree
        self._headers: dict[str, frozenset[str]] = {}

    def module(self, view: OutlineView, brought: OutlineImport) -> Value | None:
        written = brought.module.strip('<>"')
        near = posixpath.normpath(posixpath.join(posixpath.dirname(view.path), written))
        if near in self._tree.paths:
            return Value("file", near)
        found = [path for path in self._by_name.get(posixpath.basename(written), ()) if path.endswith(f"/{written}")]
        if written in self._tree.paths:
            found = [written]
        return Value("file", found[0]) if len(found) == 1 else None

    def member(self, package: Value, name: str) -> Value | None:  # noqa: ARG002 - files hold no modules
        return None

    def together(self, view: OutlineView, name: str, owner: int) -> Value | None:  # noqa: ARG002 - the same in all scopes
        found: list[Value] = []
        for path, number in self._tree.defined(name):
            other = self._tree.view(path)
            if other is None or other.family != "c" or (other.is_test and not view.is_test):
                continue
            symbol = other.outline.symbols[number]
            outer = other.outline.symbols[symbol.parent].kind if symbol.parent >= 0 else "module"
            if symbol.kind in _GLOBAL and outer == "module":
                found.append(Value("symbol", path, number))
        if not found:
            return None
        headers = self._included(view)
        declared = [value for value in found if value.path in headers]
        stems = {posixpath.splitext(path)[0] for path in headers}
        written = [value for value in found if value.path not in headers and posixpath.splitext(value.path)[0] in stems]
        for group in (written, declared):
            if len({value.path for value in group}) == 1:
                return group[0]._replace(strength=DECLARED)
        return found[0]._replace(strength=ALONE) if len({value.path for value in found}) == 1 else None

    def _included(self, view: OutlineView) -> frozenset[str]:
        """The headers of a file, and those that they include."""
        if view.path not in self._headers:
            direct = self._direct(view)
            others = [other for path in direct if (other := self._tree.view(path)) is not None]
            self._headers[view.path] = frozenset(direct).union(*(self._direct(other) for other in others))
        return self._headers[view.path]

    def _direct(self, view: OutlineView) -> set[str]:
        values = (self.module(view, brought) for brought in view.outline.imports)
        return {value.path for value in values if value is not None}

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        names: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self._tree.paths):
            names[posixpath.basename(path)].append(path)
        return names
