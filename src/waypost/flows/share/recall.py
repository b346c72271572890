"""Recall over what other projects share: searched beside one's own memories, ranked together with them."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from waypost.flows.open_space import OpenSpace
from waypost.flows.recall.candidates import (
    LOOKED_AT,
    CodeQuery,
    Gathered,
    RecallFilter,
    best_code,
    best_memories,
    gather,
    prose_candidates,
    question_terms,
)
from waypost.flows.recall.evidence import EvidenceReader
from waypost.flows.share.sources import AWAY, Given, Giver, given_to
from waypost.model.kinds import CODE_COLLECTIONS
from waypost.model.recall import Hit, View
from waypost.model.share import ShareRow
from waypost.retrieve.answer_order import Populations
from waypost.retrieve.calibration import ServingEngines
from waypost.retrieve.question import Question
from waypost.retrieve.score import DEPTH, fuse
from waypost.retrieve.shared import ranked_as_one, together
from waypost.store.protocol import Population, VersionSketch

if TYPE_CHECKING:
    from waypost.store.protocol import Vector

_DEPTH_FOR_SOME_KINDS = 1000  # passages to search if only some kinds of a collection are offered


@dataclass(frozen=True, slots=True)
class SharedQuery:
    """A question as other projects get it."""

    view: View
    k: int
    now: datetime
    wanted: RecallFilter
    vectors: "Mapping[str, Vector]"
    roles: ServingEngines
    evidence: EvidenceReader


@dataclass(slots=True)
class SharedHits:
    """What other projects know about a question. It is ranked once one's own memories are gathered too."""

    space: OpenSpace
    given: Given
    query: SharedQuery
    gathered: list[tuple[Giver, Gathered[VersionSketch]]] = field(default_factory=list)

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(self.given.notes)

    def gather(self, question: Question) -> None:
        for giver in list(self.given.givers):
            view = giver.view(self.query.view)
            kept = tuple(name for name in view.collections if name not in CODE_COLLECTIONS) if view else ()
            if view is None or not kept:
                continue
            depth = max(_DEPTH_FOR_SOME_KINDS if giver.offer.narrow else DEPTH, self.query.k)
            prose_view = replace(view, collections=kept, checkout_id=None)
            try:
                gathered = gather(giver.reader, question, self.query.vectors, prose_view, depth, ())
            except AWAY as error:
                self.given.drop(giver, error)
                continue
            gathered.sketches = {
                number: sketch for number, sketch in gathered.sketches.items() if giver.offer.admits(sketch.kind)
            }
            self.gathered.append((giver, gathered))

    def spread(self, own: Populations) -> dict[str, dict[str, Population]]:
        """How cosines spread over one's own passages and theirs together."""
        return together([own, *(gathered.populations for _, gathered in self.gathered)])

    def joined(self, own: Sequence[Hit], question: Question, spread: Populations, now: datetime) -> list[Hit]:
        """One's own hits and theirs, the best k."""
        others: list[list[Hit]] = []
        for giver, gathered in self.gathered:
            try:
                others.append(self._hits(giver, gathered, question, spread, now))
            except AWAY as error:
                self.given.drop(giver, error)
        return ranked_as_one(own, others, question_terms(question))[: self.query.k]

    def _hits(
        self, giver: Giver, gathered: Gathered[VersionSketch], question: Question, spread: Populations, now: datetime
    ) -> list[Hit]:
        candidates, wanted, k = prose_candidates(gathered), self.query.wanted, self.query.k
        ranking = fuse(question, candidates, spread, self.query.roles, now=now)
        looked_at = ranking.order if wanted.filters else ranking.order[: max(LOOKED_AT, 2 * k)]
        numbers = {ranking.sketches[at].number: at for at in looked_at}
        linked = giver.linked(self.space, list(giver.reader.memories.by_number(numbers).values()))
        memories = [
            (ranking.scored(at), linked[number])
            for number, at in numbers.items()
            if number in linked and wanted.admits(linked[number])
        ]
        best = best_memories(memories, k, frozenset())
        weighed = self.query.evidence.prose(giver.reader, best, gathered, spread, self.query.roles)
        return [replace(hit, project=giver.project) for hit in weighed]

    def code_too(self, own: Sequence[Hit], query: CodeQuery, view: View) -> list[Hit]:
        """With what was read out of their trees, where that is offered."""
        hits = list(own)
        for giver in list(self.given.givers):
            code_view = giver.view(view) if giver.offer.code else None
            code = tuple(name for name in code_view.collections if name in CODE_COLLECTIONS) if code_view else ()
            if code_view is None or not code:
                continue
            # Levels and domains are of facts: code has none.
            code_view = replace(code_view, collections=code, domains=None, levels=None)
            try:
                more, gathered = best_code(
                    giver.reader, query, code_view, self.query.k, self.query.now, follow_calls=False
                )
            except AWAY as error:
                self.given.drop(giver, error)
                continue
            weighed = self.query.evidence.code(more, gathered, query.roles)
            hits += [replace(hit, project=giver.project) for hit in weighed]
        return sorted(hits, key=lambda hit: -hit.score)  # stable: of equal ones one's own come first


@contextmanager
def shared_hits(space: OpenSpace, taken: Sequence[ShareRow], query: SharedQuery) -> Iterator[SharedHits]:
    """The projects that share with this space, opened for one question."""
    with given_to(space, taken, query.view) as given:
        yield SharedHits(space, given, query)
