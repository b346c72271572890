"""Prints answers about the structure of the code."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from waypost.faces.cli.output.memories import console, print_notices, safe
from waypost.flows.structure.answers import surrounding_lines, surroundings
from waypost.text.plural import counted

if TYPE_CHECKING:
    from rich.console import Console

    from waypost.flows.structure.answers import ImpactReport, SymbolList, SymbolSketch, SymbolUse, UnusedList, UseList
    from waypost.memory import Memory

_CERTAIN = 0.9
_AROUND = 5  # users and tests of code that are listed
_HEADINGS = {
    "callers": "calls",
    "callees": "calls",
    "implementors": "implementations",
    "supertypes": "supertypes",
    "subtypes": "subtypes",
    "importers": "imports",
    "references": "references",
}


def print_symbols(answer: "SymbolList", text: str) -> None:
    out = console()
    for symbol in answer.symbols:
        out.print(safe(_symbol_line(symbol)), markup=False)
    if not answer.symbols and not answer.exists:
        _print_absent(out, text, answer.nearest)
    _print_rest(out, len(answer.symbols), answer.total)
    print_notices(answer.notices)


def print_uses(answer: "UseList", text: str) -> None:
    out = console()
    if answer.symbol is None:
        _print_unclear(out, text, answer.candidates, answer.nearest)
    else:
        out.print(safe(_symbol_line(answer.symbol)), markup=False, style="bold")
        for row in answer.rows:
            out.print(safe(_use_line(row)), markup=False)
        if not answer.rows:
            out.print(f"No {_HEADINGS[answer.direction]} in this repository.")
            if answer.direction == "callers":
                out.print("--direction references also finds other uses; --direction callees, what it calls.")
        _print_rest(out, len(answer.rows), answer.total)
        if answer.unresolved and answer.direction == "callees":
            out.print(f"{counted(answer.unresolved, 'called name')} not defined in this repository or not resolved.")
        elif answer.unresolved:
            out.print(f"{counted(answer.unresolved, 'more call')} by this name could not be resolved.")
    print_notices(answer.notices)


def print_impact(answer: "ImpactReport", text: str) -> None:
    out = console()
    if not answer.symbols and text:
        _print_unclear(out, text, answer.candidates, answer.nearest)
    elif not answer.symbols:
        out.print("Nothing has changed in indexed code.")
    for symbol in answer.symbols:
        out.print(safe(_symbol_line(symbol)), markup=False, style="bold")
    _print_part(out, "may break", map(_use_line, answer.rows), answer.total)
    _print_part(out, "tests", map(_use_line, answer.tests), answer.total_tests)
    endpoints = [f"   {row['method']} {row['route']}  {row['path']}:{row['line']}" for row in answer.endpoints]
    _print_part(out, "endpoints", endpoints, len(endpoints))
    tables = [f"   {row['table']}  {row['path']}:{row['line']}" for row in answer.tables]
    _print_part(out, "tables", tables, len(tables))
    keys = [f"   {row['key']}  {row['path']}:{row['line']}" for row in answer.keys]
    _print_part(out, "environment variables", keys, len(keys))
    memories = [f"   {row['id']}  {row['kind']}: {row['text']}  {row['where']}" for row in answer.memories]
    _print_part(out, "memories", memories, len(memories))
    if answer.unresolved:
        out.print(
            f"{counted(answer.unresolved, 'call')} by these names could not be resolved, and may reach this code."
        )
    elif answer.symbols and not answer.total and not answer.total_tests:
        out.print("Nothing else in this repository uses it.")
    print_notices(answer.notices)


def print_unused(answer: "UnusedList") -> None:
    out = console()
    for symbol, certainty in answer.rows:
        note = "" if certainty >= _CERTAIN else f"  certainty {certainty:.1f}"
        out.print(safe(f"{_symbol_line(symbol)}{note}"), markup=False)
    if not answer.rows:
        out.print("No unused symbols.")
    _print_rest(out, len(answer.rows), answer.total)
    print_notices(answer.notices)


def around(memory: "Memory", place: str) -> dict[str, Any]:
    """Who uses the code at a place, which tests and endpoints reach it."""
    rows = surroundings(memory.code.impact(place, limit=_AROUND))
    return rows if surrounding_lines(rows) else {}


def print_around(rows: Mapping[str, Any]) -> None:
    for line in surrounding_lines(rows) if rows else ():
        console().print(safe(line), markup=False, style="dim")


def _symbol_line(symbol: "SymbolSketch") -> str:
    place = f"{symbol.path}:{symbol.line}" if symbol.line and symbol.kind != "file" else symbol.path
    name = "" if symbol.kind == "file" else f"  {symbol.qualified}"
    return f"{place}{name}  {symbol.type}"


def _use_line(row: "SymbolUse") -> str:
    place = f"{row.path}:{row.line}" if row.line else row.path
    more = f" (+{len(row.lines) - 1} more lines)" if len(row.lines) > 1 else ""
    via = f" via {row.via}" if row.via else ""
    unsure = "" if row.certainty >= _CERTAIN else f"  certainty {row.certainty:.2f}"
    return f"   {'  ' * (row.depth - 1)}{place}  {row.symbol}  {row.kind}{more}{via}{unsure}"


def _print_part(out: "Console", title: str, lines: Iterable[str], total: int) -> None:
    if total:
        out.print(f"{title} ({total})", style="bold")
        printed = 0
        for line in lines:
            out.print(safe(line), markup=False)
            printed += 1
        _print_rest(out, printed, total)


def _print_unclear(out: "Console", text: str, candidates: "Sequence[SymbolSketch]", nearest: Sequence[str]) -> None:
    if not candidates:
        _print_absent(out, text, nearest)
        return
    out.print(
        safe(f"{counted(len(candidates), 'symbol has', 'symbols have')} the name {text!r}. Choose one:"), markup=False
    )
    for symbol in candidates:
        out.print(safe(f"   {symbol.path}#{symbol.qualified}  {symbol.type}, line {symbol.line}"), markup=False)


def _print_absent(out: "Console", text: str, nearest: Sequence[str]) -> None:
    out.print(safe(f"There is no symbol {text!r} in this repository."), markup=False)
    if nearest:
        out.print(safe(f"Similar names: {', '.join(nearest)}"), markup=False)


def _print_rest(out: "Console", printed: int, total: int) -> None:
    if total > printed:
        out.print(f"{printed} of {total}; raise --limit to see all.", style="dim")
