"""Symbols by name, path or id: exact, or none."""

import posixpath
import re
import time as timing
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from waypost.code.files.languages import is_document, language_of_path
from waypost.code.files.reading import Unread, read_bytes
from waypost.code.source import CONTAINERS, FUNCTIONS
from waypost.code.symbol_names import LONGEST, SymbolName, matches, nearest_names, read_symbol_name
from waypost.errors import InvalidInput
from waypost.flows.open_space import OpenSpace, place_in
from waypost.flows.structure.answers import SymbolList, is_test
from waypost.flows.structure.current import current
from waypost.model.draft import check_whole
from waypost.model.ids import check_id, id_beginning
from waypost.store.protocol import Reader
from waypost.store.structure import SymbolSketch

MOST_ROWS = 10_000
_MOST_PACKAGES = 50  # symbols with one name whose packages are read
_MOST_ASSIGNED = 3  # places of a variable that are named
_SEARCH_SECONDS = 0.5  # for the variables of a name that no symbol has
_LARGEST = 2_000_000  # bytes of a file that is searched
_PACKAGE_SIGN = re.compile(r"[.\\/:]+")
_NEAR_PREFIXES = (3, 1)  # similar names start with two thirds of the name, or with as many of its letters


def symbols(
    space: OpenSpace,
    name: str = "",
    *,
    path: str = "",
    kind: str = "",
    members: bool = False,
    limit: int = 100,
) -> SymbolList:
    """Symbols with this name, or all symbols of a file or folder. With `members`, what is inside of them."""
    check_whole(limit, "limit", 1, MOST_ROWS)
    if not name and not path:
        raise InvalidInput("Name a symbol or a path.", "For example: waypost symbols Store, or --path src/store.py.")
    wanted = _read_name(space, name) if name else None
    place = place_in(space, path) if path else ""

    def read(reader: Reader) -> tuple[SymbolList, list[str]]:
        checkout = space.identity.checkout_id
        if wanted is None:
            chosen = outline(reader, checkout, place)
        else:
            chosen = find(space, reader, wanted, name)
            if place:
                chosen = [symbol for symbol in chosen if is_inside(symbol.path, place)]
        named = chosen if wanted is not None else []
        if members:
            chosen = members_of(reader, checkout, chosen)
        if kind:
            chosen = [symbol for symbol in chosen if symbol.type == kind]
        if not chosen and named:
            notice = _what_is_known(name, named, kind, members=members)
            return SymbolList(notices=(notice,), exists=True), [symbol.path for symbol in named]
        near = nearest(reader, checkout, wanted) if not chosen and wanted is not None else []
        notices = variable_notices(space, reader, wanted) if not chosen and wanted is not None else ()
        answer = SymbolList(tuple(chosen[:limit]), len(chosen), tuple(near), notices)
        return answer, [symbol.path for symbol in chosen[:limit]]

    answer, notices = current(space, read)
    return replace(answer, notices=(*notices, *answer.notices))


def _what_is_known(name: str, named: Sequence[SymbolSketch], kind: str, *, members: bool) -> str:
    kinds = ", ".join(sorted({symbol.type for symbol in named}))
    if members and not kind:
        return f"{name} is a {kinds} without members of its own."
    return f"{name} is a {kinds}; nothing here is of the kind {kind}."


def absent_notices(space: OpenSpace, reader: Reader, text: str) -> tuple[str, ...]:
    """What is known about a name or place that no symbol has."""
    name = _read_name(space, text)
    if not name.line:
        return variable_notices(space, reader, name)
    row = reader.code.files(space.identity.checkout_id, [name.path]).get(name.path)
    return () if row is None or name.line <= row.lines else (f"{name.path} has {row.lines:,} lines.",)


def variable_notices(space: OpenSpace, reader: Reader, name: SymbolName) -> tuple[str, ...]:
    """Where code assigns a name that no symbol has."""
    root = space.identity.root
    if root is None or len(name.parts) != 1 or not name.parts[0].isidentifier() or name.path:
        return ()
    word = name.parts[0].encode()
    assigned = re.compile(
        rb"^[ \t]*(?:[\w$]+[ \t]+){0,4}\$?" + re.escape(word) + rb"[ \t]*(?::[^=\n]{1,100})?:?=(?![=>~])", re.MULTILINE
    )
    places, end = list[str](), timing.monotonic() + _SEARCH_SECONDS
    for path in reader.code.files(space.identity.checkout_id):
        if len(places) >= _MOST_ASSIGNED or timing.monotonic() > end:
            break
        language = language_of_path(path)
        content = read_bytes(root, path, _LARGEST) if language and not is_document(language) else None
        if content is None or isinstance(content, Unread) or word not in content[0]:
            continue
        if match := assigned.search(content[0]):
            line = content[0].count(b"\n", 0, match.end()) + 1
            places.append(f"{path}:{line}")
    if not places:
        return ()
    return (f"{name.parts[0]} is a variable, not a symbol: {', '.join(places)}. Its uses are not listed.",)


def symbol_names(space: OpenSpace, prefix: str, limit: int) -> list[str]:
    """Last parts of names that begin with `prefix`, in any case; qualified names if the prefix has a dot."""
    owner, dot, last = prefix.rpartition(".")
    with space.store.read() as reader:
        names = reader.structure.names_starting(space.identity.checkout_id, last)
    if dot:
        whole = [
            name for name in names if name.lower().startswith(prefix.lower()) or f".{owner.lower()}." in name.lower()
        ]
        return sorted(whole)[:limit]
    return sorted({name.rpartition(".")[2] for name in names})[:limit]


class Chosen(NamedTuple):
    """The symbol that a text names. Overloads count as one symbol.

    Of several, code comes before tests, and what has exactly this name before members that end with it. `candidates`
    are the others. If that leaves several, there are only candidates.
    """

    symbols: tuple[SymbolSketch, ...] = ()
    candidates: tuple[SymbolSketch, ...] = ()
    nearest: tuple[str, ...] = ()


def choose(space: OpenSpace, reader: Reader, text: str) -> Chosen:
    name, checkout = _read_name(space, text), space.identity.checkout_id
    chosen = find(space, reader, name, text)
    if not chosen:
        return Chosen(nearest=tuple(nearest(reader, checkout, name)))
    types = {(symbol.path, symbol.qualified) for symbol in chosen if symbol.type in CONTAINERS}
    chosen = [symbol for symbol in chosen if not is_constructor(symbol) or (symbol.path, _outer(symbol)) not in types]
    code = [symbol for symbol in chosen if not is_test(symbol)]
    outermost = [symbol for symbol in code if symbol.qualified == ".".join(name.parts)]
    for preferred in (chosen, code, outermost):
        if len({(symbol.path, symbol.qualified) for symbol in preferred}) == 1:
            others = (symbol for symbol in chosen if symbol not in preferred)
            return Chosen(tuple(preferred), tuple(others))
    return Chosen(candidates=tuple(chosen))


def find(space: OpenSpace, reader: Reader, name: SymbolName, text: str) -> list[SymbolSketch]:
    """Every symbol or file that a text names."""
    checkout = space.identity.checkout_id
    if ids := _ids(reader, text):
        return reader.structure.with_ids(checkout, ids)
    if name.line:
        return at_line(reader.structure.in_files(checkout, [name.path]), name.line)
    if name.path:
        named = reader.structure.named(checkout, [name.parts[-1]]) if name.parts else []
        return [symbol for symbol in named if symbol.path == name.path and matches(name, symbol.qualified, "")]
    if "." in text or "/" in text:
        in_file = reader.structure.in_files(checkout, [_file_path(space, text.strip())])
        if in_file:
            return [symbol for symbol in in_file if symbol.kind == "file"]
    named = reader.structure.named(checkout, [name.parts[-1]]) if name.parts else []
    matching = [symbol for symbol in named if matches(name, symbol.qualified, symbol.path)]
    return matching or [
        symbol for symbol in named[:_MOST_PACKAGES] if _is_in_package(reader, checkout, symbol, name.parts)
    ]


def _is_in_package(reader: Reader, checkout: str, symbol: SymbolSketch, parts: Sequence[str]) -> bool:
    """Whether the first parts are the package or namespace of the symbol's file, or its end."""
    own = symbol.qualified.split(".")
    outer = list(parts[: -len(own)])
    if not outer or list(parts[-len(own) :]) != own:
        return False
    package = reader.code.digest(checkout, symbol.path).get("outline", {}).get("package", "")
    return _PACKAGE_SIGN.split(package)[-len(outer) :] == outer


def outline(reader: Reader, checkout: str, path: str) -> list[SymbolSketch]:
    """The symbols of a file, or of all files of a folder."""
    in_file = reader.structure.in_files(checkout, [path])
    if not in_file:
        paths = [indexed for indexed in reader.code.files(checkout) if is_inside(indexed, path)]
        in_file = reader.structure.in_files(checkout, paths)
    return [symbol for symbol in in_file if symbol.kind == "symbol"]


def members_of(reader: Reader, checkout: str, owners: Sequence[SymbolSketch]) -> list[SymbolSketch]:
    """What is directly inside of these symbols, in their file or in others."""
    if not owners:
        return []
    names = {(owner.path, "" if owner.kind == "file" else owner.qualified) for owner in owners}
    in_files = reader.structure.in_files(checkout, sorted({owner.path for owner in owners}))
    inside = [
        symbol
        for symbol in in_files
        if symbol.kind == "symbol" and (symbol.path, symbol.qualified.rpartition(".")[0]) in names
    ]
    elsewhere = reader.structure.into(checkout, [owner.id for owner in owners], ("member",))
    return inside + reader.structure.with_ids(checkout, [relation.other.id for relation in elsewhere])


def is_constructor(symbol: SymbolSketch) -> bool:
    """Whether a method makes objects of the type that it is in, and has its name."""
    outer, _, name = symbol.qualified.rpartition(".")
    return bool(outer) and outer.rpartition(".")[2] == name and symbol.type in FUNCTIONS


def _outer(symbol: SymbolSketch) -> str:
    return symbol.qualified.rpartition(".")[0]


def nearest(reader: Reader, checkout: str, name: SymbolName) -> list[str]:
    """Names similar to one that does not exist."""
    if not name.parts:
        return []
    last = name.parts[-1]
    for length in (max(len(last) * 2 // 3, 1), *_NEAR_PREFIXES):
        near = nearest_names(last, reader.structure.names_starting(checkout, last[:length]))
        if near:
            return near
    return []


def at_line(in_file: Sequence[SymbolSketch], line: int) -> list[SymbolSketch]:
    """The innermost symbol at a line, or the file. Nothing after its end."""
    around = [symbol for symbol in in_file if symbol.kind == "symbol" and symbol.line <= line <= symbol.end_line]
    if around:
        return [max(around, key=lambda symbol: (symbol.line, -symbol.end_line))]
    return [symbol for symbol in in_file if symbol.kind == "file" and line <= max(symbol.end_line, 1)]


def _read_name(space: OpenSpace, text: str) -> SymbolName:
    if not text.strip():
        raise InvalidInput("The symbol is empty.", "Give a name, Type.method, path#Type.method, path:line or an id.")
    if len(text) > LONGEST:
        raise InvalidInput(f"The symbol has {len(text):,} characters; the limit is {LONGEST:,}.", "Shorten it.")
    name = read_symbol_name(text)
    return name._replace(path=place_in(space, name.path)) if name.path else name


def _file_path(space: OpenSpace, text: str) -> str:
    return place_in(space, text) if posixpath.isabs(text) else posixpath.normpath(text)


def is_inside(path: str, place: str) -> bool:
    return place in (".", path) or path.startswith(f"{place}/")


def _ids(reader: Reader, text: str) -> list[str]:
    """The id that a text is, or the only one that begins so."""
    if beginning := id_beginning(text):
        ids = reader.memories.ids_from(beginning, 2)
        return ids if len(ids) == 1 else []
    try:
        return [check_id(text)]
    except InvalidInput:
        return []
