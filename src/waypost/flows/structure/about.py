"""Memories about a place in the code, and about the code that it calls or overrides."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from waypost.code.source import CONTAINERS
from waypost.flows.links import about as direct
from waypost.flows.links.staleness import check, kept_view, linked
from waypost.flows.open_space import OpenSpace, place_in
from waypost.flows.structure.answers import display_name
from waypost.flows.structure.current import current
from waypost.flows.structure.lookup import at_line
from waypost.flows.structure.uses import related
from waypost.model.code_link import CALLED, OVERRIDDEN, AboutHit, CodeLink, LinkedMemory, RelatedCode
from waypost.model.time import Moment
from waypost.store.protocol import Reader
from waypost.store.structure import SymbolSketch

_MOST_SYMBOLS = 200  # related symbols whose memories are looked for


class _Related(NamedTuple):
    symbol: SymbolSketch
    code: RelatedCode


def about(
    space: OpenSpace, path: str, line: int | None = None, *, limit: int = 50, moment: Moment | None = None
) -> tuple[AboutHit, ...]:
    """Memories about this place, nearest first.

    Those about what a line calls or overrides come before others about its file; those about what a file calls, last.
    """
    hits = direct.about(space, path, line, limit=limit, moment=moment)
    near = tuple(hit for hit in hits if line is None or hit.relevance != "file")
    if len(near) >= limit or not _has_index(space):
        return hits
    place = place_in(space, path)

    def read(reader: Reader) -> tuple[list[_Related], set[str]]:
        symbols = _related(space, reader, place, line)
        return symbols, {place, *(row.symbol.path for row in symbols)}

    symbols, _ = current(space, read)
    by_memory: dict[str, AboutHit] = {}
    for hit in (*near, *_memories_about(space, symbols, moment), *hits):
        by_memory.setdefault(hit.memory.id, hit)
    return tuple(by_memory.values())[:limit]


def _has_index(space: OpenSpace) -> bool:
    with space.store.read() as reader:
        return reader.code.has_any(space.identity.checkout_id)


def _related(space: OpenSpace, reader: Reader, place: str, line: int | None) -> list[_Related]:
    """What a line or file calls and overrides, in the order of the calls. A head of a function stands for all of it."""
    checkout = space.identity.checkout_id
    in_file = reader.structure.in_files(checkout, [place])
    if line is None:
        users = in_file
    else:
        users = [symbol for symbol in in_file if symbol.first_line <= line <= symbol.line] or at_line(in_file, line)
    names = {symbol.id: symbol for symbol in users}
    called: dict[str, tuple[int, RelatedCode]] = {}
    for relation in reader.structure.out_of(checkout, list(names), ("calls",)):
        user = names[relation.near]
        on_line = line in relation.lines
        is_head = line is not None and user.kind == "symbol" and line <= user.line
        if relation.other.path and relation.other.id not in names and (line is None or on_line or is_head):
            by = "" if line is None or on_line else display_name(user)
            code = RelatedCode(CALLED, display_name(relation.other), by, is_file=line is None)
            called.setdefault(relation.other.id, (min(relation.lines, default=0), code))
    overridden: dict[str, RelatedCode] = {}
    for user in users:
        if line is not None and "." in user.qualified and user.type not in CONTAINERS and user.kind == "symbol":
            for row in related(reader, checkout, [user], "supertypes"):
                overridden.setdefault(row.id, RelatedCode(OVERRIDDEN, row.symbol, display_name(user)))
    ordered = {key: code for key, (_, code) in sorted(called.items(), key=lambda item: item[1][0])} | overridden
    symbols = {symbol.id: symbol for symbol in reader.structure.with_ids(checkout, list(ordered)[:_MOST_SYMBOLS])}
    return [_Related(symbols[key], code) for key, code in ordered.items() if key in symbols]


def _memories_about(space: OpenSpace, symbols: Sequence[_Related], moment: Moment | None) -> Iterable[AboutHit]:
    paths = sorted({row.symbol.path for row in symbols})
    if not paths:
        return
    view = kept_view(space, moment)
    with space.store.read() as reader:
        rows = reader.references.to_files(space.identity.checkout_id, paths, view)
        rows = reader.references.visible(view, numbers={row.number for row in rows}) if rows else []
    verdicts = check(space, rows)
    with space.store.read() as reader:
        versions = reader.memories.by_number({row.number for row in rows})
        memories = list(linked(space, reader, list(versions.values()), verdicts or None).values())
    for row in symbols:
        for memory, link in _linked_to(row.symbol, memories):
            yield AboutHit(memory, row.code.relation, link, row.code)


def _linked_to(symbol: SymbolSketch, memories: Iterable[LinkedMemory]) -> Iterable[tuple[LinkedMemory, CodeLink]]:
    """Memories about this symbol, those that are not stale first. One about a method is not one about its class."""
    first, last = symbol.first_line or symbol.line, symbol.line if symbol.type in CONTAINERS else symbol.end_line
    for memory in sorted(memories, key=lambda memory: (memory.state.is_stale, -memory.confidence)):
        for link in memory.links:
            lines = link.reference.line_range if link.finding.path is not None else None
            if lines is None or link.reference.file_path != symbol.path:
                continue
            if first <= lines.start <= last and lines.end <= symbol.end_line:
                yield memory, link
                break
