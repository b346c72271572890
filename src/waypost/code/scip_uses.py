"""What a SCIP index says about the files of a repository: the definition behind each use of a name.

It replaces resolution by names for the files it covers. A file that has changed since the index was made is left out.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from waypost.code.outline import Outline, OutlineSymbol
from waypost.code.resolve.tree import SymbolPlace
from waypost.code.scip_index import Occurrence, ScipDocument, is_local

_DESCRIPTOR = re.compile(r"(?:(?<!`)`((?:[^`]|``)*+)`|(?<![\w+\-$<>])([\w+\-$<>]++))(?:\(\+?\w*\)\.|[#.!])$")
_CONSTRUCTORS = frozenset({"<constructor>", "<init>", ".ctor", "__init__", "constructor"})
_SAME_TEXT = 0.9  # share of definitions that must be where the index says: the others may be generated
_HEADER = 5  # lines between the beginning of a definition and its name
_PARTS = 1_000  # characters of a symbol that are read


@dataclass(frozen=True, slots=True)
class FileUses:
    """The uses in one file. A name without a target refers to something outside of the repository."""

    targets: Mapping[tuple[int, str], tuple[SymbolPlace, ...]] = field(default_factory=dict)  # by line and name
    implements: tuple[tuple[SymbolPlace, SymbolPlace], ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "uses": [[*place, *map(list, targets)] for place, targets in self.targets.items()],
            "implements": [[list(inner), list(outer)] for inner, outer in self.implements],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "FileUses":
        return cls(
            {(line, name): tuple(SymbolPlace(*row) for row in rows) for line, name, *rows in data["uses"]},
            tuple((SymbolPlace(*inner), SymbolPlace(*outer)) for inner, outer in data["implements"]),
        )


def scip_uses(
    documents: Iterable[ScipDocument], outlines: Mapping[str, Outline], texts: Mapping[str, str]
) -> dict[str, FileUses]:
    """The uses in each indexed file whose text is the one that the index was made from."""
    current = _current(documents, outlines, texts)
    others = _own_names(outlines)
    places: dict[str, list[SymbolPlace]] = {}
    local: dict[tuple[str, str], SymbolPlace] = {}
    for path, (_, spelled) in current.items():
        symbols = _by_name(outlines[path])
        for occurrence, written in spelled:
            if not occurrence.is_definition:
                continue
            place = _place(path, symbols, occurrence, written)
            if place is not None and is_local(occurrence.symbol):
                local.setdefault((path, occurrence.symbol), place)
            elif place is not None:
                places.setdefault(_key(occurrence.symbol), []).append(place)
    return {
        path: _file_uses(path, document, [use for use in spelled if not _is_misnamed(*use, others)], places, local)
        for path, (document, spelled) in current.items()
    }


def misnamed_uses(
    documents: Iterable[ScipDocument], outlines: Mapping[str, Outline], texts: Mapping[str, str]
) -> set[tuple[str, int, str]]:
    """File, line and name of the uses that an index confuses with another name. `scip_uses` leaves them out."""
    others = _own_names(outlines)
    return {
        (path, occurrence.line, written)
        for path, (_, spelled) in _current(documents, outlines, texts).items()
        for occurrence, written in spelled
        if _is_misnamed(occurrence, written, others)
    }


def _current(
    documents: Iterable[ScipDocument], outlines: Mapping[str, Outline], texts: Mapping[str, str]
) -> dict[str, tuple[ScipDocument, list[tuple[Occurrence, str]]]]:
    """The files whose text is the one that the index was made from, each occurrence with its text."""
    current = {}
    for document in documents:
        text = texts.get(document.path)
        if text is not None and document.path in outlines:
            spelled = _spelled(document, text)
            if spelled is not None:
                current[document.path] = (document, spelled)
    return current


def _own_names(outlines: Mapping[str, Outline]) -> set[str]:
    """Names of symbols that no import gives to another symbol."""
    defined = {symbol.name for outline in outlines.values() for symbol in outline.symbols}
    return defined - {statement.alias for outline in outlines.values() for statement in outline.imports}


def _file_uses(
    path: str,
    document: ScipDocument,
    spelled: list[tuple[Occurrence, str]],
    places: Mapping[str, Sequence[SymbolPlace]],
    local: Mapping[tuple[str, str], SymbolPlace],
) -> FileUses:
    targets: dict[tuple[int, str], dict[SymbolPlace, None]] = {}
    for occurrence, written in spelled:
        if occurrence.is_definition or not written:
            continue
        at_line = targets.setdefault((occurrence.line, written), {})
        own = is_local(occurrence.symbol)
        target = local.get((path, occurrence.symbol)) if own else _defined(places, path, occurrence)
        if target is not None:
            at_line[target] = None
    implements = [
        (inner, outer)
        for symbol, other in document.implements
        for inner in places.get(_key(symbol), ())[:1]
        for outer in places.get(_key(other), ())[:1]
        if inner != outer
    ]
    return FileUses({place: tuple(reached) for place, reached in targets.items()}, tuple(implements))


def _defined(places: Mapping[str, Sequence[SymbolPlace]], path: str, use: Occurrence) -> SymbolPlace | None:
    """Where a symbol is defined. scip-python gives functions in functions one symbol: the last before the use counts."""
    defined = places.get(_key(use.symbol), ())
    if len({place.qualified for place in defined}) > 1:
        defined = [place for place in defined if place.path == path and place.line <= use.line][-1:] or defined
    return defined[0] if defined else None


def _is_misnamed(occurrence: Occurrence, written: str, others: Collection[str]) -> bool:
    """Whether an index confuses two names of the repository: scip-python does it for `from .models import *`."""
    if occurrence.is_definition or written not in others or is_local(occurrence.symbol):
        return False
    name = _name(occurrence.symbol)
    return bool(name) and name != written and name not in _CONSTRUCTORS


def _key(symbol: str) -> str:
    """A symbol without the version of its package, which differs between a project and its installed copy."""
    parts = symbol.split(" ", 4)
    return f"{parts[0]} {parts[2]} {parts[4]}" if len(parts) == 5 else symbol


def _spelled(document: ScipDocument, text: str) -> list[tuple[Occurrence, str]] | None:
    """Each occurrence with its text. None if the file is not the one that was indexed."""
    lines = text.split("\n")
    spelled, right, wrong = [], 0, 0
    for occurrence in document.occurrences:
        line = lines[occurrence.line - 1] if occurrence.line <= len(lines) else ""
        name = "" if is_local(occurrence.symbol) else _name(occurrence.symbol)
        written = _slice(line, occurrence, name)
        spelled.append((occurrence, written))
        if name and occurrence.is_definition and occurrence.end > occurrence.column and name not in _CONSTRUCTORS:
            right += written == name
            wrong += written != name
    return spelled if right >= _SAME_TEXT * (right + wrong) else None


def _slice(line: str, occurrence: Occurrence, name: str) -> str:
    """The text at an occurrence. Indexers count columns in bytes, UTF-16 units or characters."""
    start, end = occurrence.column, occurrence.end
    written = line[start:end]
    if line.isascii() or written == name:
        return written
    for encoding, width in (("utf-16-le", 2), ("utf-8", 1)):
        other = line.encode(encoding)[start * width : end * width].decode(encoding, "ignore")
        if other == name:
            return other
    return written


def _name(symbol: str) -> str:
    """The last name of a symbol: `add` of `shop/Cart#add().`; "" for parameters, modules and literals."""
    match = _DESCRIPTOR.search(symbol[-_PARTS:])
    return (match[1] or match[2] or "").replace("``", "`") if match else ""


def _by_name(outline: Outline) -> dict[str, list[OutlineSymbol]]:
    names: dict[str, list[OutlineSymbol]] = {}
    for symbol in outline.symbols:
        names.setdefault(symbol.name, []).append(symbol)
    return names


def _place(
    path: str, symbols: Mapping[str, list[OutlineSymbol]], occurrence: Occurrence, written: str
) -> SymbolPlace | None:
    """The symbol that a definition defines: of this name, and nearest before its line."""
    reach = _HEADER if occurrence.symbol.endswith(("#", ").")) else 0
    before = [
        symbol for symbol in symbols.get(written, ()) if 0 <= occurrence.line - symbol.start <= reach
    ]  # a field has the line of its definition; of a function or type, annotations and results may come first
    if not before:
        return None
    nearest = max(before, key=lambda symbol: symbol.start)
    return SymbolPlace(path, nearest.qualified, nearest.start)
