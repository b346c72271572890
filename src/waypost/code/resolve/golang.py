"""Go packages: one folder each, named by the module in go.mod."""

import posixpath
import re
from functools import cached_property

from waypost.code.outline import OutlineImport
from waypost.code.resolve.names import ModuleSystem
from waypost.code.resolve.tree import OutlineTree, OutlineView, Value

_MODULE = re.compile(r"^[ \t]*module[ \t]+\"?([^\s\"]{1,300})", re.MULTILINE)


class GoModules(ModuleSystem):
    """Finds packages by import path. Any file of a package can define its names."""

    def __init__(self, tree: OutlineTree) -> None:
        self._tree = tree
        self._names: dict[str, dict[str, Value]] = {}
        self._clauses: dict[str, dict[str, Value]] = {}

    def module(self, view: OutlineView, statement: OutlineImport) -> Value | None:  # noqa: ARG002
        for name, folder in self._modules:
            if statement.module == name or statement.module.startswith(name + "/"):
                inside = posixpath.normpath(posixpath.join(folder, statement.module[len(name) + 1 :])).removeprefix(".")
                return Value("package", f"go:{inside}") if inside in self._tree.folders else None
        return None

    def member(self, package: Value, name: str) -> Value | None:
        return self._in_folder(package.path[3:]).get(name) if package.kind == "package" else None

    def same_package(self, view: OutlineView, name: str, owner: int) -> Value | None:  # noqa: ARG002 - packages do not nest
        folder = posixpath.dirname(view.path)
        value = self._in_folder(folder).get(name)
        if value is None and view.is_test:
            value = self._in_tests(folder, name)
        return value or self._by_clause(view, name)

    def _by_clause(self, view: OutlineView, name: str) -> Value | None:
        """An imported package whose name differs from the end of its path."""
        if view.path not in self._clauses:
            plain = (statement for statement in view.outline.imports if not statement.alias and not statement.name)
            packages = [package for statement in plain if (package := self.module(view, statement))]
            self._clauses[view.path] = {self._package_name(package.path[3:]): package for package in packages}
        return self._clauses[view.path].get(name)

    def _in_tests(self, folder: str, name: str) -> Value | None:
        for path in self._tree.folders.get(folder, ()):
            view = self._tree.view(path) if path.endswith("_test.go") else None
            if view is not None and name in view.top:
                return Value("symbol", path, view.top[name])
        return None

    def _in_folder(self, folder: str) -> dict[str, Value]:
        if folder not in self._names:
            names: dict[str, Value] = {}
            for path in self._tree.folders.get(folder, ()):
                if _is_source(path) and (view := self._tree.view(path)) is not None:
                    for name, number in view.top.items():
                        names.setdefault(name, Value("symbol", path, number))
            self._names[folder] = names
        return self._names[folder]

    def files(self, package: Value) -> list[str]:
        """The files of a package, the main one first."""
        folder = package.path[3:]
        sources = [path for path in self._tree.folders.get(folder, ()) if _is_source(path)]
        usual = (f"{posixpath.basename(folder)}.go", "doc.go")
        return sorted(sources, key=lambda path: (posixpath.basename(path) not in usual, path))

    def _package_name(self, folder: str) -> str:
        for path in self._tree.folders.get(folder, ()):
            if _is_source(path) and (view := self._tree.view(path)) is not None:
                return view.outline.package
        return ""

    @cached_property
    def _modules(self) -> list[tuple[str, str]]:
        """(module, folder), longest names first: modules can nest."""
        modules = [
            (match[1], posixpath.dirname(path))
            for path, text in self._tree.manifests.items()
            if posixpath.basename(path) == "go.mod" and (match := _MODULE.search(text))
        ]
        return sorted(modules, key=lambda module: -len(module[0]))


def _is_source(path: str) -> bool:
    return path.endswith(".go") and not path.endswith("_test.go")
