"""What belongs to the facts that are shown: whole causal chains, what decisions are linked with, and what stands above."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from waypost.context.route import RouteEntry, chain_entry, entry_of
from waypost.facts.causal import walk
from waypost.flows.links.hits import hit_of
from waypost.flows.links.staleness import looked_at
from waypost.flows.open_space import OpenSpace
from waypost.model.causal import CAUSAL_LINKS, DECISION, CausalEdge
from waypost.model.memory import Version
from waypost.model.recall import Hit, View
from waypost.retrieve.route import (
    CHAIN_DEPTH,
    MOST_IN_A_CHAIN,
    MOST_RELATED,
    RELATING,
    beside,
    chain_order,
    chain_word,
)
from waypost.store.protocol import Edge, Filter, Reader


@dataclass(slots=True)
class RelatedEntries:
    """Entries for what belongs to the shown facts, at most five, best first; `pairs` says what belongs to what."""

    space: OpenSpace
    reader: Reader
    view: View
    include_stale: bool
    pairs_of: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)  # by the entry's line

    def of(self, shown: Sequence[Hit]) -> Iterator[RouteEntry]:
        known, count = {hit.id for hit in shown}, 0
        for first, entry, others in self._entries(shown):
            new = tuple(hit for hit in entry.hits if hit.id not in known)
            if not new and len(others) < 2:
                continue
            known.update(hit.id for hit in new)
            self.pairs_of[entry.said] = tuple((first, other) for other in others)
            yield replace(entry, hits=new)
            count += 1
            if count == MOST_RELATED:
                return

    def pairs(self, entries: Iterable[RouteEntry]) -> tuple[tuple[str, str], ...]:
        return tuple(pair for entry in entries for pair in self.pairs_of.get(entry.said, ()))

    def _entries(self, shown: Sequence[Hit]) -> Iterator[tuple[str, RouteEntry, Sequence[str]]]:
        """(a shown fact, what it brings, the ids of that) for one shown fact after the other."""
        known_at = self.view.moment.known_at
        edges = self.reader.edges.of_kinds([hit.id for hit in shown], RELATING, known_at=known_at) if shown else []
        linked = {end for edge in edges if edge.kind in CAUSAL_LINKS for end in (edge.from_id, edge.to_id)}
        apart = beside([hit.id for hit in shown if hit.kind == DECISION], edges)
        told: set[str] = set()
        covered = {hit.domain for hit in shown if hit.level == 1}
        modules = self.reader.memories.visible([hit.id for hit in shown if hit.level == 2], self.view)
        for hit in shown:
            if hit.id in linked and hit.id not in told:
                chain = self._chain(hit)
                told.update(one.id for one in chain)
                yield hit.id, _told(chain), [one.id for one in chain if one.id != hit.id]
            for found in self._seen([other for one, other in apart if one == hit.id]):
                yield hit.id, entry_of(found), [found.id]
            if hit.id in modules:
                yield from self._above(hit, modules[hit.id].parent, covered)

    def _chain(self, hit: Hit) -> list[Hit]:
        """All that causes lead to from here, the decision first."""

        def links(ids: Sequence[str]) -> list[CausalEdge]:
            return [
                _causal(edge)
                for edge in self.reader.edges.of_kinds(ids, CAUSAL_LINKS, known_at=self.view.moment.known_at)
            ]

        def visible(ids: Sequence[str]) -> set[str]:
            return set(self.reader.memories.visible(ids, self.view))

        walked = walk(hit.id, CHAIN_DEPTH, links, visible, most=MOST_IN_A_CHAIN)
        found = {one.id: one for one in self._seen([one for one in walked.depths if one != hit.id])} | {hit.id: hit}
        return sorted((found[one] for one in walked.depths if one in found), key=lambda one: chain_order(one.kind))

    def _above(
        self, hit: Hit, parent: str | None, covered: set[str]
    ) -> Iterator[tuple[str, RouteEntry, Sequence[str]]]:
        """Its parent; without one, a fact of its domain when none is shown."""
        if parent is not None:
            for found in self._seen([parent]):
                yield hit.id, entry_of(found), [found.id]
        elif hit.domain and hit.domain not in covered:
            covered.add(hit.domain)
            latest = self.reader.memories.latest(self.view, Filter(level=1, domain=hit.domain), 1)
            for found in self._as_hits(latest):
                yield hit.id, entry_of(found), [found.id]

    def _seen(self, memory_ids: Sequence[str]) -> list[Hit]:
        if not memory_ids:
            return []
        return self._as_hits(list(self.reader.memories.visible(memory_ids, self.view).values()))

    def _as_hits(self, versions: Sequence[Version]) -> list[Hit]:
        memories = looked_at(self.space, self.reader, versions) if versions else {}
        hits = [hit_of(memories[version.number], 0.0, {}) for version in versions]
        return [hit for hit in hits if self.include_stale or not hit.is_stale]


def _told(chain: Sequence[Hit]) -> RouteEntry:
    return chain_entry([(chain_word(hit.kind, place == 0), hit) for place, hit in enumerate(chain)])


def _causal(edge: Edge) -> CausalEdge:
    return CausalEdge(edge.kind, edge.from_id, edge.to_id, edge.strength)
