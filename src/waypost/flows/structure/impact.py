"""What a change may break: code that depends on it, tests, endpoints, tables, settings, and memories about it."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from waypost.code.changes.commits import changed_lines
from waypost.code.source import CONTAINERS
from waypost.errors import InvalidInput
from waypost.flows.links.staleness import kept_view
from waypost.flows.open_space import OpenSpace, architecture_key, need_project, tree_of
from waypost.flows.structure.answers import ImpactReport, SymbolUse
from waypost.flows.structure.current import current
from waypost.flows.structure.lookup import MOST_ROWS, choose, is_constructor, members_of
from waypost.flows.structure.uses import DEEPEST, count_unresolved, merged, related, walk
from waypost.model.draft import check_whole
from waypost.model.reference import LineRange
from waypost.store.protocol import Reader
from waypost.store.structure import SymbolSketch

_DEPENDS = ("calls", "mentions", "inherits")
_MOST_THROUGH = 20  # methods that use the changed code, of which callers through their bases are looked for
_LEAST_CERTAIN = 0.3  # chains of guesses below this are left out
_CONSTRUCTORS = frozenset({"__init__", "__new__", "constructor", "__construct", "initialize"})
_TEST_NAMES = ("test", "benchmark", "fuzz", "example")
_LONGEST_TEXT = 200  # characters of a memory

Span = tuple[str, int, int]  # a path and its first and last line


def impact(
    space: OpenSpace, text: str = "", *, staged: bool = False, diff: str | None = None, limit: int = 100
) -> ImpactReport:
    """What may break if a symbol changes, or by the changes against a revision; by default by uncommitted changes."""
    need_project(space)
    check_whole(limit, "limit", 1, MOST_ROWS)
    if bool(text) + staged + (diff is not None) > 1:
        raise InvalidInput("Give one of SYMBOL, --staged and --diff.", "Without any, uncommitted changes are read.")
    changed = None if text else changed_lines(tree_of(space), staged=staged, against=diff or "HEAD")

    def read(reader: Reader) -> tuple[ImpactReport, Iterable[str]]:
        checkout = space.identity.checkout_id
        if changed is not None:
            return _report(space, reader, _changed_symbols(reader, checkout, changed), limit), set(changed)
        chosen = choose(space, reader, text)
        if not chosen.symbols:
            return ImpactReport(candidates=chosen.candidates, nearest=chosen.nearest), ()
        files = [symbol.path for symbol in chosen.symbols if symbol.kind == "file"]
        inside = reader.structure.in_files(checkout, files) if files else []
        report = _report(space, reader, list({s.id: s for s in (*chosen.symbols, *inside)}.values()), limit)
        return replace(report, symbols=chosen.symbols), {chosen.symbols[0].path}

    answer, notices = current(space, read)
    return replace(answer, notices=notices)


def _changed_symbols(reader: Reader, checkout: str, changed: Mapping[str, Sequence[LineRange]]) -> list[SymbolSketch]:
    """The innermost symbols with a changed line; the file where no symbol is."""
    by_path: dict[str, list[SymbolSketch]] = {}
    for symbol in reader.structure.in_files(checkout, sorted(changed)):
        by_path.setdefault(symbol.path, []).append(symbol)
    chosen: dict[str, SymbolSketch] = {}
    for path, symbols in by_path.items():
        file = [symbol for symbol in symbols if symbol.kind == "file"]
        inside = [symbol for symbol in symbols if symbol.kind == "symbol"]
        for lines in changed[path]:
            touched = [s for s in inside if s.line <= lines.end and lines.start <= s.end_line]
            inner = [s for s in touched if not any(_contains(s, other) and _hits(other, lines) for other in touched)]
            chosen.update({symbol.id: symbol for symbol in inner or file})
    return sorted(chosen.values(), key=lambda symbol: (symbol.path, symbol.line))


def _contains(outer: SymbolSketch, inner: SymbolSketch) -> bool:
    return outer.id != inner.id and outer.line <= inner.line and inner.end_line <= outer.end_line


def _hits(symbol: SymbolSketch, lines: LineRange) -> bool:
    """Whether all changed lines are in the symbol: then those around it are not touched."""
    return symbol.line <= lines.start and lines.end <= symbol.end_line


def _report(space: OpenSpace, reader: Reader, symbols: Sequence[SymbolSketch], limit: int) -> ImpactReport:
    checkout = space.identity.checkout_id
    starts = {symbol.id: symbol for symbol in symbols}
    types = [symbol for symbol in symbols if symbol.type in CONTAINERS]
    starts |= {member.id: member for member in members_of(reader, checkout, types)}
    rows = walk(reader, checkout, list(starts.values()), _DEPENDS, DEEPEST, incoming=True)
    rows += _through_types(reader, checkout, symbols)
    rows += _through_types_of_users(reader, checkout, rows)
    rows += _only_importing(walk(reader, checkout, symbols, ("imports",), 1, incoming=True), rows)
    rows = [row for row in merged(rows) if row.certainty >= _LEAST_CERTAIN and row.id not in starts]
    rows = sorted(_nearest(rows), key=lambda row: (row.depth, -row.certainty, row.path, row.line or 0))
    tests = [row for row in rows if row.is_test]
    code = [row for row in rows if not row.is_test]
    touched = reader.structure.with_ids(checkout, [row.id for row in rows])
    near = {row.id for row in rows if row.depth == 1}
    own = [_span(symbol) for symbol in starts.values()]
    direct = [_span(symbol) for symbol in touched if symbol.id in near and symbol.kind == "symbol"]
    every = own + [_span(symbol) for symbol in touched if symbol.kind == "symbol"]
    architecture = json.loads(reader.meta.get(architecture_key(space)) or "{}")
    return ImpactReport(
        symbols=tuple(symbols),
        rows=tuple(code[:limit]),
        total=len(code),
        tests=tuple(tests[:limit]),
        total_tests=len(tests),
        endpoints=tuple(_endpoints(architecture, every)),
        tables=tuple(_tables(reader, checkout, list(starts.values()), own)),
        keys=tuple(_keys(architecture, own)),
        memories=tuple(_memories(space, reader, own + direct)),
        unresolved=count_unresolved(space, reader, starts.values()),
    )


def _through_types(reader: Reader, checkout: str, symbols: Sequence[SymbolSketch]) -> list[SymbolUse]:
    """Overrides of methods, and callers of the methods that they override: these may call them through the base."""
    rows: list[SymbolUse] = []
    for symbol in symbols:
        if _is_method(symbol):
            rows += related(reader, checkout, [symbol], "implementors")
            rows += _through_bases(reader, checkout, symbol)
    return rows


def _through_types_of_users(reader: Reader, checkout: str, users: Sequence[SymbolUse]) -> list[SymbolUse]:
    """Callers of the methods that users of the changed code override."""
    direct = {row.id: row for row in users if row.depth == 1 and row.kind == "calls" and not row.is_test}
    rows: list[SymbolUse] = []
    for symbol in reader.structure.with_ids(checkout, list(direct)[:_MOST_THROUGH]):
        if _is_method(symbol):
            certainty = direct[symbol.id].certainty
            through = _through_bases(reader, checkout, symbol)
            rows += [replace(row, certainty=row.certainty * certainty, depth=row.depth + 1) for row in through]
    return rows


def _is_method(symbol: SymbolSketch) -> bool:
    return symbol.kind == "symbol" and symbol.type not in CONTAINERS and "." in symbol.qualified


def _through_bases(reader: Reader, checkout: str, symbol: SymbolSketch) -> list[SymbolUse]:
    """Callers of the methods that this one overrides. `super().save()` calls the base alone, as a constructor does."""
    name = symbol.qualified.rpartition(".")[2]
    if name in _CONSTRUCTORS or is_constructor(symbol):
        return []
    rows: list[SymbolUse] = []
    for base in related(reader, checkout, [symbol], "supertypes", DEEPEST):
        bases = reader.structure.with_ids(checkout, [base.id])
        overriding = {row.id for row in related(reader, checkout, bases, "implementors")}
        callers = (row for row in related(reader, checkout, bases, "callers") if row.id not in overriding)
        rows += [replace(row, certainty=row.certainty * base.certainty, via=base.symbol) for row in callers]
    return rows


def _only_importing(importers: Sequence[SymbolUse], rows: Sequence[SymbolUse]) -> list[SymbolUse]:
    """Files that import something without a use that is known."""
    using = {row.path for row in rows}
    return [row for row in importers if row.path not in using]


def _nearest(rows: Iterable[SymbolUse]) -> list[SymbolUse]:
    """One row for each symbol: the one with the fewest steps."""
    best: dict[str, SymbolUse] = {}
    for row in sorted(rows, key=lambda row: (row.depth, -row.certainty)):
        best.setdefault(row.id, row)
    return list(best.values())


def _span(symbol: SymbolSketch) -> Span:
    return symbol.path, symbol.first_line or symbol.line, symbol.end_line


def _inside(path: str, line: int, spans: Iterable[Span]) -> bool:
    return any(path == place and first <= line <= (last or line) for place, first, last in spans)


def _endpoints(architecture: Mapping[str, Any], spans: Sequence[Span]) -> list[dict[str, Any]]:
    rows = []
    for endpoint in architecture.get("endpoints", ()):
        places = [place for place in (endpoint.get("handler_place"), endpoint.get("place")) if place]
        if any(_inside(place["path"], place["line"], spans) for place in places):
            rows.append({"method": endpoint["method"], "route": endpoint["path"], **places[0]})
    return rows


def _keys(architecture: Mapping[str, Any], spans: Sequence[Span]) -> list[dict[str, Any]]:
    """Environment variables that the changed code reads."""
    variables = architecture.get("configuration", {}).get("variables", {})
    return [
        {"key": name, "path": place["path"], "line": place["line"]}
        for name, places in variables.items()
        for place in places
        if _inside(place["path"], place["line"], spans)
    ]


def _tables(
    reader: Reader, checkout: str, symbols: Sequence[SymbolSketch], spans: Sequence[Span]
) -> list[dict[str, Any]]:
    """Tables that the changed code defines or uses through its model classes."""
    used = reader.structure.out_of(checkout, [symbol.id for symbol in symbols], ("calls", "mentions"))
    ours = {*spans, *((use.other.path, use.other.line, use.other.end_line) for use in used)}
    numbers = reader.code.numbers_into(checkout, "table", sorted({path for path, _, _ in ours}))
    rows = []
    for version in reader.memories.by_number(numbers).values() if numbers else ():
        for ref in version.refs:
            if ref.line_range is not None and _inside(ref.file_path, ref.line_range.start, ours):
                rows.append({"table": version.name, "path": ref.file_path, "line": ref.line_range.start})
                break
    return rows


def _memories(space: OpenSpace, reader: Reader, spans: Sequence[Span]) -> list[dict[str, Any]]:
    """Memories and decisions pinned to the changed code, or to code that uses it directly."""
    paths = sorted({path for path, _, _ in spans})
    view = kept_view(space)
    rows = reader.references.to_files(space.identity.checkout_id, paths, view) if paths else []
    chosen: dict[int, str] = {}
    for row in rows:
        path, lines = row.reference.file_path, row.reference.line_range
        here = [(first, last) for place, first, last in spans if place == path]
        if here and (lines is None or any(lines.start <= last and first <= lines.end for first, last in here)):
            chosen.setdefault(row.number, str(row.reference))
    versions = reader.memories.by_number(chosen)
    states = reader.memories.states([version.memory_id for version in versions.values()])
    return [
        {
            "id": version.memory_id,
            "kind": version.kind,
            "text": version.text[:_LONGEST_TEXT],
            "where": chosen[number],
            "stale": states[version.memory_id].is_stale if version.memory_id in states else False,
        }
        for number, version in versions.items()
    ]


def covering_tests(reader: Reader, checkout: str, symbols: Sequence[SymbolSketch], most: int) -> list[SymbolUse]:
    """Tests that reach these symbols in the fewest steps."""
    rows = walk(reader, checkout, symbols, ("calls", "mentions"), DEEPEST, incoming=True)
    tests = sorted((row for row in rows if row.is_test), key=lambda row: (row.depth, -row.certainty, row.path))
    return ([row for row in tests if not _is_helper(row)] or tests)[:most]


def _is_helper(row: SymbolUse) -> bool:
    """Whether it stands among tests, but is not named as tests of its language are."""
    is_strict = row.path.endswith((".py", ".go"))
    return is_strict and not row.symbol.rpartition(".")[2].lower().startswith(_TEST_NAMES)
