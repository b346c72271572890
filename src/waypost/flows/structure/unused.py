"""Code that nothing in the repository uses, without entry points, tests and what frameworks call.

Relations miss some uses: attributes that are read, names in strings. So a symbol counts as used if its name stands anywhere else in the
code. If a function or type of this name is used, that is what stands there, and does not count. A name that many methods share can hide
an unused one. That is better than to call used code unused.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from waypost.code.entry_points import base_count, is_entry_point, is_found_by_base, is_private
from waypost.code.files.languages import language_of_path
from waypost.code.files.reading import Unread, read_bytes
from waypost.code.source import CONTAINERS
from waypost.errors import InvalidInput, NotFound
from waypost.flows.open_space import OpenSpace, architecture_key, place_in, unresolved_key
from waypost.flows.structure.answers import UnusedList, is_test
from waypost.flows.structure.current import current
from waypost.flows.structure.lookup import MOST_ROWS, is_inside
from waypost.flows.structure.uses import called_name
from waypost.model.draft import check_whole
from waypost.store.protocol import Reader
from waypost.store.structure import SymbolSketch

_USES = ("calls", "mentions", "inherits", "imports")
_KINDS = frozenset({"function", "method", "class", "struct", "enum", "interface", "trait", "type", "macro", "property"})
_MEMBERS = frozenset({"method", "property"})  # others may have the same name
_ABSTRACT = frozenset({"interface", "trait"})
_PRIVATE, _PUBLIC = 0.9, 0.6  # certainty: other projects may use what is public
_WORD = re.compile(rb"\w+")
_LARGEST = 2_000_000  # bytes of a file that is searched for names


def unused(space: OpenSpace, path: str = "", *, kind: str = "", limit: int = 100) -> UnusedList:
    """Symbols without uses, the most certain first."""
    check_whole(limit, "limit", 1, MOST_ROWS)
    if kind and kind not in _KINDS:
        raise InvalidInput(f"There is no kind {kind!r} here.", f"Use one of: {', '.join(sorted(_KINDS))}.")
    place = place_in(space, path) if path else "."

    def read(reader: Reader) -> tuple[UnusedList, Iterable[str]]:
        indexed = reader.code.files(space.identity.checkout_id) if place != "." else ()
        if place != "." and not any(is_inside(file, place) for file in indexed):
            raise NotFound(f"Nothing is indexed at {path!r}.", "Check the path, or run `waypost init`.")
        rows = [
            (symbol, certainty)
            for symbol, certainty in _without_named(space, reader, list(_without_relations(space, reader)))
            if is_inside(symbol.path, place) and kind in ("", symbol.type)
        ]
        rows.sort(key=lambda row: (-row[1], row[0].path, row[0].line))
        return UnusedList(tuple(rows[:limit]), len(rows)), {symbol.path for symbol, _ in rows[:limit]}

    answer, notices = current(space, read)
    return replace(answer, notices=notices)


def _without_relations(space: OpenSpace, reader: Reader) -> Iterable[tuple[SymbolSketch, float]]:
    checkout = space.identity.checkout_id
    every = reader.structure.every(checkout)
    used = {end for start, end in reader.structure.relation_ids(checkout, _USES) if start != end}
    decorators = reader.structure.decorators(checkout)
    unresolved = json.loads(reader.meta.get(unresolved_key(space)) or "{}")
    handlers = _handlers(json.loads(reader.meta.get(architecture_key(space)) or "{}"))
    types = {(symbol.path, symbol.qualified): symbol for symbol in every if symbol.type in CONTAINERS}
    bases: dict[str, int] = {}
    for start, _ in reader.structure.relation_ids(checkout, ("inherits",)):
        bases[start] = bases.get(start, 0) + 1
    owners = dict(reader.structure.relation_ids(checkout, ("member",)))
    by_id = {symbol.id: symbol for symbol in every}
    used_types = _with_used_members(every, used)
    twins = {_twin(symbol) for symbol in every if symbol.id in used}
    for symbol in every:
        name = symbol.qualified.rpartition(".")[2]
        if symbol.kind != "symbol" or symbol.type not in _KINDS or is_test(symbol) or symbol.id in used:
            continue
        if (symbol.path, symbol.qualified) in used_types or called_name(symbol) in unresolved:
            continue
        language, marks = language_of_path(symbol.path), tuple(decorators.get(symbol.id, ()))
        if is_entry_point(name, language, marks) or is_found_by_base(symbol.signature) or _twin(symbol) in twins:
            continue
        if any(mark.rpartition(".")[2] == "overload" for mark in marks):
            continue  # the definition after it counts
        if language == "go" and symbol.type == "method" and name[:1].isupper():
            continue  # it may belong to an interface of another module
        if any(symbol.first_line <= line <= symbol.end_line for line in handlers.get(symbol.path, ())):
            continue
        owner = types.get((symbol.path, symbol.qualified.rpartition(".")[0])) or by_id.get(owners.get(symbol.id, ""))
        # A method may be called through a base, whether that is in the repository or not.
        if owner is not None and (owner.type in _ABSTRACT or owner.id in bases or base_count(owner.signature)):
            continue
        yield symbol, _PRIVATE if is_private(name, language, symbol.signature) else _PUBLIC


def _twin(symbol: SymbolSketch) -> tuple[str, str]:
    """What definitions of one symbol have in common: overloads, and those in Go files for several systems."""
    return _folder(symbol.path) if symbol.path.endswith(".go") else symbol.path, symbol.qualified


def _without_named(
    space: OpenSpace, reader: Reader, rows: Sequence[tuple[SymbolSketch, float]]
) -> list[tuple[SymbolSketch, float]]:
    """Those whose names stand nowhere but in definitions of this name."""
    root = space.identity.root
    if root is None or not rows:
        return list(rows)
    checkout = space.identity.checkout_id
    ends = {end for _, end in reader.structure.relation_ids(checkout, _USES)}
    own: dict[tuple[str, bytes], list[SymbolSketch]] = {}
    explained: dict[bytes, set[str]] = {}  # folders with a used symbol of the name
    for symbol in reader.structure.every(checkout):
        name = _name(symbol)
        own.setdefault((symbol.path, name), []).append(symbol)
        if symbol.id in ends and symbol.type not in _MEMBERS:
            explained.setdefault(name, set()).add(_folder(symbol.path))
    rest = [symbol for symbol, _ in rows if symbol.type in _MEMBERS or _name(symbol) not in explained]
    names, checked = {_name(symbol) for symbol in rest}, {symbol.id for symbol in rest}
    unclear = [symbol for symbol, _ in rows if symbol.id not in checked]
    named_beside = _named_beside(root, reader.code.files(checkout), unclear, own, explained)
    named = set[bytes]()
    for path in reader.code.files(checkout):
        content = read_bytes(root, path, _LARGEST)
        if isinstance(content, Unread) or not language_of_path(path):
            continue
        left = names - named
        if left.isdisjoint(_WORD.findall(content[0])):
            continue
        for number, line in enumerate(content[0].split(b"\n"), 1):
            for name in left.intersection(_WORD.findall(line)) - named:
                places = own.get((path, name), ())
                if not any(symbol.first_line <= number <= symbol.end_line for symbol in places):
                    named.add(name)
    return [
        (symbol, certainty)
        for symbol, certainty in rows
        if symbol.id not in named_beside and (symbol.id not in checked or _name(symbol) not in named)
    ]


def _named_beside(
    root: Path,
    paths: Iterable[str],
    symbols: Iterable[SymbolSketch],
    own: Mapping[tuple[str, bytes], list[SymbolSketch]],
    explained: Mapping[bytes, set[str]],
) -> set[str]:
    """The ids of those that their file names once more; or their folder, without a used symbol of the name."""
    beside: dict[str, list[str]] = {}
    for path in paths:
        if language_of_path(path):
            beside.setdefault(_folder(path), []).append(path)
    ids = set[str]()
    for symbol in symbols:
        folder = _folder(symbol.path)
        near = [symbol.path] if folder in explained[_name(symbol)] else beside[folder]
        if _is_named_beside(root, near, symbol, own):
            ids.add(symbol.id)
    return ids


def _is_named_beside(
    root: Path, paths: Iterable[str], symbol: SymbolSketch, own: Mapping[tuple[str, bytes], list[SymbolSketch]]
) -> bool:
    """Whether one of these files names it outside of definitions of this name.

    In `from models import Team` of a script, or in a text such as "models.Team".
    """
    name = _name(symbol)
    for path in paths:
        content = read_bytes(root, path, _LARGEST)
        if isinstance(content, Unread) or name not in content[0]:
            continue
        places = own.get((path, name), ())
        for number, line in enumerate(content[0].split(b"\n"), 1):
            is_own = any(place.first_line <= number <= place.end_line for place in places)
            if name in line and not is_own and name in _WORD.findall(line):
                return True
    return False


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _name(symbol: SymbolSketch) -> bytes:
    """Its name as it stands in code that uses it: Ruby's `size=` is called by `x.size = 1`."""
    return symbol.qualified.rpartition(".")[2].rstrip("?!=").encode()


def _with_used_members(every: Iterable[SymbolSketch], used: set[str]) -> set[tuple[str, str]]:
    """Path and name of everything that contains a used symbol."""
    names = set()
    for symbol in every:
        outer = symbol.qualified.rpartition(".")[0]
        while symbol.id in used and symbol.kind == "symbol" and outer:
            names.add((symbol.path, outer))
            outer = outer.rpartition(".")[0]
    return names


def _handlers(architecture: Mapping[str, Any]) -> dict[str, list[int]]:
    """Lines of endpoints and entry points, by file."""
    places = list(architecture.get("entry_points", ()))
    for endpoint in architecture.get("endpoints", ()):
        places += [endpoint[key] for key in ("place", "handler_place") if endpoint.get(key)]
    lines: dict[str, list[int]] = {}
    for place in places:
        lines.setdefault(place["path"], []).append(place["line"])
    return lines
