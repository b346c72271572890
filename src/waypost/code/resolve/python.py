"""Python modules: packages, relative imports, source roots."""

import posixpath
import sys
from functools import cached_property

from waypost.code.outline import OutlineImport
from waypost.code.resolve.names import ModuleSystem
from waypost.code.resolve.tree import OutlineTree, OutlineView, Value

_ENDINGS = (".py", ".pyi", ".pyx")
_USUAL_ROOTS = ("", "src", "lib", "python")


class PythonModules(ModuleSystem):
    """Finds modules as an interpreter started at any root of the repository would."""

    def __init__(self, tree: OutlineTree) -> None:
        self._tree = tree
        self._found: dict[tuple[str, str], Value | None] = {}

    def module(self, view: OutlineView, statement: OutlineImport) -> Value | None:
        written = statement.module
        if written.startswith("."):
            dots = len(written) - len(written.lstrip("."))
            folder = posixpath.dirname(view.path)
            for _ in range(dots - 1):
                if not folder:
                    return None
                folder = posixpath.dirname(folder)
            return self._below(folder, [part for part in written[dots:].split(".") if part])
        parts = written.split(".")
        if not statement.name and not statement.alias:
            parts = parts[:1]  # `import a.b` binds `a`
        return self._absolute(view.path, parts)

    def member(self, package: Value, name: str) -> Value | None:
        if package.kind == "file":
            folder, file = posixpath.split(package.path)
            return self._below(folder, [name]) if file.startswith("__init__.") else None
        return self._below(package.path.split(":", 1)[1], [name])

    def whole(self, view: OutlineView, statement: OutlineImport) -> Value | None:
        """The module of `import a.b`, not only the name it binds."""
        return self._absolute(view.path, statement.module.split("."))

    def _absolute(self, importer: str, parts: list[str]) -> Value | None:
        if parts[0] in sys.stdlib_module_names:
            return None
        own = self._root(importer)
        key = (own, ".".join(parts))
        if key not in self._found:
            self._found[key] = self._search(own, parts)
        return self._found[key]

    def _search(self, own: str, parts: list[str]) -> Value | None:
        for root in dict.fromkeys((own, *_USUAL_ROOTS)):
            module = self._below(root, parts)
            if module is not None:
                return module
        others = [module for root in self._roots if (module := self._below(root, parts)) is not None]
        return others[0] if len(others) == 1 else None

    def _below(self, folder: str, parts: list[str]) -> Value | None:
        stem = posixpath.join(folder, *parts)
        for ending in _ENDINGS:
            if stem and f"{stem}{ending}" in self._tree.paths:
                return Value("file", f"{stem}{ending}")
            if posixpath.join(stem, f"__init__{ending}") in self._tree.paths:
                return Value("file", posixpath.join(stem, f"__init__{ending}"))
        if stem and stem in self._python_folders:
            return Value("package", f"python:{stem}")
        return None

    def _root(self, path: str) -> str:
        """The folder from which a file's own package is imported."""
        folder = posixpath.dirname(path)
        while folder and posixpath.join(folder, "__init__.py") in self._tree.paths:
            folder = posixpath.dirname(folder)
        return folder

    @cached_property
    def _roots(self) -> tuple[str, ...]:
        """Folders outside packages that contain packages."""
        packages = (posixpath.dirname(path) for path in self._tree.paths if path.endswith("__init__.py"))
        return tuple(sorted({self._root(posixpath.join(folder, "__init__.py")) for folder in packages}))

    @cached_property
    def _python_folders(self) -> frozenset[str]:
        folders: set[str] = set()
        for path in self._tree.paths:
            folder = posixpath.dirname(path) if path.endswith(_ENDINGS) else ""
            while folder and folder not in folders:
                folders.add(folder)
                folder = posixpath.dirname(folder)
        return frozenset(folders)
