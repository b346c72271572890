"""Every regular expression of the package, with the ways it is used: found in modules, in data and in calls."""

import ast
import dataclasses
import functools
import importlib
import inspect
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import waypost

ROOT = Path(waypost.__file__).parent
METHODS = ("match", "fullmatch", "search", "findall", "finditer", "sub", "subn", "split")
_DEEPEST = 8  # of containers that hold patterns
_FLAGS = {
    name: getattr(re, name)
    for name in ("I", "IGNORECASE", "M", "MULTILINE", "S", "DOTALL", "X", "VERBOSE", "A", "ASCII")
}


@dataclasses.dataclass(frozen=True)
class Use:
    """A pattern, where it stands, and how it is used: from the start of a text, or searched in it."""

    where: str
    pattern: "re.Pattern[Any]"
    method: str


def uses() -> list[Use]:
    methods = _methods_by_name()
    found: dict[tuple[Any, int, str], Use] = {}

    def add(where: str, pattern: "re.Pattern[Any]", method: str) -> None:
        found.setdefault((pattern.pattern, pattern.flags, _anchored(method)), Use(where, pattern, _anchored(method)))

    for module in modules():
        for where, name, pattern in _patterns_of(module):
            for method in methods.get((module.__name__ if name.startswith("_") else "", name), {"search"}):
                add(where, pattern, method)
        for where, pattern, method in _calls_of(module):
            add(where, pattern, method)
    return sorted(found.values(), key=lambda use: use.where)


def modules() -> Iterator[ModuleType]:
    for info in pkgutil.walk_packages([str(ROOT)], "waypost."):
        if not info.name.endswith("__main__"):
            yield importlib.import_module(info.name)


def _anchored(method: str) -> str:
    return method if method in ("match", "fullmatch") else "search"


def _patterns_of(module: ModuleType) -> Iterator[tuple[str, str, "re.Pattern[Any]"]]:
    """Those in a module's variables and in what its cached functions without parameters return."""
    for name, value in list(vars(module).items()):
        if getattr(value, "__module__", module.__name__) != module.__name__ and not isinstance(value, re.Pattern):
            continue
        if isinstance(value, functools._lru_cache_wrapper) and not _parameters(value):
            value = value()
        for pattern, path in _within(value, module.__name__, 0):
            yield f"{module.__name__}.{name}{path}", name if not path else path.rpartition(".")[2], pattern


def _parameters(function: Any) -> bool:
    return any(one.default is one.empty for one in inspect.signature(function).parameters.values())


def _within(value: Any, module: str, depth: int) -> Iterator[tuple["re.Pattern[Any]", str]]:
    if isinstance(value, re.Pattern):
        yield value, ""
    elif depth >= _DEEPEST or isinstance(value, str | bytes | int | float | ModuleType):
        return
    elif isinstance(value, dict):
        for key, one in value.items():
            for pattern, path in (*_within(one, module, depth + 1), *_within(key, module, depth + 1)):
                yield pattern, path
    elif isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from _within(one, module, depth + 1)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            for pattern, path in _within(getattr(value, field.name, None), module, depth + 1):
                yield pattern, path or f".{field.name}"
    elif isinstance(value, type) and value.__module__ == module:
        for name, one in vars(value).items():
            if isinstance(one, re.Pattern):
                yield one, f".{name}"
    elif type(value).__module__.startswith("waypost") and hasattr(value, "__dict__"):
        for name, one in vars(value).items():
            for pattern, path in _within(one, module, depth + 1):
                yield pattern, path or f".{name}"


@functools.cache
def _sources() -> dict[str, ast.Module]:
    return {
        ".".join(("waypost", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__"): ast.parse(
            path.read_text("utf-8")
        )
        for path in ROOT.rglob("*.py")
    }


def _methods_by_name() -> dict[tuple[str, str], set[str]]:
    """The methods that are called on the pattern of a name: `_TITLE.match` in its module, `table.part.findall` anywhere."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for module, tree in _sources().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in METHODS:
                owner = node.value
                name = (
                    owner.id if isinstance(owner, ast.Name) else owner.attr if isinstance(owner, ast.Attribute) else ""
                )
                if name and name != "re":
                    found[module if name.startswith("_") else "", name].add(node.attr)
    return found


def _calls_of(module: ModuleType) -> Iterator[tuple[str, "re.Pattern[Any]", str]]:
    """`re.search(pattern, …)` and `re.compile(pattern)` inside functions; parts that are only known later stand as `x`."""
    tree = _sources()[module.__name__]
    functions = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
    for node in {id(node): node for one in functions for node in ast.walk(one)}.values():
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        if not (isinstance(node.func.value, ast.Name) and node.func.value.id == "re"):
            continue
        if node.func.attr not in (*METHODS, "compile"):
            continue
        source = _text(node.args[0], module)
        if source is None:
            continue
        flags = 0
        for part in (*node.args[1:], *(word.value for word in node.keywords if word.arg == "flags")):
            for one in ast.walk(part):
                if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id == "re":
                    flags |= int(_FLAGS.get(one.attr, 0))
        method = node.func.attr if node.func.attr != "compile" else "search"
        yield f"{module.__name__}:{node.lineno}", re.compile(source, flags), method


def _text(node: ast.expr, module: ModuleType) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = [
            _text(one.value, module) if isinstance(one, ast.FormattedValue) else _text(one, module)
            for one in node.values
        ]
        return "".join(part if isinstance(part, str) else "x" for part in parts)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _text(node.left, module), _text(node.right, module)
        return left + right if left is not None and right is not None else None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        left = _text(node.left, module)
        return left % "x" if isinstance(left, str) and left.count("%s") == 1 else None
    if isinstance(node, ast.Name):
        value = getattr(module, node.id, None)
        return value if isinstance(value, str | bytes) else None
    return None
