"""The router: a briefing out of facts. What is true of the project, then what is known in the domains near the task."""

from collections.abc import Iterator, Mapping, Sequence
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
    entry_of,
    fill,
)
from waypost.flows.context.brief import Briefing, check_budget
from waypost.flows.context.route_explanation import explain, left_out_note
from waypost.flows.context.route_facts import Ranked, RoutedTo, read_route_query, route_to
from waypost.flows.context.route_related import RelatedEntries
from waypost.flows.engines.query import EngineQuestion, reading_for
from waypost.flows.index.freshness import catch_up
from waypost.flows.links.hits import hit_of
from waypost.flows.links.staleness import looked_at
from waypost.flows.open_space import OpenSpace
from waypost.model.draft import check_text
from waypost.model.kinds import SCOPES
from waypost.model.recall import Hit, View
from waypost.retrieve.route import Joined
from waypost.store.protocol import Reader

_PAGE = 24  # facts that are looked at together: about as many as a level shows


@dataclass(frozen=True, slots=True)
class RouteBriefing(Briefing):
    cross_references: tuple[tuple[str, str], ...] = ()  # a fact that is shown, and one that came with it
    domains: tuple[Joined, ...] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)  # why, and how many

    def to_json(self) -> dict[str, Any]:
        return Briefing.to_json(self) | {
            "cross_references": [list(pair) for pair in self.cross_references],
            "domains": [
                {
                    "domain": joined.domain,
                    "similarity": round(joined.similarity, 4),
                    "facts": joined.facts,
                    "joined_by": joined.why,
                }
                for joined in self.domains
            ],
            "left_out": dict(self.left_out),
        }


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
