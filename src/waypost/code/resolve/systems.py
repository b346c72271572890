"""The module systems of all families."""

from waypost.code.outline import Brought
from waypost.code.resolve.names import ModuleSystem, Names
from waypost.code.resolve.python import PythonModules
from waypost.code.resolve.tree import Tree, Value, View


def module_systems(tree: Tree) -> dict[str, ModuleSystem]:
    """One for each family of languages that has one."""
    return {"python": PythonModules(tree)}


def whole_module(names: Names, view: View, brought: Brought) -> Value | None:
    """What an import brings, for the relation between files: the symbol, or else the module it is said to be in."""
    if view.family == "python" and not brought.name and not brought.alias:
        return PythonModules(names.tree).whole(view, brought)
    value = names.imported(view, brought)
    return value if value is not None else names.module(view, brought)
