"""The router: a briefing out of facts. What is true of the project, then what is known in the domains near the task."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from waypost.context.route import (
    DEEPER,
    DOMAIN,
    HEADINGS,
    PROJECT,
    RELATED,
    Routed,
    RouteEntry,
    RouteLine,
    chain_entry,
    entry_of,
    fill,
)
from waypost.facts.causal import walk
from waypost.flows.context.brief import Briefing, check_budget
from waypost.flows.context.route_facts import Ranked, RoutedTo, read_route_query, route_to
from waypost.flows.engines.query import EngineQuestion, reading_for
from waypost.flows.index.freshness import catch_up
from waypost.flows.links.hits import hit_of
from waypost.flows.links.staleness import looked_at
from waypost.flows.open_space import OpenSpace
from waypost.model.causal import CAUSAL_LINKS, DECISION, CausalEdge
from waypost.model.draft import check_text
from waypost.model.json_row import json_row
from waypost.model.kinds import SCOPES
from waypost.model.memory import Version
from waypost.model.recall import Hit, View
from waypost.retrieve.route import (
    CHAIN_DEPTH,
    FACT,
    MOST_IN_A_CHAIN,
    MOST_RELATED,
    RELATING,
    WIDENED,
    Joined,
    beside,
    chain_order,
    chain_word,
)
from waypost.store.protocol import Filter, Reader

_MOST_NAMED = 8  # domains
_PAGE = 24  # facts that are looked at together: about as many as a level shows


@dataclass(frozen=True, slots=True)
class RouteBriefing(Briefing):
    cross_references: tuple[tuple[str, str], ...] = ()  # a fact that is shown, and one that came with it
    domains: tuple[Joined, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)  # why, and how many

    def to_json(self) -> dict[str, Any]:
        domains = [
            json_row(joined, "why", similarity=round(joined.similarity, 4), joined_by=joined.why)
            for joined in self.domains
        ]
        return Briefing.to_json(self) | {"domains": domains}


def route_brief(
    space: OpenSpace,
    task: str,
    view: View,
    *,
    tokens: int = 2000,
    include_stale: bool = False,
    include_l0: bool = True,
) -> RouteBriefing:
    """Facts about a task, in at most `tokens` tokens.

    Level 0 comes first, as far as the budget reaches. Then come facts of the domains near the task: level 1 up to 70 % of
    the budget, levels 2 and 3 up to 95 %. Stale facts are left out by default. What was left out is counted.
    """
    check_budget(tokens)
    question_text = check_text(task, "question")
    catch_up(space)
    question, view = EngineQuestion(space, question_text), replace(view, collections=SCOPES["facts"])
    with reading_for(space, question) as (reader, engines):
        asking, notices = read_route_query(space, reader, engines, question, question_text, view, tokens)
        routed_to = route_to(space, reader, asking, notices)
        shelves = {
            PROJECT: _Shelf(space, reader, routed_to.project if include_l0 else (), include_stale),
            DOMAIN: _Shelf(space, reader, routed_to.domain, include_stale),
            DEEPER: _Shelf(space, reader, routed_to.deeper, include_stale),
        }
        related = RelatedEntries(space, reader, asking.view, include_stale)
        routed = fill(
            tokens,
            shelves[PROJECT].entries(),
            shelves[DOMAIN].entries(),
            shelves[DEEPER].entries(),
            related.of,
            lambda lines: left_out_note(_left_out(shelves, lines)),
        )
    if notices:  # something is pending, perhaps since this question
        space.start_worker(space)
    return _briefing(routed_to, routed, related, _left_out(shelves, routed.lines), tokens)


@dataclass(slots=True)
class _Shelf:
    """Ranked facts as lines. They are compared with the tree page by page, when they are taken."""

    space: OpenSpace
    reader: Reader
    ranked: Sequence[Ranked]
    include_stale: bool
    stale: int = 0

    def entries(self) -> Iterator[RouteEntry]:
        for start in range(0, len(self.ranked), _PAGE):
            yield from map(entry_of, self._hits(self.ranked[start : start + _PAGE]))

    def _hits(self, page: Sequence[Ranked]) -> Iterator[Hit]:
        versions = self.reader.memories.by_number([ranked.number for ranked in page])
        memories = looked_at(self.space, self.reader, list(versions.values()))
        for ranked in page:
            memory = memories[ranked.number]
            if memory.state.is_stale and not self.include_stale:
                self.stale += 1
            else:
                yield hit_of(memory, ranked.scored.score, dict(ranked.scored.why))


def _left_out(shelves: Mapping[str, _Shelf], lines: Sequence[RouteLine]) -> dict[str, int]:
    """How many matching facts are not shown, by reason."""
    without = {
        name: len(shelf.ranked) - shelf.stale - sum(line.section == name for line in lines)
        for name, shelf in shelves.items()
    }
    return {
        "stale": sum(shelf.stale for shelf in shelves.values()),
        "project": without[PROJECT],
        "room": without[DOMAIN] + without[DEEPER],
    }


# -- what belongs to the facts that are shown: causal chains, what decisions are linked with, what stands above


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
                named = [(chain_word(member.kind, place == 0), member) for place, member in enumerate(chain)]
                yield hit.id, chain_entry(named), [member.id for member in chain if member.id != hit.id]
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


# -- the result, and how it came about


def _briefing(
    routed_to: RoutedTo, routed: Routed, related: RelatedEntries, left_out: Mapping[str, int], tokens: int
) -> RouteBriefing:
    chosen = [line.entry.hits[0].id for section in (DOMAIN, DEEPER) for line in routed.of(section)]
    confidence = max((routed_to.confidence(memory_id) for memory_id in chosen), default=0.0)
    return RouteBriefing(
        routed.text,
        routed.tokens,
        tuple(hit for section in HEADINGS for line in routed.of(section) for hit in line.entry.hits),
        confidence,
        explain(routed_to, routed, left_out, confidence, tokens),
        related.pairs(line.entry for line in routed.of(RELATED)),
        routed_to.joined,
        left_out,
    )


def explain(routed_to: RoutedTo, routed: Routed, left_out: Mapping[str, int], confidence: float, tokens: int) -> str:
    """Which domains joined and why, what is shown in how many tokens, and what is not."""
    parts = [_domains(routed_to, confidence), _shown(routed, tokens), left_out_note(left_out), *routed_to.notices]
    return " ".join(part for part in parts if part)


def left_out_note(left_out: Mapping[str, int]) -> str:
    parts = [
        f"{left_out['project']} of the project for want of room" if left_out["project"] else "",
        f"{left_out['room']} more for want of room" if left_out["room"] else "",
        f"{left_out['stale']} stale" if left_out["stale"] else "",
    ]
    return f"Left out: {', '.join(part for part in parts if part)}." if any(parts) else ""


def _domains(routed_to: RoutedTo, confidence: float) -> str:
    if not routed_to.by_meaning:
        return "No engine was available to find near domains, so keywords searched the facts of all domains."
    if not routed_to.known_domains:
        return ""
    near = [domain for domain in routed_to.joined if domain.why != WIDENED]
    wider = [domain for domain in routed_to.joined if domain.why == WIDENED]
    text = f"Near the task: {_named(near)}" if near else "No domain is near the task"
    text += f", of {routed_to.known_domains} domain{'' if routed_to.known_domains == 1 else 's'}."
    if wider:
        text += f" No fact of a domain answered well (confidence {confidence:.2f}), so the next nearest joined: {_named(wider)}."
    return text


def _named(domains: Iterable[Joined]) -> str:
    all_of_them = list(domains)
    named = ", ".join(
        f"{domain.domain} ({domain.similarity:.2f}{', by a fact' if domain.why == FACT else ''})"
        for domain in all_of_them[:_MOST_NAMED]
    )
    more = len(all_of_them) - _MOST_NAMED
    return f"{named} and {more} more" if more > 0 else named


def _shown(routed: Routed, tokens: int) -> str:
    if not routed.lines:
        return f"Nothing is shown in {tokens} tokens."
    counts: dict[str, tuple[int, int]] = {}
    for line in routed.lines:
        name = "related" if line.section == RELATED else f"of level {line.entry.hits[0].level}"
        facts, used = counts.get(name, (0, 0))
        counts[name] = facts + 1, used + line.tokens
    listed = [f"{facts} {name} in {used}" for name, (facts, used) in sorted(counts.items())]
    return f"Shown: {', '.join(listed)} tokens; {routed.tokens} of {tokens} in all."
