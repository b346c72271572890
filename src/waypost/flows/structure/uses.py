"""Who uses a symbol, what it uses, what it inherits from or implements."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from waypost.code.files.languages import language_of_path
from waypost.code.resolve.families import family
from waypost.code.source import CONTAINERS
from waypost.code.symbol_names import unresolved_name
from waypost.errors import InvalidInput
from waypost.flows.open_space import OpenSpace, unresolved_key
from waypost.flows.structure.answers import DIRECTIONS, SymbolUse, UseList, display_name, is_test
from waypost.flows.structure.current import current
from waypost.flows.structure.lookup import MOST_ROWS, absent_notices, choose, is_constructor, members_of
from waypost.model.draft import check_whole
from waypost.store.protocol import Reader
from waypost.store.structure import RelationSketch, SymbolSketch

DEEPEST = 5
_CALLS = ("calls",)
_INHERITS = ("inherits",)
_USES = ("calls", "mentions", "imports", "inherits")
_OVERRIDES = 0.9  # certainty that a method of a subtype with the same name overrides


def uses(
    space: OpenSpace,
    text: str,
    direction: str = "callers",
    *,
    depth: int | None = None,
    tests: bool | None = None,
    limit: int = 100,
) -> UseList:
    """The symbols related to one in a direction.

    `depth` is 1 by default, and unlimited for implementors. `tests`: only uses in tests (True), or none of them (False).
    """
    if direction not in DIRECTIONS:
        raise InvalidInput(f"There is no direction {direction!r}.", f"Use one of: {', '.join(DIRECTIONS)}.")
    if depth is not None:
        check_whole(depth, "depth", 1, DEEPEST)
    check_whole(limit, "limit", 1, MOST_ROWS)

    def read(reader: Reader) -> tuple[UseList, set[str]]:
        checkout = space.identity.checkout_id
        chosen = choose(space, reader, text)
        if not chosen.symbols:
            outer = text.rpartition(".")[0]
            owner = choose(space, reader, outer).symbols if outer and not chosen.candidates else ()
            notices = (
                (f"{display_name(owner[0])} is known. Fields and variables without code are no symbols.",)
                if owner
                else absent_notices(space, reader, text)
                if not chosen.candidates
                else ()
            )
            answer = UseList(None, direction, candidates=chosen.candidates, nearest=chosen.nearest, notices=notices)
            return answer, {symbol.path for symbol in chosen.candidates}
        rows = related(reader, checkout, chosen.symbols, direction, depth)
        if tests is not None:
            rows = [row for row in rows if row.is_test == tests]
        unresolved = _unresolved(space, reader, chosen.symbols, direction, rows)
        answer = UseList(chosen.symbols[0], direction, tuple(rows[:limit]), len(rows), unresolved, chosen.candidates)
        return answer, {chosen.symbols[0].path, *(row.path for row in answer.rows)}

    answer, notices = current(space, read)
    return replace(answer, notices=(*notices, *answer.notices, *_limits(answer)))


def _limits(answer: UseList) -> Iterable[str]:
    """What an answer can't know: reads of members look like reads of fields, so only those of known objects count."""
    symbol = answer.symbol
    if symbol is None or answer.direction not in ("callers", "references"):
        return
    if symbol.kind == "file" and answer.direction == "callers":
        yield "A file is not called. Use the direction importers, or name a symbol in it."
    if symbol.type in ("property", "constant") and "." in symbol.qualified:
        yield f"Only reads of {symbol.qualified} on objects of known type are listed; there may be others."


def related(
    reader: Reader, checkout: str, symbols: Sequence[SymbolSketch], direction: str, depth: int | None = None
) -> list[SymbolUse]:
    """The related symbols in a direction, nearest first."""
    is_member = "." in symbols[0].qualified and symbols[0].type not in CONTAINERS and symbols[0].kind == "symbol"
    if direction in ("implementors", "subtypes", "supertypes"):
        levels = depth or (DEEPEST if direction == "implementors" else 1)
        types = _owners(reader, checkout, symbols) if is_member else list(symbols)
        relatives = walk(reader, checkout, types, _INHERITS, levels, incoming=direction != "supertypes")
        rows = relatives
        if is_member:
            stored = walk(reader, checkout, symbols, ("overrides",), 1, incoming=direction != "supertypes")
            certain = {row.id for row in stored}
            others = _overriding(reader, checkout, symbols, relatives, direction)
            rows = stored + [row for row in others if row.id not in certain]
    elif direction == "callees":
        starts = [*symbols, *_inner(reader, checkout, symbols, depth or 1)]
        rows = walk(reader, checkout, starts, _CALLS, depth or 1, incoming=False)
    else:
        kinds = {"callers": _CALLS, "importers": ("imports",), "references": _USES}[direction]
        if direction == "callers" and symbols[0].type == "property":
            kinds = ("calls", "mentions")  # who reads it calls its code
        starts = with_constructors(reader, checkout, symbols)
        if direction == "importers" and symbols[0].kind == "file":  # who imports a name from it imports the file
            inside = reader.structure.in_files(checkout, [symbols[0].path])
            starts = list({symbol.id: symbol for symbol in (*starts, *inside)}.values())
        rows = walk(reader, checkout, starts, kinds, depth or 1, incoming=True)
    return sorted(rows, key=lambda row: (row.depth, row.is_test, row.path, row.line or 0, row.symbol))


def with_constructors(reader: Reader, checkout: str, symbols: Sequence[SymbolSketch]) -> list[SymbolSketch]:
    """These symbols, and the constructors of types among them: who calls these uses the type."""
    types = [symbol for symbol in symbols if symbol.type in CONTAINERS]
    return [*symbols, *(member for member in members_of(reader, checkout, types) if is_constructor(member))]


def walk(
    reader: Reader,
    checkout: str,
    starts: Sequence[SymbolSketch],
    kinds: Sequence[str],
    depth: int,
    *,
    incoming: bool,
) -> list[SymbolUse]:
    """Follow relations of these kinds, each symbol once, over as few steps as possible."""
    read = reader.structure.into if incoming else reader.structure.out_of
    names = {symbol.id: display_name(symbol) for symbol in starts}
    certain = dict.fromkeys(names, 1.0)
    seen, frontier = set(names), list(names)
    rows: list[SymbolUse] = []
    for level in range(1, depth + 1):
        relations = read(checkout, frontier, kinds)
        if level > 1:
            relations = [relation for relation in relations if relation.other.id not in seen]
        for relation in relations:
            certainty = certain[relation.near] * relation.strength
            via = names[relation.near] if level > 1 else None
            rows.append(_use(relation, certainty, level, via, incoming=incoming))
            names[relation.other.id] = display_name(relation.other)
            certain[relation.other.id] = max(certain.get(relation.other.id, 0.0), certainty)
        frontier = list({relation.other.id: None for relation in relations if relation.other.id not in seen})
        seen.update(frontier)
        if not frontier:
            break
    return merged(rows)


def _use(relation: RelationSketch, certainty: float, depth: int, via: str | None, *, incoming: bool) -> SymbolUse:
    other = relation.other
    line = relation.lines[0] if incoming and relation.lines else other.line
    return SymbolUse(
        symbol=display_name(other),
        path=other.path,
        line=line or None,
        kind=relation.kind,
        certainty=certainty,
        depth=depth,
        via=via,
        id=other.id,
        lines=relation.lines,
        is_test=is_test(other),
    )


def merged(rows: Iterable[SymbolUse]) -> list[SymbolUse]:
    """One row for each symbol, kind and depth: the most certain, with all lines."""
    best: dict[tuple[str, str, int], SymbolUse] = {}
    for row in rows:
        key = (row.id, row.kind, row.depth)
        before = best.get(key)
        if before is None:
            best[key] = row
            continue
        first = before if before.certainty >= row.certainty else row
        best[key] = replace(first, lines=tuple(sorted({*before.lines, *row.lines})))
    return list(best.values())


def _owners(reader: Reader, checkout: str, symbols: Sequence[SymbolSketch]) -> list[SymbolSketch]:
    """The types that these members belong to."""
    here = reader.structure.placed(checkout, [(symbol.path, symbol.qualified.rpartition(".")[0]) for symbol in symbols])
    elsewhere = reader.structure.out_of(checkout, [symbol.id for symbol in symbols], ("member",))
    return here + [relation.other for relation in elsewhere]


def _overriding(
    reader: Reader, checkout: str, symbols: Sequence[SymbolSketch], relatives: Sequence[SymbolUse], direction: str
) -> list[SymbolUse]:
    """Members with the same name in related types, in the file of the type or in another."""
    if not relatives:
        return []
    last = symbols[0].qualified.rpartition(".")[2]
    by_place = {(row.path, f"{row.symbol}.{last}"): row for row in relatives}
    by_id = {row.id: row for row in relatives}
    members = [(by_place[s.path, s.qualified], s) for s in reader.structure.placed(checkout, by_place)]
    elsewhere = reader.structure.into(checkout, by_id, ("member",))
    members += [(by_id[r.near], r.other) for r in elsewhere if r.other.qualified.rpartition(".")[2] == last]
    kind = "overridden" if direction == "supertypes" else "overrides"
    return [
        SymbolUse(
            *(member.qualified, member.path, member.line or None, kind, row.certainty * _OVERRIDES, row.depth),
            *(row.symbol if row.depth > 1 else None, member.id, (), is_test(member)),
        )
        for row, member in members
    ]


def _inner(reader: Reader, checkout: str, symbols: Sequence[SymbolSketch], depth: int) -> list[SymbolSketch]:
    """What a file contains; the fields that a type sets, from depth 2 on all its members. It calls what they call."""
    if symbols[0].kind == "file":
        return [symbol for symbol in reader.structure.in_files(checkout, [symbols[0].path]) if symbol.kind == "symbol"]
    if symbols[0].type not in CONTAINERS:
        return []
    members = members_of(reader, checkout, symbols)
    return members if depth > 1 else [member for member in members if member.type == "constant"]


def _unresolved(
    space: OpenSpace, reader: Reader, symbols: Sequence[SymbolSketch], direction: str, rows: Sequence[SymbolUse]
) -> int:
    """Calls whose target is unknown: by this name for callers, in this symbol for callees."""
    if direction in ("callers", "references"):
        return count_unresolved(space, reader, symbols[:1])
    if direction == "callees":
        called = reader.structure.called_names(symbol.id for symbol in symbols)
        return len(called - {row.symbol.rpartition(".")[2] for row in rows})
    return 0


def count_unresolved(space: OpenSpace, reader: Reader, symbols: Iterable[SymbolSketch]) -> int:
    """Calls with an unknown target by the names of these symbols, in their languages."""
    counts = _counts(reader.meta.get(unresolved_key(space)) or "{}")
    called = (symbol for symbol in symbols if symbol.kind == "symbol")
    return sum(counts.get(name, 0) for name in {called_name(symbol) for symbol in called})


def called_name(symbol: SymbolSketch) -> str:
    """The key of the count of unresolved calls that may call this symbol."""
    return unresolved_name(family(language_of_path(symbol.path)), symbol.qualified.rpartition(".")[2])


@lru_cache(maxsize=8)
def _counts(stored: str) -> dict[str, int]:
    counts: dict[str, int] = json.loads(stored)
    return counts
