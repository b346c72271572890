"""Packages whose modules are imported when they are first used: asking must not load what writing needs."""

from collections.abc import Callable
from importlib import import_module
from types import ModuleType


def lazy_modules(package: str) -> Callable[[str], ModuleType]:
    """A `__getattr__` for a package: `package.name` imports the module `name` of it."""

    def load(name: str) -> ModuleType:
        try:
            return import_module(f"{package}.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"{package}.{name}":
                raise
            raise AttributeError(f"module {package!r} has no attribute {name!r}") from error

    return load
