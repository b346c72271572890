"""Every regular expression of the package, with the ways it is used: found in modules, in data and in functions."""

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
from waypost.errors import WaypostError

ROOT = Path(waypost.__file__).parent
METHODS = ("match", "fullmatch", "search", "findall", "finditer", "sub", "subn", "split")
TEXT_LANGUAGES = ("en", "de", "ru")
_DEEPEST = 8  # of containers that hold patterns
_FLAGS = ("I", "IGNORECASE", "M", "MULTILINE", "S", "DOTALL", "X", "VERBOSE", "A", "ASCII")


@dataclasses.dataclass(frozen=True)
class Use:
    """A pattern, where it stands, and how it is used: `match`, `fullmatch`, or `search` for all that look in the middle."""

    where: str
    pattern: "re.Pattern[Any]"
    method: str


def uses() -> list[Use]:
    found: dict[tuple[Any, int, str], Use] = {}
    for module in modules():
        methods = _Methods(module.__name__)
        inner = ((where, pattern, methods.of(name)) for where, name, pattern in _patterns_of(module))
        for where, pattern, called in (*inner, *_calls_of(module, methods)):
            for method in {one if one in ("match", "fullmatch") else "search" for one in called}:
                found.setdefault((pattern.pattern, pattern.flags, method), Use(where, pattern, method))
    return sorted(found.values(), key=lambda use: (use.where, str(use.pattern.pattern), use.method))


def modules() -> Iterator[ModuleType]:
    for info in pkgutil.walk_packages([str(ROOT)], "waypost."):
        if not info.name.endswith("__main__"):
            yield importlib.import_module(info.name)


class _Methods:
    """Which methods are called on a name. One that begins with `_` is looked for in its own module, others everywhere; one
    that nobody calls by its name (in a table, say) may have any method that the module calls on a variable."""

    def __init__(self, module: str) -> None:
        self._module = module

    def of(self, name: str) -> set[str]:
        own, everywhere = _sources()[self._module].methods, _methods_everywhere()
        found = own.get(name) or (set() if name.startswith("_") else everywhere.get(name))
        return found or own.get("*") or {"search"}


@functools.cache
def _methods_everywhere() -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for source in _sources().values():
        for name, methods in source.methods.items():
            found[name] |= methods
    return dict(found)


@dataclasses.dataclass(frozen=True)
class Source:
    """What is needed of a module's text. Not its tree: those of the whole package take 200 MB."""

    methods: dict[str, set[str]]  # by name: `_TITLE.match`, `table.part.findall`, `_opening(language).match`
    calls: list["Call"]


@dataclasses.dataclass(frozen=True)
class Call:
    """`re.search(pattern, …)` or `re.compile(pattern)` inside a function."""

    where: str  # function, and line within it
    target: str  # the variable that it is assigned to, else the function
    called: str
    node: ast.Call


@functools.cache
def _sources() -> dict[str, Source]:
    names = {path: (*path.relative_to(ROOT).with_suffix("").parts,) for path in ROOT.rglob("*.py")}
    return {
        ".".join(("waypost", *name)).removesuffix(".__init__"): _source(ast.parse(path.read_text("utf-8")))
        for path, name in names.items()
    }


def _source(tree: ast.Module) -> Source:
    methods: dict[str, set[str]] = defaultdict(set)
    calls: list[Call] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in METHODS:
            name = _name(node.value)
            if name and name != "re":
                methods[name].add(node.attr)
                if name.islower() and node.attr != "split":  # texts have a `split` too
                    methods["*"].add(node.attr)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _imports_re(tree):
            calls += _calls_in(node)
    return Source(dict(methods), calls)


def _name(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


# --- in variables, and in what is read from data


def _patterns_of(module: ModuleType) -> Iterator[tuple[str, str, "re.Pattern[Any]"]]:
    """Those in a module's variables, and in what its cached functions return that need nothing, or only a language."""
    for name, value in list(vars(module).items()):
        if not isinstance(value, re.Pattern) and getattr(value, "__module__", module.__name__) != module.__name__:
            continue  # it stands elsewhere
        held = _returned(value) if isinstance(value, functools._lru_cache_wrapper) else value
        for pattern, field in _within(held, module.__name__, 0):
            yield f"{module.__name__}.{name}{f'.{field}' if field else ''}", field or name, pattern


def _returned(function: Any) -> Any:
    needed = [one.name for one in inspect.signature(function).parameters.values() if one.default is one.empty]
    if not needed:
        return function()
    return [_of_language(function, one) for one in TEXT_LANGUAGES] if needed == ["language"] else function


def _of_language(function: Any, language: str) -> Any:
    try:
        return function(language)
    except (WaypostError, LookupError, OSError, ImportError):  # it is about languages of code
        return None


def _within(value: Any, module: str, depth: int) -> Iterator[tuple["re.Pattern[Any]", str]]:
    """The patterns in a value, each with the name of the field that it is in."""
    if isinstance(value, re.Pattern):
        yield value, ""
    elif depth >= _DEEPEST or isinstance(value, str | bytes | int | float | ModuleType):
        return
    elif isinstance(value, dict | list | tuple | set | frozenset):
        for one in (*value.keys(), *value.values()) if isinstance(value, dict) else value:
            yield from _within(one, module, depth + 1)
    else:
        for name, one in _fields(value, module):
            for pattern, inner in _within(one, module, depth + 1):
                yield pattern, inner or name


def _fields(value: Any, module: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, type):
        if value.__module__ == module:
            yield from ((name, one) for name, one in vars(value).items() if isinstance(one, re.Pattern))
    elif dataclasses.is_dataclass(value):
        yield from ((field.name, getattr(value, field.name, None)) for field in dataclasses.fields(value))
    elif type(value).__module__.startswith("waypost") and hasattr(value, "__dict__"):
        yield from vars(value).items()


# --- in functions


def _calls_of(module: ModuleType, methods: _Methods) -> Iterator[tuple[str, "re.Pattern[Any]", set[str]]]:
    """Parts of a pattern that are only known later stand as `x`."""
    for call in _sources()[module.__name__].calls:
        text = _text(call.node.args[0], module)
        if text is not None:
            called = methods.of(call.target) if call.called == "compile" else {call.called}
            yield f"{module.__name__}.{call.where}", re.compile(text, _flags_of(call.node)), called


def _imports_re(tree: ast.Module) -> bool:
    return any(isinstance(node, ast.Import) and any(one.name == "re" for one in node.names) for node in tree.body)


def _calls_in(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Call]:
    targets: dict[int, str] | None = None
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            called = node.func.attr
            if _name(node.func.value) == "re" and called in (*METHODS, "compile"):
                targets = _assigned(function) if targets is None else targets
                where = f"{function.name}:{node.lineno - function.lineno}"
                yield Call(where, targets.get(id(node), function.name), called, node)


def _assigned(function: ast.AST) -> dict[int, str]:
    """The variable that each call is assigned to."""
    return {
        id(call): _name(node.targets[0].elts[0] if isinstance(node.targets[0], ast.Tuple) else node.targets[0])
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
        for call in ast.walk(node.value)
        if isinstance(call, ast.Call)
    }


def _flags_of(call: ast.Call) -> int:
    flags = 0
    for part in (*call.args[1:], *(word.value for word in call.keywords if word.arg == "flags")):
        for one in ast.walk(part):
            if isinstance(one, ast.Attribute) and _name(one.value) == "re" and one.attr in _FLAGS:
                flags |= int(getattr(re, one.attr))
    return flags


def _text(node: ast.expr, module: ModuleType) -> Any:
    """The pattern that an expression is, as far as it can be known without running it."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = [_text(one.value if isinstance(one, ast.FormattedValue) else one, module) for one in node.values]
        return "".join(part if isinstance(part, str) else "x" for part in parts)
    if isinstance(node, ast.BinOp):
        left, right = _text(node.left, module), _text(node.right, module)
        if isinstance(node.op, ast.Mod):
            return left % "x" if isinstance(left, str) and left.count("%s") == 1 else None
        return left + right if left is not None and right is not None else None
    value = getattr(module, node.id, None) if isinstance(node, ast.Name) else None
    return value if isinstance(value, str | bytes) else None
