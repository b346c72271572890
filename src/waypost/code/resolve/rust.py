"""Rust modules: the files of a crate, and the crates of a workspace."""

import posixpath
import re
from functools import cached_property

from waypost.code.outline import OutlineImport
from waypost.code.resolve.names import ModuleSystem, NameScope
from waypost.code.resolve.tree import OutlineTree, OutlineView, Value

_CRATE_NAME = re.compile(r"^\[package\](?:(?!^\[).)*?^name[ \t]*=[ \t]*\"([\w-]{1,100})\"", re.MULTILINE | re.DOTALL)
_ROOTS = ("src/lib.rs", "src/main.rs", "lib.rs")


class RustModules(ModuleSystem):
    """Follows `crate`, `self`, `super`, child modules and crates of the repository."""

    names: NameScope  # set by the caller; resolves re-exports

    def __init__(self, tree: OutlineTree) -> None:
        self._tree = tree

    def module(self, view: OutlineView, statement: OutlineImport) -> Value | None:
        first, *rest = statement.module.split("::")
        value: Value | None = Value("file", view.path)
        if first == "crate":
            root = self._root(view.path)
            value = Value("file", root) if root else None
        elif first == "super":
            value = self._above(view.path)
            while rest and rest[0] == "super" and value is not None:
                value, rest = self._above(value.path), rest[1:]
        elif first != "self":
            value = self.member(Value("file", view.path), first) or self._crate(first) or self._own_scope(view, first)
        for name in rest:
            value = self.names.step(value, name) if value is not None else None
        return value

    def member(self, package: Value, name: str) -> Value | None:
        """A child module in its own file."""
        folder, file = posixpath.split(package.path)
        if file not in {"mod.rs", "lib.rs", "main.rs"}:
            folder = posixpath.join(folder, file.removesuffix(".rs"))
        for path in (posixpath.join(folder, f"{name}.rs"), posixpath.join(folder, name, "mod.rs")):
            if path in self._tree.paths and path != package.path:
                return Value("file", path)
        return None

    def same_package(self, view: OutlineView, name: str, owner: int) -> Value | None:  # noqa: ARG002 - names need a path
        return self.member(Value("file", view.path), name) or self._crate(name)

    def _own_scope(self, view: OutlineView, name: str) -> Value | None:
        number = view.top.get(name)
        return Value("symbol", view.path, number) if number is not None else None

    def _above(self, path: str) -> Value | None:
        folder, file = posixpath.split(path)
        if file == "mod.rs":
            folder = posixpath.dirname(folder)
        for name in ("mod.rs", "lib.rs", "main.rs"):
            candidate = posixpath.join(folder, name)
            if candidate in self._tree.paths and candidate != path:
                return Value("file", candidate)
        return Value("file", f"{folder}.rs") if f"{folder}.rs" in self._tree.paths else None

    def _root(self, path: str) -> str:
        folder = posixpath.dirname(path)
        while True:
            if posixpath.join(folder, "Cargo.toml") in self._tree.manifests:
                roots = [root for name in _ROOTS if (root := posixpath.join(folder, name)) in self._tree.paths]
                return roots[0] if roots else ""
            if not folder:
                return ""
            folder = posixpath.dirname(folder)

    def _crate(self, name: str) -> Value | None:
        root = self._crates.get(name)
        return Value("file", root) if root else None

    @cached_property
    def _crates(self) -> dict[str, str]:
        crates: dict[str, str] = {}
        for path, text in sorted(self._tree.manifests.items()):
            if posixpath.basename(path) == "Cargo.toml" and (match := _CRATE_NAME.search(text[:20_000])):
                root = posixpath.join(posixpath.dirname(path), "src/lib.rs")
                if root in self._tree.paths:
                    crates.setdefault(match[1].replace("-", "_"), root)
        return crates
