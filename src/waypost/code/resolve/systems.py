"""The module systems of all families."""

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

MOST_STEPS = 8  # files through which a variable is imported
REPRESENTED = 0.8  # a package is imported, but which of its files is used is not known


def names_of(tree: OutlineTree) -> NameScope:
    """The names of a tree, with a module system for each family of languages that has one."""
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


def whole_module(names: NameScope, view: OutlineView, brought: OutlineImport) -> Value | None:
    """What an import brings, for the relation between files: the symbol, or else the module it is said to be in."""
    system = names.systems.get(view.family)
    if isinstance(system, PythonModules) and not brought.name and not brought.alias:
        return system.whole(view, brought)
    value = names.imported(view, brought)
    if value is not None and value.kind != "instance":
        return value
    module = names.module(view, brought)
    if module is None or module.kind != "file":
        return module
    return _where_bound(names, module.path, brought.name, MOST_STEPS) or module


def _where_bound(names: NameScope, path: str, name: str, steps: int) -> Value | None:
    """The file in which a variable is made that is imported through others; its class is somewhere else."""
    view = names.tree.view(path)
    if view is None or not steps:
        return None
    if name in view.top:
        return Value("symbol", path, view.top[name])
    if (-1, name) in view.bindings:
        return Value("file", path)
    for place, brought in view.imports.get(name, ()):
        module = names.module(view, brought) if place < 0 else None
        if module is not None and module.kind == "file" and brought.name:
            return _where_bound(names, module.path, brought.name, steps - 1) or module
    return None


def files_of_package(names: NameScope, package: Value, reached: Collection[str]) -> tuple[list[str], float]:
    """Which files an import of a whole package means, and how sure: those that are used, else the one that stands for it."""
    kin, _, name = package.path.partition(":")
    used = []
    for path in reached:
        view = names.tree.view(path)
        if view is not None and view.family == kin:
            inside = path.rpartition("/")[0] == name if kin in {"go", "python"} else view.outline.package == name
            used += [path] if inside else []
    system = names.systems[kin]
    if used or not isinstance(system, GoModules):
        return used, 1.0
    return system.files(package)[:1], REPRESENTED
