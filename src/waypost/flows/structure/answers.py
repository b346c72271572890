"""Answers about the structure of the code, with the same keys in every face."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from waypost.model.json_row import json_row
from waypost.model.kinds import IS_TEST
from waypost.store.structure import SymbolSketch as SymbolSketch  # noqa: PLC0414  faces read it

DIRECTIONS = ("callers", "callees", "implementors", "supertypes", "subtypes", "importers", "references")


def symbol_row(symbol: SymbolSketch) -> dict[str, Any]:
    """A symbol or file as data."""
    is_file = symbol.kind == "file"
    outer, _, name = symbol.qualified.rpartition(".")
    return {
        "id": symbol.id,
        "name": symbol.path.rpartition("/")[2] if is_file else name,
        "qualified": symbol.path if is_file else symbol.qualified,
        "kind": symbol.type,
        "path": symbol.path,
        "line": symbol.line or None,
        "end_line": symbol.end_line or None,
        "signature": symbol.signature or None,
        "parent": None if is_file else outer or None,
    }


@dataclass(frozen=True, slots=True)
class SymbolList:
    """Symbols with a name or in a place. If it is empty, no such symbol exists, or a notice says what it is."""

    symbols: tuple[SymbolSketch, ...] = ()
    total: int = 0  # `symbols` may be fewer, by the limit
    nearest: tuple[str, ...] = ()  # similar names, if no symbol has the name
    notices: tuple[str, ...] = ()
    exists: bool = False  # there is a symbol with the name, but of another kind or without members

    def to_json(self) -> dict[str, Any]:
        row: dict[str, Any] = {
            "found": [symbol_row(symbol) for symbol in self.symbols],
            "total": self.total,
            "nearest": list(self.nearest),
        }
        return row | ({"notices": list(self.notices)} if self.notices else {})


@dataclass(frozen=True, slots=True)
class SymbolUse:
    """Another symbol, and how it is related to the one in question.

    `path` and `line` are the first use, where the other symbol uses this one; else the definition of the other symbol.
    `lines` are all uses, in the file of the symbol that uses the other.
    """

    symbol: str
    path: str
    line: int | None
    kind: str  # calls, mentions, imports, inherits, overrides, is overridden by
    certainty: float
    depth: int
    via: str | None  # the symbol between, for a depth above 1
    id: str
    lines: tuple[int, ...]
    is_test: bool

    def to_json(self) -> dict[str, Any]:
        return {
            "symbol": self.symbol,
            "path": self.path,
            "line": self.line,
            "kind": self.kind,
            "certainty": round(self.certainty, 3),
            "depth": self.depth,
            "via": self.via,
            "id": self.id,
            "lines": list(self.lines),
            "test": self.is_test,
        }


@dataclass(frozen=True, slots=True)
class UseList:
    """Who uses a symbol, or what it uses."""

    symbol: SymbolSketch | None
    direction: str
    rows: tuple[SymbolUse, ...] = ()
    total: int = 0  # `rows` may be fewer, by the limit
    unresolved: int = 0  # calls by this name, or in this symbol, with an unknown target
    candidates: tuple[SymbolSketch, ...] = ()  # other symbols with this name
    nearest: tuple[str, ...] = ()  # if none has it
    notices: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        symbol = None if self.symbol is None else symbol_row(self.symbol)
        row = json_row(self, "candidates", "nearest", "notices", symbol=symbol)
        if self.symbol is None or self.candidates:
            row["candidates"] = [symbol_row(symbol) for symbol in self.candidates]
        if self.symbol is None:
            row["nearest"] = list(self.nearest)
        return row | ({"notices": list(self.notices)} if self.notices else {})


@dataclass(frozen=True, slots=True)
class UnusedList:
    """Symbols that nothing in the repository uses."""

    rows: tuple[tuple[SymbolSketch, float], ...] = ()  # with the certainty of each
    total: int = 0
    notices: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        rows = [symbol_row(symbol) | {"certainty": certainty} for symbol, certainty in self.rows]
        row: dict[str, Any] = {"rows": rows, "total": self.total}
        return row | ({"notices": list(self.notices)} if self.notices else {})


@dataclass(frozen=True, slots=True)
class ImpactReport:
    """What may break if these symbols change."""

    symbols: tuple[SymbolSketch, ...] = ()
    rows: tuple[SymbolUse, ...] = ()  # code that depends on them, nearest and most certain first
    total: int = 0  # `rows` may be fewer, by the limit
    tests: tuple[SymbolUse, ...] = ()
    total_tests: int = 0
    endpoints: tuple[dict[str, Any], ...] = ()
    tables: tuple[dict[str, Any], ...] = ()
    keys: tuple[dict[str, Any], ...] = ()
    memories: tuple[dict[str, Any], ...] = ()
    unresolved: int = 0  # calls by the names of these symbols with an unknown target
    candidates: tuple[SymbolSketch, ...] = ()
    nearest: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        symbols = [symbol_row(symbol) for symbol in self.symbols]
        row = json_row(self, "candidates", "nearest", "notices", symbols=symbols)
        if self.candidates or self.nearest:
            row |= {"candidates": [symbol_row(symbol) for symbol in self.candidates], "nearest": list(self.nearest)}
        return row | ({"notices": list(self.notices)} if self.notices else {})


def surroundings(report: ImpactReport) -> dict[str, Any]:
    """Who uses code, which tests and endpoints reach it, as short rows for answers about that code."""
    return {
        "used_by": [_place_row(row) for row in report.rows if row.depth == 1],
        "tests": [_place_row(row) for row in report.tests],
        "total_tests": report.total_tests,
        "endpoints": list(report.endpoints),
    }


def surrounding_lines(around: Mapping[str, Any]) -> list[str]:
    """The same as lines of text; empty if nothing uses the code."""
    lines = []
    if around["used_by"]:
        lines.append(
            "used by " + ", ".join(f"{row['symbol']} ({row['path']}:{row['line']})" for row in around["used_by"])
        )
    if around["tests"]:
        rest = around["total_tests"] - len(around["tests"])
        more = f" and {rest} more" if rest > 0 else ""
        lines.append(
            "tested by " + ", ".join(f"{row['symbol']} ({row['path']}:{row['line']})" for row in around["tests"]) + more
        )
    if around["endpoints"]:
        lines.append("reached by " + ", ".join(f"{row['method']} {row['route']}" for row in around["endpoints"]))
    return lines


def _place_row(row: SymbolUse) -> dict[str, Any]:
    return {"symbol": row.symbol, "path": row.path, "line": row.line}


def is_test(symbol: SymbolSketch) -> bool:
    return bool(symbol.traits & IS_TEST)


def display_name(symbol: SymbolSketch) -> str:
    return symbol.path if symbol.kind == "file" else symbol.qualified
