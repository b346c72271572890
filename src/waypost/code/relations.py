"""Relations between files and symbols: imports, calls and inheritance.

`relate` works on outlines (see `waypost.code.outline`), for a repository or some of its files. What names, imports
and classes do not resolve is left out: a missing relation is better than a wrong one.
"""

import gc
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from waypost.code.outline import Outline, Use
from waypost.code.resolve.bindings import type_expression
from waypost.code.resolve.calls import CallResolver
from waypost.code.resolve.go_interfaces import implementations
from waypost.code.resolve.module_systems import files_of_package, names_of, whole_module
from waypost.code.resolve.names import NameScope
from waypost.code.resolve.tree import OutlineTree, OutlineView, SymbolPlace, Value
from waypost.code.scip_uses import FileUses
from waypost.code.source import FUNCTIONS
from waypost.code.symbol_names import unresolved_name

__all__ = ["CodeRelation", "Relations", "SymbolPlace", "centrality", "is_manifest", "relate"]

_MANIFEST = re.compile(r"(?:package|[jt]sconfig(?:\.[\w-]{1,40})?)\.json|go\.mod|Cargo\.toml")

DAMPING = 0.85
ROUNDS = 20  # more do not change the order


@dataclass(frozen=True, slots=True)
class CodeRelation:
    """One edge. `strength` is its certainty: 1 by import, .95 through `self` or a base, .6 by a unique name."""

    kind: str  # "imports", "calls", "mentions", "inherits", "overrides", or "member": of a type in another file
    source: SymbolPlace
    target: SymbolPlace
    lines: tuple[int, ...]  # of the uses, in the file of `source`
    strength: float


@dataclass(frozen=True, slots=True)
class Relations:
    edges: tuple[CodeRelation, ...]
    uses: int = 0  # calls examined
    resolved: int = 0  # calls that reach a symbol of the repository
    unresolved: Mapping[str, int] = field(
        default_factory=dict
    )  # by `unresolved_name`: calls that may reach the repository


def relate(
    outlines: Mapping[str, Outline],
    manifests: Mapping[str, str],
    indexed: Mapping[str, FileUses] | None = None,
) -> Relations:
    """The relations between all files.

    `manifests` has the text of each file for which `is_manifest` is true, by path. `indexed` has what a SCIP index says
    about files: it comes before names.
    """
    with _without_collection():
        return _relate(OutlineTree(outlines, manifests), indexed or {})


def _relate(tree: OutlineTree, indexed: Mapping[str, FileUses]) -> Relations:
    resolver = CallResolver(names_of(tree))
    edges: dict[tuple[str, SymbolPlace, SymbolPlace], CodeRelation] = {}
    uses = resolved = 0
    unresolved: Counter[str] = Counter()
    for path in tree.outlines:
        view = tree.view(path)
        if view is None:
            continue
        reached: set[str] = set()
        for edge in (*_bases(resolver.names, view), *_implementations(resolver.names, view)):
            reached.add(edge.target.path)
            _keep(edges, edge)
        file_uses = indexed.get(path)
        for edge in _indexed_bases(tree, file_uses) if file_uses is not None else ():
            _keep(edges, edge)
        for use in view.outline.uses:
            uses += use.is_call
            exact, rest = ([], use) if file_uses is None else _indexed_uses(tree, view, use, file_uses)
            relations = exact if rest is None else [*exact, *_use(resolver, view, rest)]
            properties = _read_properties(resolver, view, rest) if rest is not None else ()
            for edge in (*relations, *properties):
                reached.add(edge.target.path)
                _keep(edges, edge)
            if relations:
                resolved += use.is_call
            elif rest is not None and use.is_call and resolver.may_reach(view, use):
                unresolved[unresolved_name(view.family, use.name)] += len(rest.lines)
        for edge in _detached_members(resolver.names, view):
            _keep(edges, edge)
        for edge in _imports(resolver.names, view, reached):
            _keep(edges, edge)
    _keep_implementations(resolver.names, edges)
    return Relations(tuple(edges.values()), uses, resolved, unresolved)


def _keep_implementations(names: NameScope, edges: dict[tuple[str, SymbolPlace, SymbolPlace], CodeRelation]) -> None:
    """Which Go types implement which interfaces. One that embeds an interface may still not implement it."""
    for implementation in implementations(names):
        source, target = _place(names.tree, implementation.type), _place(names.tree, implementation.interface)
        if implementation.interface.strength:
            _keep(edges, CodeRelation("inherits", source, target, (source.line,), implementation.interface.strength))
        else:
            edges.pop(("inherits", source, target), None)


def is_manifest(path: str) -> bool:
    """Whether `relate` needs this file's text: package.json, tsconfig.json and variants, go.mod, Cargo.toml."""
    return _MANIFEST.fullmatch(path.rsplit("/", 1)[-1]) is not None


@contextmanager
def _without_collection() -> Iterator[None]:
    """Pause garbage collection: with millions of live objects it takes half of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _keep(edges: dict[tuple[str, SymbolPlace, SymbolPlace], CodeRelation], edge: CodeRelation) -> None:
    before = edges.get((edge.kind, edge.source, edge.target))
    if edge.kind == "mentions" and any((kind, edge.source, edge.target) in edges for kind in ("calls", "inherits")):
        return  # who calls or inherits also mentions
    if before is not None:
        lines = tuple(sorted({*before.lines, *edge.lines}))
        edge = replace(edge, lines=lines, strength=max(before.strength, edge.strength))
    edges[edge.kind, edge.source, edge.target] = edge


def _imports(names: NameScope, view: OutlineView, reached: Collection[str]) -> Iterator[CodeRelation]:
    source = SymbolPlace(view.path)
    for statement in view.outline.imports:
        value = whole_module(names, view, statement)
        if value is None:
            continue
        if value.kind == "package":
            files, strength = files_of_package(names, value, reached)
            targets = [SymbolPlace(path) for path in sorted(files)]
        else:
            targets, strength = [_place(names.tree, value)], value.strength
        for target in targets:
            if target.path != view.path:
                yield CodeRelation("imports", source, target, (statement.line,), strength)


def _bases(names: NameScope, view: OutlineView) -> Iterator[CodeRelation]:
    for number, symbol in enumerate(view.outline.symbols):
        if not symbol.bases:
            continue
        for _, value in names.named_bases(view, number):
            if value is not None:
                source = SymbolPlace(view.path, symbol.qualified, symbol.start)
                target = _place(names.tree, value)
                if target != source:
                    yield CodeRelation("inherits", source, target, (symbol.start,), value.strength)


def _implementations(names: NameScope, view: OutlineView) -> Iterator[CodeRelation]:
    """Bases that types get outside of their definition, and the methods that implement those of a base."""
    symbols = view.outline.symbols
    for type_name, base, line, end in view.outline.implementations:
        named = type_expression(base)
        above = names.evaluate(view, -1, named[:-2]) if named else None
        if above is None or above.kind != "symbol":
            continue
        value, target = names.lookup(view, -1, type_name), _place(names.tree, above)
        if value is not None and value.kind == "symbol" and value != above:
            yield CodeRelation("inherits", _place(names.tree, value), target, (line,), above.strength)
        for symbol in symbols:
            if line <= symbol.start and symbol.end <= end and symbol.qualified.endswith(f"{type_name}.{symbol.name}"):
                member = names.member(above, symbol.name)
                if member is not None and member.kind == "symbol":
                    source = SymbolPlace(view.path, symbol.qualified, symbol.start)
                    yield CodeRelation("overrides", source, _place(names.tree, member), (symbol.start,), above.strength)


def _indexed_uses(
    tree: OutlineTree, view: OutlineView, use: Use, file_uses: FileUses
) -> tuple[list[CodeRelation], Use | None]:
    """The relations of a use by a SCIP index, and what is left of the use: lines about which the index says nothing."""
    source = _place(tree, Value("symbol", view.path, use.owner))
    kind = "calls" if use.is_call else "mentions"
    exact, open_lines = [], []
    for line in use.lines:
        targets = file_uses.targets.get((line, use.name))
        if targets is None:
            open_lines.append(line)
            continue
        places = [place for target in targets if (place := _current_place(tree, target)) is not None]
        exact += [CodeRelation(kind, source, place, (line,), 1.0) for place in places if place != source]
    return exact, replace(use, lines=tuple(open_lines)) if open_lines else None


def _indexed_bases(tree: OutlineTree, file_uses: FileUses) -> Iterator[CodeRelation]:
    """Base types and overridden methods by a SCIP index."""
    for inner, outer in file_uses.implements:
        source, target = _current_place(tree, inner), _current_place(tree, outer)
        if source is not None and target is not None:
            view = tree.view(source.path)
            is_function = view is not None and any(
                symbol.kind in FUNCTIONS
                for symbol in view.outline.symbols
                if (symbol.qualified, symbol.start) == (source.qualified, source.line)
            )
            yield CodeRelation("overrides" if is_function else "inherits", source, target, (source.line,), 1.0)


def _current_place(tree: OutlineTree, place: SymbolPlace) -> SymbolPlace | None:
    """Where a symbol of an index is now: its file may have changed since."""
    view = tree.view(place.path)
    symbols = view.outline.symbols if view is not None else ()
    starts = [symbol.start for symbol in symbols if symbol.qualified == place.qualified]
    return place._replace(line=min(starts, key=lambda start: abs(start - place.line))) if starts else None


def _use(resolver: CallResolver, view: OutlineView, use: Use) -> list[CodeRelation]:
    """The relations of a call or mention; none if it reaches nothing in the repository."""
    value = resolver.resolve(view, use)
    if value is None:
        return []
    target, tree = resolver.overload(value, use, view), resolver.names.tree
    source = _place(tree, Value("symbol", view.path, use.owner))
    is_call = use.is_call or (view.family == "ruby" and not use.receiver and _is_member(tree, target))
    kind, place = "calls" if is_call else "mentions", _place(tree, target)
    starts = resolver.repeated(view, target) if use.arguments < 0 else ()
    if not starts:
        return [CodeRelation(kind, source, place, use.lines, target.strength)]
    by_start: dict[int, list[int]] = {}
    for line in use.lines:  # the last definition before it, as blocks of code have names of their own
        by_start.setdefault(max((start for start in starts if start <= line), default=starts[0]), []).append(line)
    return [
        CodeRelation(kind, source, place._replace(line=start), tuple(lines), target.strength)
        for start, lines in by_start.items()
    ]


def _read_properties(resolver: CallResolver, view: OutlineView, use: Use) -> Iterator[CodeRelation]:
    """The properties that the receiver of a use that was just resolved reads."""
    for value in resolver.properties:
        target, source = (
            _place(resolver.names.tree, value),
            _place(resolver.names.tree, Value("symbol", view.path, use.owner)),
        )
        if target != source:
            yield CodeRelation("mentions", source, target, use.lines, value.strength)


def _is_member(tree: OutlineTree, value: Value) -> bool:
    """Whether it is a method: Ruby calls these without brackets."""
    view = tree.view(value.path)
    symbol = view.outline.symbols[value.symbol] if view is not None and value.symbol >= 0 else None
    return symbol is not None and symbol.kind in ("method", "property")


def _detached_members(names: NameScope, view: OutlineView) -> Iterator[CodeRelation]:
    """Members of types that are defined in another file: Go methods, Rust `impl`, partial classes."""
    for symbol in view.outline.symbols:
        owner = symbol.qualified.rpartition(".")[0]
        if symbol.parent >= 0 or not owner or "." in owner:
            continue
        value = names.lookup(view, -1, owner)
        if value is not None and value.kind == "symbol" and value.path != view.path:
            source = SymbolPlace(view.path, symbol.qualified, symbol.start)
            yield CodeRelation("member", source, _place(names.tree, value), (symbol.start,), value.strength)


def _place(tree: OutlineTree, value: Value) -> SymbolPlace:
    view = tree.view(value.path)
    if view is None or value.symbol < 0:
        return SymbolPlace(value.path)
    symbol = view.outline.symbols[value.symbol]
    return SymbolPlace(value.path, symbol.qualified, symbol.start)


def centrality(relations: Relations | Iterable[CodeRelation]) -> dict[str, float]:
    """How central each file is, 0 to 1: PageRank over imports and uses, divided by its maximum."""
    edges = relations.edges if isinstance(relations, Relations) else relations
    links: dict[str, dict[str, float]] = {}
    files: set[str] = set()
    for edge in edges:
        files |= {edge.source.path, edge.target.path}
        if edge.source.path != edge.target.path:
            out = links.setdefault(edge.source.path, {})
            out[edge.target.path] = max(out.get(edge.target.path, 0.0), edge.strength)
    if not files:
        return {}
    rank = dict.fromkeys(files, 1.0 / len(files))
    totals = {path: sum(out.values()) for path, out in links.items()}
    for _ in range(ROUNDS):
        loose = sum(rank[path] for path in files if path not in links)
        base = (1 - DAMPING + DAMPING * loose) / len(files)
        following = dict.fromkeys(files, base)
        for path, out in links.items():
            share = DAMPING * rank[path] / totals[path]
            for target, weight in out.items():
                following[target] += share * weight
        rank = following
    highest = max(rank.values())
    return {path: value / highest for path, value in rank.items()}
