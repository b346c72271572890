"""Which domains a question is about, how sure that is, and what belongs to the facts that answer it.

A domain joins if the mean of its facts, or one fact, is nearer to the question than a threshold. A question about one
thing is often far from the middle of a large domain. If no domain passes, those of the nearest facts join, and the
explanation says that.

Measured on 3,200 sentences of Django's manual in 60 domains, with 400 of its headings as questions (MiniLM; a sentence
below the heading among the best 5 / 40): means alone .17 / .21; with the nearest facts' domains joining when nothing is
confident .56 / .72; with domains that have a fact above the threshold .59 / .76, in 4 domains of 60; everything, without
domains, .58 / .79.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from waypost.model.causal import CAUSAL_LINKS, CONSEQUENCE, CONSTRAINT, DECISION, REASON
from waypost.retrieve.score import ScoredMemory, shown_score
from waypost.store.protocol import Edge

# The cosine of a question with the mean of a domain's facts. Of the same questions 23 % are nearer than this to the mean
# of their own domain, with either engine.
THRESHOLDS: Mapping[str, float] = {"minilm-l6-v2": 0.5, "use-multilingual-v3": 0.4}
USUAL_THRESHOLD = 0.5
CONFIDENT = 0.5
ANSWERING = 3  # facts that rank best bring their domains ...
NEARLY_AS_GOOD = 1.0  # ... unless they are so far behind the best one: a full match by keywords counts 1.4
WIDEN_BY = 5  # domains that join when nothing is near; 10 bring .005 more
NEAR = 2.0  # on the scale of fuse's totals; from 0 to 4 it moves the figures above by less than .02
MOST_RELATED = 5
MOST_IN_A_CHAIN = 12
CHAIN_DEPTH = 5
RELATING = (*CAUSAL_LINKS, "see_also", "derived_from")
_WORDS = {DECISION: "", REASON: "because", CONSTRAINT: "given", CONSEQUENCE: "leads to"}
_ORDER = tuple(_WORDS)

MEAN, FACT, WIDENED = "mean", "fact", "widened"


@dataclass(frozen=True, slots=True)
class DomainNearness:
    """How near a question is to a domain: to the mean of its facts and to the nearest one.

    Both are cosines, and `closeness`, which can be compared between engines.
    """

    domain: str
    facts: int
    similarity: float
    of_mean: float
    of_fact: float

    @property
    def nearest(self) -> float:
        return max(self.of_mean, self.of_fact)


@dataclass(frozen=True, slots=True)
class Joined:
    domain: str
    similarity: float  # cosine of the question with the mean of its facts
    facts: int
    why: str  # its mean is near, one of its facts is, or nothing was near and it is the next one


def closeness(cosine: float, engine: str) -> float:
    """0 to 1, with one half at the engine's threshold."""
    threshold = THRESHOLDS.get(engine, USUAL_THRESHOLD)
    if cosine <= threshold:
        return max(0.0, 0.5 * cosine / threshold)
    return min(1.0, 0.5 + 0.5 * (cosine - threshold) / (1 - threshold))


def join(near: Iterable[DomainNearness], confidence: float) -> list[Joined]:
    """The domains that join, nearest first. `confidence` is that of the best fact without a domain."""
    ordered = sorted(near, key=lambda domain: (-domain.nearest, domain.domain))
    first = [domain for domain in ordered if domain.nearest > CONFIDENT]
    joined = [_joined(domain, MEAN if domain.of_mean > CONFIDENT else FACT) for domain in first]
    if max((confidence, *(domain.of_fact for domain in first))) >= CONFIDENT:
        return joined
    nearest = sorted(ordered, key=lambda domain: (-domain.of_fact, -domain.of_mean, domain.domain))
    rest = [domain for domain in nearest if domain not in first][:WIDEN_BY]
    return [*joined, *(_joined(domain, WIDENED) for domain in rest)]


def with_answering(
    joined: Sequence[Joined], near: Iterable[DomainNearness], ranked: Sequence[tuple[str, float]]
) -> list[Joined]:
    """And the domains of the facts that rank best, by words and meaning together. `ranked` are the domains and totals of
    all facts found, best first."""
    names = {domain.domain for domain in joined}
    best = [domain for domain, total in ranked[:ANSWERING] if total >= ranked[0][1] - NEARLY_AS_GOOD]
    by_name = {domain.domain: domain for domain in near if domain.domain not in names}
    return [*joined, *(_joined(by_name[domain], FACT) for domain in dict.fromkeys(best) if domain in by_name)]


def _joined(nearness: DomainNearness, why: str) -> Joined:
    return Joined(nearness.domain, nearness.similarity, nearness.facts, why)


def with_closeness(memory: ScoredMemory, near: float) -> ScoredMemory:
    """The same with how near it is by itself: in a space of few facts it says little to stand out among them."""
    total = memory.total + NEAR * near
    return ScoredMemory(memory.memory_id, shown_score(total), total, {**memory.why, "near": NEAR * near})


# -- what belongs to a fact -------------------------------------------------------------------------------


def beside(memory_ids: Sequence[str], edges: Iterable[Edge]) -> list[tuple[str, str]]:
    """(shown, related) for the links that are no causes, in the order of the shown, strongest first."""
    places = {memory_id: place for place, memory_id in reversed(list(enumerate(memory_ids)))}
    pairs = [
        (places[memory_id], -edge.strength, other)
        for edge in edges
        if edge.kind not in CAUSAL_LINKS
        for memory_id, other in ((edge.from_id, edge.to_id), (edge.to_id, edge.from_id))
        if memory_id in places
    ]
    return [(memory_ids[place], other) for place, _, other in sorted(pairs)]


def chain_order(kind: str) -> int:
    return _ORDER.index(kind) if kind in _ORDER else 0


def chain_word(kind: str, first: bool) -> str:
    """The word before a memory of this kind in a chain on one line."""
    return "" if first and kind != REASON else _WORDS.get(kind) or "and"
