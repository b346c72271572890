"""Recall over a tree: candidates by keywords, by vectors and by name, ranked as code."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from waypost.embed.protocol import Engine
from waypost.flows.open_space import OpenSpace
from waypost.flows.recall.hits import derived, hit_of
from waypost.model.checkout import Checkout
from waypost.model.kinds import CODE_COLLECTIONS, IS_DOCUMENT, IS_TEST, KINDS
from waypost.model.recall import Hit, View
from waypost.retrieve.calibration import ServingEngines, is_english
from waypost.retrieve.code_question import CodeQuestion, read_code_question
from waypost.retrieve.code_rank import DEPTH, MOST_NAMED, WEIGHTS, CodeCandidate, rank_code
from waypost.retrieve.merge import Populations
from waypost.store.protocol import CodeSketch, FoundPassage, Population, Reader

if TYPE_CHECKING:
    from waypost.store.protocol import Vector

_FILES = KINDS["file"].collection


@dataclass(frozen=True, slots=True)
class CodeAsk:
    """A question about the tree, read and embedded: what can be done before the database is looked at."""

    question: CodeQuestion
    vectors: "dict[str, Vector]"
    roles: ServingEngines


def read_ask(space: OpenSpace, asked: str, language: str, serving: list[Engine]) -> CodeAsk:
    """The main engine always reads the question, in English as far as words of programming go: names in code are."""
    question, main = read_code_question(asked, language), space.engines.main
    vectors = {main.name: _vector(space, main, question.in_english)}
    others = [] if is_english(language) else [engine for engine in serving if engine.name != main.name]
    other = others[0] if others else None
    if other is not None:
        vectors[other.name] = _vector(space, other, question.embedded)
    roles = ServingEngines(main.name, other.name if other is not None else None)
    return CodeAsk(question, {name: vector for name, vector in vectors.items() if vector is not None}, roles)


def _vector(space: OpenSpace, engine: Engine, texts: Sequence[str]) -> "Vector | None":
    """The direction of all that is asked: of a long question its subject and its opening count the same."""
    parts = [space.engines.embed_question(engine, text) for text in texts]
    found = [part for part in parts if part is not None]
    if len(found) < 2:
        return found[0] if found else None
    total: Vector = sum(found[1:], found[0])
    length = float((total * total).sum()) ** 0.5
    return total / length if length else found[0]


@dataclass(slots=True)
class _Gathered:
    keyword: dict[int, float] = field(default_factory=dict)
    subject: dict[int, float] = field(default_factory=dict)
    similarity: dict[int, dict[str, float]] = field(default_factory=dict)
    populations: dict[str, dict[str, Population]] = field(default_factory=dict)
    sketches: dict[int, CodeSketch] = field(default_factory=dict)
    beside: set[int] = field(default_factory=set)  # what helps to rank, and is not asked for

    def candidates(self) -> list[CodeCandidate]:
        return [
            CodeCandidate(
                memory_id=one.memory_id,
                kind="section" if one.type == "section" else one.kind,
                type=one.type,
                name=one.name,
                path=one.path,
                line=one.line,
                end_line=one.end_line,
                keyword=self.keyword.get(number, 0.0),
                subject_keyword=self.subject.get(number, 0.0),
                similarity=self.similarity.get(number, {}),
                is_test=bool(one.traits & IS_TEST),
                is_document=bool(one.traits & IS_DOCUMENT),
                referrers=one.referrers,
            )
            for number, one in self.sketches.items()
        ]


def code_hits(
    reader: Reader, ask: CodeAsk, view: View, k: int, now: datetime, seen: Checkout | None = None
) -> tuple[list[Hit], Populations]:
    """The best k of what is derived from the tree that the view shows, and how cosines spread over all of it. `seen`: that
    tree is not at hand."""
    gathered = _gather(reader, ask, view)
    every = rank_code(ask.question, gathered.candidates(), gathered.populations, ask.roles, k=len(gathered.sketches))
    number_of = {sketch.memory_id: number for number, sketch in gathered.sketches.items()}
    scored = [one for one in every if number_of[one.memory_id] not in gathered.beside][:k]
    versions = reader.versions_by_number([number_of[one.memory_id] for one in scored])
    hits = [hit_of(derived(versions[number_of[one.memory_id]], now, seen), one.score, dict(one.why)) for one in scored]
    return hits, gathered.populations


def _gather(reader: Reader, ask: CodeAsk, view: View) -> _Gathered:
    question, gathered = ask.question, _Gathered()
    gathered.keyword = _by_number(reader.code_keyword_search(question.terms, WEIGHTS, DEPTH, view))
    if question.is_long:
        gathered.subject = _by_number(reader.code_keyword_search(question.subject_terms, WEIGHTS, DEPTH, view))
    numbers = dict.fromkeys((*gathered.keyword, *gathered.subject))
    for engine, vector in ask.vectors.items():
        answer = reader.vector_search(engine, vector, DEPTH, view)
        gathered.populations[engine] = dict(answer.population)
        numbers |= dict.fromkeys(found.number for found in answer.found)
    if question.names:
        names = list(dict.fromkeys(named.name for named in question.names))
        numbers |= dict.fromkeys(reader.code_named(names, MOST_NAMED, view))
    if question.places:
        numbers |= dict.fromkeys(reader.code_in_files(question.places, DEPTH, view))
    gathered.sketches = reader.code_sketches(numbers)
    paths = {sketch.path for sketch in gathered.sketches.values() if sketch.path}
    files = set(reader.code_files(paths, replace(view, collections=CODE_COLLECTIONS))) - gathered.sketches.keys()
    gathered.sketches |= reader.code_sketches(files)
    if _FILES not in view.collections:
        gathered.beside = files
    for engine, vector in ask.vectors.items():
        for number, cosine in reader.vector_scores(engine, vector, list(gathered.sketches)).items():
            gathered.similarity.setdefault(number, {})[engine] = cosine
    return gathered


def _by_number(found: list[FoundPassage]) -> dict[int, float]:
    return {one.number: one.score for one in reversed(found)}
