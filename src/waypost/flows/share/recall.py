"""Recall over what other projects share: searched beside one's own memories, ranked together with them."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from waypost.flows.links.hits import hit_of
from waypost.flows.open_space import OpenSpace
from waypost.flows.recall.code_search import CodeAsk, code_hits
from waypost.flows.recall.search import RecallFilter, RecallRows, gather, question_terms, weighed
from waypost.flows.share.sources import AWAY, Given, Giver, given_to
from waypost.model.kinds import CODE_COLLECTIONS
from waypost.model.recall import Hit, View
from waypost.model.share import ShareRow
from waypost.retrieve.calibration import ServingEngines
from waypost.retrieve.merge import Populations
from waypost.retrieve.question import Question
from waypost.retrieve.score import DEPTH, fuse
from waypost.retrieve.shared import ranked_as_one, together
from waypost.store.protocol import Population

if TYPE_CHECKING:
    from waypost.store.protocol import Vector

_DEPTH_FOR_SOME_KINDS = 1000  # passages that are looked at where only some kinds of a collection are offered
_LOOKED_AT = 20


@dataclass(frozen=True, slots=True)
class SharedQuery:
    """A question as it is put to others."""

    view: View
    k: int
    now: datetime
    wanted: RecallFilter
    vectors: "Mapping[str, Vector]"
    roles: ServingEngines


@dataclass(slots=True)
class Beside:
    """What other projects can say to a question: gathered, and not ranked before one's own is known."""

    space: OpenSpace
    given: Given
    asked: SharedQuery
    gathered: list[tuple[Giver, RecallRows]] = field(default_factory=list)

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(self.given.notes)

    def gather(self, question: Question) -> None:
        for giver in list(self.given.givers):
            view = giver.view(self.asked.view)
            kept = tuple(name for name in view.collections if name not in CODE_COLLECTIONS) if view else ()
            if view is None or not kept:
                continue
            depth = max(_DEPTH_FOR_SOME_KINDS if giver.offer.narrow else DEPTH, self.asked.k)
            shown = replace(view, collections=kept, checkout_id=None)
            try:
                found = gather(giver.reader, question, dict(self.asked.vectors), shown, depth, ())
            except AWAY as error:
                self.given.drop(giver, error)
                continue
            found.sketches = {n: one for n, one in found.sketches.items() if giver.offer.admits(one.kind)}
            self.gathered.append((giver, found))

    def spread(self, own: Populations) -> dict[str, dict[str, Population]]:
        """How cosines spread over one's own passages and theirs together."""
        return together([own, *(found.populations for _, found in self.gathered)])

    def joined(self, own: Sequence[Hit], question: Question, spread: Populations, now: datetime) -> list[Hit]:
        """One's own hits and theirs, the best k."""
        others: list[list[Hit]] = []
        for giver, found in self.gathered:
            try:
                others.append(self._hits(giver, found, question, spread, now))
            except AWAY as error:
                self.given.drop(giver, error)
        return ranked_as_one(own, others, question_terms(question))[: self.asked.k]

    def _hits(
        self, giver: Giver, found: RecallRows, question: Question, spread: Populations, now: datetime
    ) -> list[Hit]:
        candidates = found.candidates()
        most = len(candidates) if self.asked.wanted.filters else max(_LOOKED_AT, 2 * self.asked.k)
        scored = fuse(question, candidates, spread, self.asked.roles, now=now, k=most)
        number_of = {sketch.memory_id: number for number, sketch in found.sketches.items()}
        numbers = [number_of[one.memory_id] for one in scored]
        memories = giver.linked(self.space, list(giver.reader.memories.by_number(numbers).values()))
        found_there = [
            (memories[number], one) for number, one in zip(numbers, scored, strict=True) if number in memories
        ]
        best = [(memory, weighed(one, memory)) for memory, one in found_there if self.asked.wanted.admits(memory)]
        best.sort(key=lambda pair: -pair[1].total)  # stable: equal ones keep their order
        return [
            replace(hit_of(memory, one.score, dict(one.why)), project=giver.project)
            for memory, one in best[: self.asked.k]
        ]

    def code_too(
        self, own: Sequence[Hit], spread: Populations, ask: CodeAsk, view: View
    ) -> tuple[list[Hit], Populations]:
        """With what was read out of their trees, where that is offered."""
        hits, spreads = list(own), [spread]
        for giver in list(self.given.givers):
            shown = giver.view(view) if giver.offer.code else None
            code = tuple(name for name in shown.collections if name in CODE_COLLECTIONS) if shown else ()
            if shown is None or not code:
                continue
            # Levels and domains are of facts: code has none.
            shown = replace(shown, collections=code, domains=None, levels=None)
            try:
                found, its = code_hits(giver.reader, ask, shown, self.asked.k, self.asked.now)
            except AWAY as error:
                self.given.drop(giver, error)
                continue
            hits += [replace(hit, project=giver.project) for hit in found]
            spreads.append(its)
        return hits, together(spreads)


@contextmanager
def beside(space: OpenSpace, taken: Sequence[ShareRow], asked: SharedQuery) -> Iterator[Beside]:
    """The projects that share with this space, for the time of one question."""
    with given_to(space, taken, asked.view) as given:
        yield Beside(space, given, asked)
