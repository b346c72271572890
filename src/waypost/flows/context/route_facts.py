"""What a question is routed to: the domains that join, and their facts as recall ranks them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from waypost.flows.engines.query import WHOLE, EngineQuestion, EngineState, engine_notices, engine_roles, engines_for
from waypost.flows.open_space import OpenSpace
from waypost.flows.recall.candidates import Gathered, keep_best, prose_candidates, question_terms
from waypost.flows.recall.search import MOST_SPEAKERS
from waypost.model.recall import View
from waypost.retrieve.calibration import ServingEngines
from waypost.retrieve.question import Question, read_question
from waypost.retrieve.route import DomainNearness, Joined, closeness, join, with_answering, with_closeness
from waypost.retrieve.score import ScoredMemory, fuse
from waypost.store.protocol import Filter, Reader, VersionSketch

if TYPE_CHECKING:
    from waypost.store.protocol import Vector

_DEPTH = (60, 400)  # candidates of a level that are looked for, by the budget
_TOKENS_OF_A_FACT = 30  # a short one
_MOST_OF_THE_PROJECT = 500  # facts of level 0; usually there are 10 to 20
_BY_WORDS = 0.5  # of the score of a fact that shares words with the question and whose meaning nobody knows
_UNTOLD_LEVEL = 2
_LEVELS = ((1,), (2, 3))  # each is searched by itself: a few of level 1 would be lost among many of level 3


@dataclass(frozen=True, slots=True)
class Ranked:
    number: int
    level: int
    scored: ScoredMemory


@dataclass(frozen=True, slots=True)
class RoutedTo:
    """Facts best first, by level, and how they were chosen."""

    project: tuple[Ranked, ...]
    domain: tuple[Ranked, ...]
    deeper: tuple[Ranked, ...]
    joined: tuple[Joined, ...]
    known_domains: int
    by_meaning: bool
    notices: tuple[str, ...]
    sure: Mapping[str, float]  # how well each fact answers, by its id

    def confidence(self, memory_id: str) -> float:
        return self.sure.get(memory_id, 0.0)


@dataclass(frozen=True, slots=True)
class RouteQuery:
    """A question as the engines and the keyword index see it."""

    question: Question
    vectors: "Mapping[str, Vector]"
    roles: ServingEngines
    view: View
    depth: int


@dataclass(slots=True)
class _Pool:
    """Candidates with all that ranking needs, gathered in several searches."""

    reader: Reader
    asking: RouteQuery
    gathered: Gathered[VersionSketch] = field(default_factory=Gathered)
    domains: dict[int, str] = field(default_factory=dict)
    closeness: dict[int, float] = field(default_factory=dict)

    def found(self, view: View, populations: bool = False) -> Iterator[int]:
        for engine, vector in self.asking.vectors.items():
            answer = self.reader.search.vectors(engine, vector, self.asking.depth, view)
            yield from (passage.number for passage in answer.hits)
            if populations:
                self.gathered.populations[engine] = dict(answer.population)

    def add(self, numbers: Iterable[int]) -> None:
        new = [number for number in dict.fromkeys(numbers) if number not in self.gathered.sketches]
        sketches = self.reader.memories.sketches(new)
        self.gathered.sketches |= sketches
        self.domains |= self.reader.facts.domains_of(new)
        for engine, vector in self.asking.vectors.items():
            cosines = self.reader.search.vector_scores(engine, vector, new)
            self.gathered.similarity.setdefault(engine, {}).update(cosines)
        similarity = self.gathered.similarity
        for number, sketch in sketches.items():
            for name in self.asking.roles.by_preference(self.asking.question.language, sketch.language):
                if name in similarity and number in similarity[name]:
                    self.closeness[number] = closeness(similarity[name][number], name)
                    break

    def may_show(self, number: int, domains: set[str]) -> bool:
        """Facts of these domains, and of any domain what no engine has read: only keywords can find that."""
        return self.domains[number] in domains or number not in self.closeness

    def nearest_by_domain(self) -> dict[str, float]:
        """The closeness of the nearest fact of each domain. Facts of level 0 say nothing about a domain."""
        best: dict[str, float] = {}
        for number, near in self.closeness.items():
            if self.gathered.sketches[number].level:
                domain = self.domains[number]
                best[domain] = max(near, best.get(domain, 0.0))
        return best


def read_route_query(
    space: OpenSpace, reader: Reader, engines: EngineState, question: EngineQuestion, text: str, view: View, tokens: int
) -> tuple[RouteQuery, tuple[str, ...]]:
    """The question as it is searched for, and notices about the engines."""
    serving = engines_for(space, engines, question.language)
    vectors = dict(question.by_engine(serving, WHOLE))
    speakers = reader.memories.speakers(MOST_SPEAKERS)
    read = read_question(text, language=question.language, now=space.clock(), speakers=speakers)
    depth = min(max(tokens // _TOKENS_OF_A_FACT, _DEPTH[0]), _DEPTH[1])
    query = RouteQuery(read, vectors, engine_roles(space, serving), view, depth)
    return query, engine_notices(space, engines, serving)


def route_to(space: OpenSpace, reader: Reader, asking: RouteQuery, notices: tuple[str, ...]) -> RoutedTo:
    """The domains near the question and what is known there. Without an engine: all domains, by keywords."""
    pool = _Pool(reader, asking)
    terms = question_terms(asking.question)
    keep_best(pool.gathered.keyword, reader.search.keywords(terms, asking.depth, asking.view))
    project = [version.number for version in reader.memories.latest(asking.view, Filter(level=0), _MOST_OF_THE_PROJECT)]
    pool.add([*project, *pool.gathered.keyword, *pool.found(asking.view, populations=True)])
    near = _near(pool)
    joined = join(near, pool.nearest_by_domain().get("", 0.0))
    if asking.vectors:
        names = {"", *(domain.domain for domain in joined)}
        domains = tuple(sorted(names)) if len(joined) < len(near) else None
        pool.add(n for levels in _LEVELS for n in pool.found(replace(asking.view, domains=domains, levels=levels)))
    ranked = _fused(space, pool)
    answers = [(pool.domains[ranking.number], ranking.scored.total) for ranking in ranked if ranking.level]
    joined = with_answering(joined, near, answers)
    allowed = {"", *(domain.domain for domain in joined)} if asking.vectors else None
    visible = [
        ranking for ranking in ranked if allowed is None or not ranking.level or pool.may_show(ranking.number, allowed)
    ]
    return RoutedTo(
        project=tuple(ranking for ranking in visible if ranking.level == 0),
        domain=tuple(ranking for ranking in visible if ranking.level == 1),
        deeper=tuple(ranking for ranking in visible if ranking.level > 1),
        joined=tuple(joined),
        known_domains=len(near),
        by_meaning=bool(asking.vectors),
        notices=notices,
        sure={
            ranking.scored.memory_id: pool.closeness.get(ranking.number, _BY_WORDS * ranking.scored.score)
            for ranking in visible
        },
    )


def _near(pool: _Pool) -> list[DomainNearness]:
    import numpy as np  # only where vectors are

    nearest = pool.nearest_by_domain()
    near: dict[str, DomainNearness] = {}
    for engine, vector in pool.asking.vectors.items():
        for domain, (facts, mean) in pool.reader.facts.domains(engine, pool.asking.view).items():
            cosine = float(np.dot(mean, vector)) if len(mean) == len(vector) else 0.0
            nearness = DomainNearness(domain, facts, cosine, closeness(cosine, engine), nearest.get(domain, 0.0))
            if domain and (domain not in near or nearness.of_mean > near[domain].of_mean):
                near[domain] = nearness
    return list(near.values())


def _fused(space: OpenSpace, pool: _Pool) -> list[Ranked]:
    """All candidates, best first."""
    sketches, number_of = pool.gathered.sketches, pool.gathered.numbers()
    candidates, populations = prose_candidates(pool.gathered), pool.gathered.populations
    roles, ranked = pool.asking.roles, list[Ranked]()
    for memory in fuse(pool.asking.question, candidates, populations, roles, now=space.clock()):
        number = number_of[memory.memory_id]
        level = sketches[number].level
        scored = with_closeness(memory, pool.closeness[number]) if number in pool.closeness else memory
        ranked.append(Ranked(number, _UNTOLD_LEVEL if level is None else level, scored))
    return sorted(ranked, key=lambda ranking: -ranking.scored.total)  # stable: equal ones keep their order
