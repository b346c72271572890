"""Why: from a question to the decision that it is about, and from there along the links to causes and effects."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from waypost.facts.causal import chain_of, walk
from waypost.facts.mermaid import mermaid_of
from waypost.facts.why_question import question_subject, stated_reason
from waypost.flows.engines.query import WHOLE, EngineQuestion, engines_for, reading_for
from waypost.flows.links.staleness import looked_at
from waypost.flows.open_space import OpenSpace
from waypost.flows.recall.search import recall
from waypost.model.causal import (
    CAUSAL_KINDS,
    CAUSAL_LINKS,
    DECISION,
    MOST_DEPTH,
    REPLACES,
    CausalChain,
    CausalEdge,
    CausalNode,
)
from waypost.model.code_link import LinkedMemory
from waypost.model.draft import check_text, check_whole
from waypost.model.ids import ids_in
from waypost.model.kinds import KEPT_COLLECTIONS
from waypost.model.memory import Version
from waypost.model.recall import Answer, Hit, View
from waypost.store.protocol import Reader
from waypost.text.keywords import query_terms

if TYPE_CHECKING:
    from waypost.store.protocol import Vector

__all__ = ["CausalChain", "why"]

DEPTH = 5
COLLECTIONS = ("facts", "learnings", "errors_fixes")
_CONSIDERED = 20  # memories that may be what the question is about
_NEXT_TO_IT = 0.97  # what is about a decision's reason is a little less about the decision
_TELLS_WHY = 0.95  # a fact that gives its own reason is an answer, though nobody called it a decision
# By engine the cosines from which a memory is about the question: by its meaning alone, and where they share a word.
# Measured with 38 questions that have an answer and 26 that have none, in three languages. Scores do not
# help: they compare memories with each other.
_NEAR: Mapping[str, tuple[float, float]] = {"minilm-l6-v2": (0.45, 0.25), "use-multilingual-v3": (0.38, 0.3)}
_NEAR_UNMEASURED = (0.45, 0.0)
_MOST_REPLACED = 20


def why(space: OpenSpace, question: str, view: View, *, depth: int = DEPTH) -> CausalChain:
    """The decision that the question is about, with all that links lead to: at most `depth` links away, as it was at
    the view's moment. An id asks for the decision that this memory belongs to. A chain without a root says that
    nothing was found.
    """
    check_whole(depth, "depth", 1, MOST_DEPTH)
    question = check_text(question, "question")
    view = replace(view, collections=tuple(name for name in COLLECTIONS if name in view.collections))
    named = question if ids_in(question) == [question] else ""
    subject = question_subject(question)
    answer = Answer(question, ()) if named else recall(space, subject, view, k=_CONSIDERED)
    engine_question = EngineQuestion(space, subject)
    with reading_for(space, engine_question) as (reader, engines):
        serving = engines_for(space, engines, engine_question.language)
        vectors = engine_question.by_engine(serving, WHOLE) if answer.hits else {}
        looker = _Looker(space, reader, replace(view, collections=KEPT_COLLECTIONS))  # a link may lead anywhere
        if named:
            root = looker.version(_decisions_beside(looker, [named]).get(named, named))
        else:
            root = _root(looker, _about_it(looker, subject, answer.hits, vectors))
        if root is None:
            return CausalChain(question, depth, notices=answer.notices)
        walked = walk(root.memory_id, depth, looker.links, looker.visible)
        chain = chain_of(question, depth, walked, looker.nodes(walked.depths))
        chain = _with_replaced(looker, chain)
    chain = replace(chain, stated_reason=stated_reason(root.text), notices=answer.notices)
    return replace(chain, mermaid=mermaid_of(chain))


@dataclass(slots=True)
class _Looker:
    """What can be seen of memories and links at one moment, each looked up once."""

    space: OpenSpace
    reader: Reader
    view: View
    seen: dict[str, Version | None] = field(default_factory=dict)

    def version(self, memory_id: str) -> Version | None:
        self.visible([memory_id])
        return self.seen[memory_id]

    def visible(self, memory_ids: Sequence[str]) -> set[str]:
        new = [memory_id for memory_id in memory_ids if memory_id not in self.seen]
        versions = self.reader.memories.visible(new, self.view)
        self.seen |= {memory_id: versions.get(memory_id) for memory_id in new}
        return {memory_id for memory_id in memory_ids if self.seen[memory_id] is not None}

    def links(self, memory_ids: Sequence[str]) -> Iterator[CausalEdge]:
        for edge in self.reader.edges.of_kinds(memory_ids, CAUSAL_LINKS, known_at=self.view.moment.known_at):
            yield CausalEdge(edge.kind, edge.from_id, edge.to_id, edge.strength)

    def nodes(self, memory_ids: Sequence[str] | dict[str, int]) -> dict[str, CausalNode]:
        versions = [version for memory_id in memory_ids if (version := self.seen[memory_id]) is not None]
        return {memory.id: node_of(memory) for memory in looked_at(self.space, self.reader, versions).values()}


def node_of(memory: LinkedMemory) -> CausalNode:
    version, state = memory.version, memory.state
    return CausalNode(
        version.memory_id,
        version.kind,
        version.text,
        version.source,
        version.actor,
        version.valid_from,
        version.recorded_at,
        version.valid_until,
        version.session,
        version.domain,
        version.evidence,
        memory.confidence,
        state.is_stale,
        state.stale_reason,
    )


def _about_it(looker: _Looker, subject: str, hits: Sequence[Hit], vectors: "Mapping[str, Vector]") -> list[Hit]:
    """The hits that have every word of the question, or mean it; not what is only nearest because nothing is near."""
    looker.visible([hit.id for hit in hits])
    numbers = {hit.id: version.number for hit in hits if (version := looker.version(hit.id)) is not None}
    near: dict[int, tuple[bool, bool]] = {}
    for engine, vector in vectors.items():
        alone, with_words = _NEAR.get(engine, _NEAR_UNMEASURED)
        for read, cosine in looker.reader.search.vector_scores(engine, vector, list(numbers.values())).items():
            before = near.get(read, (False, False))
            near[read] = (before[0] or cosine >= alone, before[1] or cosine >= with_words)
    words, matching = set(query_terms(subject)), []
    for hit in hits:
        number, shares = numbers.get(hit.id), hit.why.get("keywords", 0.0) > 0
        means_it = near[number][shares] if number in near else shares  # what no engine has read is known by its words
        if number is not None and (means_it or (shares and words <= set(query_terms(hit.text)))):
            matching.append(hit)
    return matching


def _root(looker: _Looker, hits: Sequence[Hit]) -> Version | None:
    """The decision that the hits are most about: found itself, or next to what was found. Without any, a fact that says
    why, or else the reason, consequence or constraint that was found."""
    beside = _decisions_beside(looker, [hit.id for hit in hits if hit.kind != DECISION])
    scores: dict[str, float] = {}
    for hit in hits:
        chosen = hit.id if hit.kind == DECISION else beside.get(hit.id)
        score = hit.score if hit.kind == DECISION else hit.score * _NEXT_TO_IT
        if chosen is None and (hit.kind in CAUSAL_KINDS or stated_reason(hit.text)):
            chosen, score = hit.id, hit.score * _TELLS_WHY
        if chosen is not None and looker.version(chosen) is not None:
            scores[chosen] = max(score, scores.get(chosen, 0.0))
    return looker.version(max(scores, key=scores.__getitem__)) if scores else None


def _decisions_beside(looker: _Looker, memory_ids: Sequence[str]) -> dict[str, str]:
    """For each of these the decision that it is linked with most strongly; one that was replaced gives way to its
    successor."""
    decisions: dict[str, str] = {}
    edges = sorted(looker.links(memory_ids), key=lambda edge: (-edge.strength, edge.from_id, edge.to_id))
    wanted = set(memory_ids)
    for edge in edges:
        for memory_id, other in ((edge.from_id, edge.to_id), (edge.to_id, edge.from_id)):
            if memory_id in wanted and memory_id not in decisions and (decision := _decision_now(looker, other)):
                decisions[memory_id] = decision
    return decisions


def _decision_now(looker: _Looker, memory_id: str) -> str | None:
    version = looker.version(memory_id)
    if version is not None:
        return memory_id if version.kind == DECISION else None
    for edge in _replacing(looker, memory_id, forward=True):
        newer = looker.version(edge.from_id)
        if newer is not None and newer.kind == DECISION:
            return newer.memory_id
    return None


def _replacing(looker: _Looker, memory_id: str, *, forward: bool) -> list[CausalEdge]:
    """Who replaced whom, from this memory to the next one and so on: to the later ones, or to the earlier."""
    edges_by_ids: dict[tuple[str, str], CausalEdge] = {}
    frontier = [memory_id]
    while frontier and len(edges_by_ids) < _MOST_REPLACED:
        edges = [
            edge
            for edge in looker.reader.edges.of_kinds(frontier, (REPLACES,), known_at=looker.view.moment.known_at)
            if (edge.to_id if forward else edge.from_id) in frontier and (edge.from_id, edge.to_id) not in edges_by_ids
        ]
        edges_by_ids |= {(e.from_id, e.to_id): CausalEdge(REPLACES, e.from_id, e.to_id) for e in edges}
        frontier = [edge.from_id if forward else edge.to_id for edge in edges]
    return list(edges_by_ids.values())


def _with_replaced(looker: _Looker, chain: CausalChain) -> CausalChain:
    """The chain with what its root took the place of, and what later took its place."""
    if chain.root is None:
        return chain
    root = chain.root.id
    kept: dict[str, CausalNode] = {root: chain.root}
    edges: list[CausalEdge] = []
    sides: dict[bool, list[CausalNode]] = {False: [], True: []}
    for forward, nodes in sides.items():
        for edge in _replacing(looker, root, forward=forward):
            near, far = (edge.to_id, edge.from_id) if forward else (edge.from_id, edge.to_id)
            if near not in kept or far == root:
                continue  # a retracted memory hides what it replaced
            version = _as_replaced(looker, far, edge)
            if version is not None:
                kept[far] = node_of(looked_at(looker.space, looker.reader, [version])[version.number])
                nodes.append(kept[far])
                edges.append(edge)
    return replace(chain, replaces=tuple(sides[False]), replaced_by=tuple(sides[True]), replacements=tuple(edges))


def _as_replaced(looker: _Looker, memory_id: str, edge: CausalEdge) -> Version | None:
    """The version that was replaced, or that replaces another, as known at the view's moment. None if it was retracted."""
    known_at = looker.view.moment.known_at
    versions = [v for v in looker.reader.memories.versions(memory_id) if known_at is None or v.recorded_at <= known_at]
    current = [v for v in versions if v.superseded_at is None or (known_at is not None and v.superseded_at > known_at)]
    if not current and memory_id == edge.to_id:  # for none of its time was it true any more
        since = {version.recorded_at for version in looker.reader.memories.versions(edge.from_id)}
        current = [version for version in versions[-1:] if version.superseded_at in since]
    return current[-1] if current else None
