"""Go: which types implement which interfaces, by the names and results of their methods."""

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from waypost.code.outline import OutlineSymbol
from waypost.code.resolve.names import NameScope
from waypost.code.resolve.tree import OutlineView, Value

CERTAINTY = 0.9  # parameters are not compared
MOST_METHODS = 200  # of one type
EMBEDDED = 0.6  # the embedded type, which is not in the repository, has the name of the interface
_TYPE = re.compile(r"(?<!\w)(?:(\w+)\.)?([A-Za-z_]\w*)")
_NAMED = re.compile(r"^\w+\s+(?=[*\[\w])(?!chan\b|func\b|map\b)")

Methods = dict[str, str]  # the result of each method by its name


class SatisfiedInterface(NamedTuple):
    type: Value
    interface: Value


def implementations(names: NameScope) -> Iterator[SatisfiedInterface]:
    """Every type with all methods of an interface of the repository, promoted ones included.

    A strength of 0: it embeds the interface, but replaces one of its methods by another.
    """
    views = [view for path in names.tree.paths if (view := names.tree.view(path)) is not None and view.family == "go"]
    types = {(_folder(view.path), symbol.name): (view, number) for view in views for number, symbol in _types(view)}
    own: dict[tuple[str, str], Methods] = {}
    for view in views:
        for symbol in view.outline.symbols:
            owner, _, name = symbol.qualified.rpartition(".")
            if symbol.kind == "method" and owner and "." not in owner:
                own.setdefault((_folder(view.path), owner), {})[name] = _results(names, view, types, symbol.returns)
    sets = {key: _method_set(names, *place, own, 0) for key, place in types.items()}
    by_method: dict[str, list[tuple[str, str]]] = {}
    for key, methods in sets.items():
        for name in methods:
            by_method.setdefault(name, []).append(key)
    for key, (view, number) in types.items():
        wanted, interface = sets[key], view.outline.symbols[number]
        if interface.kind != "interface" or not wanted:
            continue
        # Where an embedded type is unknown, only some of the methods are known.
        some = {other for name in wanted if not name[:1].isupper() for other in by_method.get(name, ())}
        rarest = min(wanted, key=lambda name: len(by_method.get(name, ())))
        for other in dict.fromkeys((*by_method.get(rarest, ()), *sorted(some))):
            strength = _strength(names, wanted, sets[other], view, number, *types[other]) if other != key else None
            if strength is not None:
                place = types[other]
                yield SatisfiedInterface(
                    Value("symbol", place[0].path, place[1]), Value("symbol", view.path, number, strength)
                )


def _strength(
    names: NameScope, wanted: Methods, has: Methods, view: OutlineView, number: int, other: OutlineView, place: int
) -> float | None:
    """How certain a type implements an interface; None if it has nothing to do with it."""
    if any(has.get(name, results) != results for name, results in wanted.items()):
        embedded = {base[:3] for base in names.bases(other, place) if base is not None}
        return 0.0 if Value("symbol", view.path, number)[:3] in embedded else None
    if view.is_test and not other.is_test:
        return None  # made for tests, which code does not know
    if wanted.keys() <= has.keys():
        return CERTAINTY
    return EMBEDDED if _embeds_other(names, other, place, view.outline.symbols[number].name) else None


def _embeds_other(names: NameScope, view: OutlineView, number: int, name: str) -> bool:
    """Whether a struct embeds a type of this name from outside of the repository, whose methods are unknown."""
    is_struct = view.outline.symbols[number].kind == "struct"
    return is_struct and any(
        base is None and written.rpartition(".")[2] == name for written, base in names.named_bases(view, number)
    )


def _method_set(
    names: NameScope, view: OutlineView, number: int, own: dict[tuple[str, str], Methods], depth: int
) -> Methods:
    """The methods of a type and of the types that it embeds."""
    symbol = view.outline.symbols[number]
    methods: Methods = {}
    for base in names.bases(view, number) if depth < 4 else ():
        other = names.tree.view(base.path) if base is not None else None
        if base is not None and other is not None and base.symbol >= 0:
            methods |= _method_set(names, other, base.symbol, own, depth + 1)
    methods |= own.get((_folder(view.path), symbol.name), {})
    return methods if len(methods) <= MOST_METHODS else {}


def _types(view: OutlineView) -> Iterator[tuple[int, OutlineSymbol]]:
    for number, symbol in enumerate(view.outline.symbols):
        if symbol.parent < 0 and symbol.kind in ("struct", "interface", "type") and symbol.qualified == symbol.name:
            yield number, symbol


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _results(names: NameScope, view: OutlineView, types: Collection[tuple[str, str]], returns: str) -> str:
    """The types of results without names: `(file File, err error)` is `go:folder.File,error`."""
    written = returns.strip()
    if written.startswith("(") and written.endswith(")"):
        written = written[1:-1]

    def whole(match: re.Match[str]) -> str:
        package, name = match.groups()
        if not package:
            place = (_folder(view.path), name)
            return f"go:{place[0]}.{name}" if place in types else name
        value = names.lookup(view, -1, package)
        if value is not None and value.kind == "package":
            return f"{value.path}.{name}"
        return f"{next((statement.module for _, statement in view.imports.get(package, ())), package)}.{name}"

    parts = (_NAMED.sub("", part.strip()) for part in written.split(","))
    return ",".join(_TYPE.sub(whole, part.lstrip("*")) for part in parts)
