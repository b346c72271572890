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
from waypost.store.protocol import Filter, Reader


@dataclass(slots=True)
class RelatedEntries:
    """Entries for what belongs to the shown facts, at most five, best first; `pairs` says what belongs to what."""

    space: OpenSpace
    reader: Reader
    view: View
    include_stale: bool
    pairs_of: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)  # by the entry's line

    def of(self, facts: Sequence[Hit]) -> Iterator[RouteEntry]:
        listed, count = {hit.id for hit in facts}, 0
        for first, entry, others in self._entries(facts):
            new = tuple(hit for hit in entry.hits if hit.id not in listed)
            if not new and len(others) < 2:
                continue
            listed.update(hit.id for hit in new)
            self.pairs_of[entry.said] = tuple((first, other) for other in others)
            yield replace(entry, hits=new)
            count += 1
            if count == MOST_RELATED:
                return

    def pairs(self, entries: Iterable[RouteEntry]) -> tuple[tuple[str, str], ...]:
        return tuple(pair for entry in entries for pair in self.pairs_of.get(entry.said, ()))

    def _entries(self, facts: Sequence[Hit]) -> Iterator[tuple[str, RouteEntry, Sequence[str]]]:
        """(a shown fact, what it brings, the ids of that) for one fact after the other."""
        known_at = self.view.moment.known_at
        edges = self.reader.edges.of_kinds([hit.id for hit in facts], RELATING, known_at=known_at) if facts else []
        linked = {end for edge in edges if edge.kind in CAUSAL_LINKS for end in (edge.from_id, edge.to_id)}
        apart = beside([hit.id for hit in facts if hit.kind == DECISION], edges)
        in_chains: set[str] = set()
        covered = {hit.domain for hit in facts if hit.level == 1}
        modules = self.reader.memories.visible([hit.id for hit in facts if hit.level == 2], self.view)
        for hit in facts:
            if hit.id in linked and hit.id not in in_chains:
                chain = self._chain(hit)
                in_chains.update(member.id for member in chain)
                yield hit.id, _chain_entry(chain), [member.id for member in chain if member.id != hit.id]
            for other in self._seen([other_id for memory_id, other_id in apart if memory_id == hit.id]):
                yield hit.id, entry_of(other), [other.id]
            if hit.id in modules:
                yield from self._above(hit, modules[hit.id].parent, covered)

    def _chain(self, hit: Hit) -> list[Hit]:
        """All that causes lead to from here, the decision first."""

        def links(ids: Sequence[str]) -> list[CausalEdge]:
            return [
                CausalEdge(edge.kind, edge.from_id, edge.to_id, edge.strength)
                for edge in self.reader.edges.of_kinds(ids, CAUSAL_LINKS, known_at=self.view.moment.known_at)
            ]

        def visible(ids: Sequence[str]) -> set[str]:
            return set(self.reader.memories.visible(ids, self.view))

        walked = walk(hit.id, CHAIN_DEPTH, links, visible, most=MOST_IN_A_CHAIN)
        others = self._seen([memory_id for memory_id in walked.depths if memory_id != hit.id])
        hits = {other.id: other for other in others} | {hit.id: hit}
        members = [hits[memory_id] for memory_id in walked.depths if memory_id in hits]
        return sorted(members, key=lambda member: chain_order(member.kind))

    def _above(
        self, hit: Hit, parent: str | None, covered: set[str]
    ) -> Iterator[tuple[str, RouteEntry, Sequence[str]]]:
        """Its parent; without one, a fact of its domain when none is shown."""
        if parent is not None:
            for above in self._seen([parent]):
                yield hit.id, entry_of(above), [above.id]
        elif hit.domain and hit.domain not in covered:
            covered.add(hit.domain)
            latest = self.reader.memories.latest(self.view, Filter(level=1, domain=hit.domain), 1)
            for fact in self._as_hits(latest):
                yield hit.id, entry_of(fact), [fact.id]

    def _seen(self, memory_ids: Sequence[str]) -> list[Hit]:
        if not memory_ids:
            return []
        return self._as_hits(list(self.reader.memories.visible(memory_ids, self.view).values()))

    def _as_hits(self, versions: Sequence[Version]) -> list[Hit]:
        memories = looked_at(self.space, self.reader, versions) if versions else {}
        hits = [hit_of(memories[version.number], 0.0, {}) for version in versions]
        return [hit for hit in hits if self.include_stale or not hit.is_stale]


def _chain_entry(chain: Sequence[Hit]) -> RouteEntry:
    return chain_entry([(chain_word(hit.kind, place == 0), hit) for place, hit in enumerate(chain)])
