"""The module systems of all language families."""

from collections.abc import Collection

from waypost.code.outline import OutlineImport
from waypost.code.resolve.c_family import IncludeModules
from waypost.code.resolve.ecmascript import EcmaModules
from waypost.code.resolve.golang import GoModules
from waypost.code.resolve.names import ModuleSystem, NameScope
from waypost.code.resolve.packages import PackageModules
from waypost.code.resolve.python import PythonModules
from waypost.code.resolve.ruby import RubyModules
from waypost.code.resolve.rust import RustModules
from waypost.code.resolve.tree import OutlineTree, OutlineView, Value

MOST_STEPS = 8  # files through which a variable is re-exported
REPRESENTED = 0.8  # a package is imported, but not known which of its files is used


def names_of(tree: OutlineTree) -> NameScope:
    """Name lookup for a repository, with a module system for each language family that has one."""
    rust = RustModules(tree)
    systems: dict[str, ModuleSystem] = {
        "python": PythonModules(tree),
        "ecmascript": EcmaModules(tree),
        "go": GoModules(tree),
        "jvm": PackageModules(tree, "jvm", ".", parts=False, outer=False),
        "php": PackageModules(tree, "php", "\\", parts=False, outer=False),
        "dotnet": PackageModules(tree, "dotnet", ".", parts=True, outer=True),
        "rust": rust,
        "ruby": RubyModules(tree),
        "c": IncludeModules(tree),
    }
    rust.names = NameScope(tree, systems)
    return rust.names


def whole_module(names: NameScope, view: OutlineView, statement: OutlineImport) -> Value | None:
    """What an import refers to, as a relation between files: the symbol, or else its module."""
    system = names.systems.get(view.family)
    if isinstance(system, PythonModules) and not statement.name and not statement.alias:
        return system.whole(view, statement)
    value = names.imported(view, statement)
    if value is not None and value.kind != "instance":
        return value
    module = names.module(view, statement)
    if module is None or module.kind != "file":
        return module
    return _where_bound(names, module.path, statement.name, MOST_STEPS) or module


def _where_bound(names: NameScope, path: str, name: str, steps: int) -> Value | None:
    """The file that defines a variable imported through others. Its class may be elsewhere."""
    view = names.tree.view(path)
    if view is None or not steps:
        return None
    if name in view.top:
        return Value("symbol", path, view.top[name])
    if (-1, name) in view.bindings:
        return Value("file", path)
    for place, statement in view.imports.get(name, ()):
        module = names.module(view, statement) if place < 0 else None
        if module is not None and module.kind == "file" and statement.name:
            return _where_bound(names, module.path, statement.name, steps - 1) or module
    return None


def files_of_package(names: NameScope, package: Value, reached: Collection[str]) -> tuple[list[str], float]:
    """The files that an import of a whole package refers to, and the confidence.

    These are the files used, or else the package's main file.
    """
    language_family, _, name = package.path.partition(":")
    used = []
    for path in reached:
        view = names.tree.view(path)
        if view is not None and view.family == language_family:
            inside = (
                path.rpartition("/")[0] == name if language_family in {"go", "python"} else view.outline.package == name
            )
            used += [path] if inside else []
    system = names.systems[language_family]
    if used or not isinstance(system, GoModules):
        return used, 1.0
    return system.files(package)[:1], REPRESENTED
