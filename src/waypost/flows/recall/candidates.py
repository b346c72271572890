"""What may answer a question. One routine gathers it, from what people and agents wrote and from code."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from itertools import islice, tee
from typing import TYPE_CHECKING, Generic, TypeVar

from waypost.errors import InvalidInput
from waypost.flows.links.hits import derived
from waypost.flows.recall.call_neighbours import add_call_neighbours
from waypost.flows.recall.quotations import quotations
from waypost.journal.chatter import is_chatter
from waypost.model.checkout import Checkout
from waypost.model.code_link import LinkedMemory
from waypost.model.code_verdict import UNCHECKED
from waypost.model.kinds import CODE_COLLECTIONS, IS_DOCUMENT, IS_TEST, KINDS, TEST_LANGUAGE
from waypost.model.memory import Version
from waypost.model.recall import View
from waypost.retrieve.calibration import ServingEngines
from waypost.retrieve.code_question import CodeQuestion
from waypost.retrieve.code_rank import DEPTH as CODE_DEPTH
from waypost.retrieve.code_rank import MOST_NAMED, WEIGHTS, CodeCandidate, rank_code, with_quotations
from waypost.retrieve.freshness import with_freshness
from waypost.retrieve.question import ROLES, Question
from waypost.retrieve.score import REACH, RankCandidates, Ranking, ScoredMemory
from waypost.retrieve.traits import ASKS
from waypost.store.protocol import CodeSketch, FoundPassage, Population, Reader, VersionSketch
from waypost.text.keywords import has_only_terms, query_terms

if TYPE_CHECKING:
    from waypost.store.protocol import Vector

Sketch = TypeVar("Sketch", VersionSketch, CodeSketch)
RankedMemory = tuple[ScoredMemory, LinkedMemory]

LOOKED_AT = 20  # memories whose code is compared with the tree: stale ones among them lose their places
LEAST_OF_EACH = 6  # facts and journal entries among them
_FILES = KINDS["file"].collection
_WORD = re.compile(r"\w+")
_NONE: Mapping[str, float] = {}


@dataclass(frozen=True, slots=True)
class RecallFilter:
    """What a memory must be to be shown at all."""

    fresh: bool = False  # not stale
    min_confidence: float = 0.0
    without_tags: tuple[str, ...] = ()  # names, or name=value
    answers: str = ""  # the question: turns that only ask, command or greet, or only repeat it, are left out

    def __post_init__(self) -> None:
        if isinstance(self.min_confidence, bool) or not 0 <= self.min_confidence <= 1:
            raise InvalidInput(f"min_confidence is {self.min_confidence}; it must be from 0 to 1.", "")

    @property
    def filters(self) -> bool:
        return self != ANYTHING

    def admits(self, memory: LinkedMemory) -> bool:
        if (self.fresh and memory.state.is_stale) or memory.confidence < self.min_confidence:
            return False
        if self.answers and _only_talks(memory.version, self.answers):
            return False
        tags = memory.version.tags
        return not any(
            name in tags or tags.get(name.partition("=")[0]) == name.partition("=")[2] for name in self.without_tags
        )


ANYTHING = RecallFilter()


def _only_talks(version: Version, question: str) -> bool:
    """Whether a turn between a person and an agent contains no answer. A question between people says something about them."""
    if version.kind != "conversation" or not (version.speaker is None or version.speaker.lower() in ROLES):
        return False
    return is_chatter(version.text) or has_only_terms(version.text, _terms_of(question))


@lru_cache(maxsize=100)
def _terms_of(question: str) -> frozenset[str]:
    return frozenset(query_terms(question))


@dataclass(slots=True)
class Gathered(Generic[Sketch]):
    """Everything ranking needs about the versions that may answer, by version number."""

    keyword: dict[int, float] = field(default_factory=dict)
    subject: dict[int, float] = field(default_factory=dict)  # keyword scores of the subject of a long question
    similarity: dict[str, dict[int, float]] = field(default_factory=dict)  # best cosines, by engine first
    sketches: dict[int, Sketch] = field(default_factory=dict)
    populations: dict[str, dict[str, Population]] = field(default_factory=dict)
    not_shown: frozenset[int] = frozenset()  # versions that only help to rank others
    files_shown: bool = True  # whether files may be hits

    def numbers(self) -> dict[str, int]:
        """Version numbers by memory id."""
        return {sketch.memory_id: number for number, sketch in self.sketches.items()}


def gather(
    reader: Reader,
    question: Question,
    vectors: "Mapping[str, Vector]",
    view: View,
    depth: int,
    said_then: Sequence[int],
) -> Gathered[VersionSketch]:
    """What people and agents wrote. `said_then` are versions from the times that the question names."""
    gathered = Gathered[VersionSketch]()
    keep_best(gathered.keyword, reader.search.keywords(question_terms(question), depth, view))

    def next_turns(numbers: Iterable[int]) -> dict[int, VersionSketch]:
        return {turn.number: turn for turn in reader.memories.followers(numbers, REACH, view)}

    _search(reader, gathered, vectors, view, depth, said_then, reader.memories.sketches, next_turns)
    return gathered


def gather_code(
    reader: Reader, question: CodeQuestion, vectors: "Mapping[str, Vector]", view: View
) -> Gathered[CodeSketch]:
    """What was read from code, with the files that it stands in."""
    gathered = Gathered[CodeSketch]()
    keep_best(gathered.keyword, reader.search.code_keywords(question.terms, WEIGHTS, CODE_DEPTH, view))
    if question.is_long:
        keep_best(gathered.subject, reader.search.code_keywords(question.subject_terms, WEIGHTS, CODE_DEPTH, view))
    named = list[int]()
    if question.names:
        names = list(dict.fromkeys(code.name for code in question.names))
        named += reader.code.symbols_named(names, MOST_NAMED, view)
    if question.places:
        named += reader.code.files_ending(question.places, CODE_DEPTH, view)

    def files_of(_: Iterable[int]) -> dict[int, CodeSketch]:
        paths = {sketch.path for sketch in gathered.sketches.values() if sketch.path}
        files = reader.code.files_at(paths, replace(view, collections=CODE_COLLECTIONS))
        return reader.code.sketches(set(files) - gathered.sketches.keys())

    matches = _search(reader, gathered, vectors, view, CODE_DEPTH, named, reader.code.sketches, files_of)
    if not question.asks_tests:
        _ignore_meaning_of_tests(gathered, named)
    if _FILES not in view.collections:
        gathered.files_shown = False
        gathered.not_shown = frozenset(gathered.sketches.keys() - matches)
    return gathered


def _ignore_meaning_of_tests(gathered: Gathered[CodeSketch], named: Iterable[int]) -> None:
    """Let only words find single tests: a test means much the same as the code that it calls."""
    by_words = {*gathered.keyword, *gathered.subject, *named}
    tests = [
        number for number, sketch in gathered.sketches.items() if sketch.traits & IS_TEST and sketch.kind == "symbol"
    ]
    for number in tests:
        if number not in by_words:
            del gathered.sketches[number]
        for cosines in gathered.similarity.values():
            cosines.pop(number, None)
    for population in gathered.populations.values():
        population.pop(TEST_LANGUAGE, None)


def _search(
    reader: Reader,
    gathered: Gathered[Sketch],
    vectors: "Mapping[str, Vector]",
    view: View,
    depth: int,
    others: Iterable[int],
    sketches_of: Callable[[Iterable[int]], dict[int, Sketch]],
    beside: Callable[[Iterable[int]], dict[int, Sketch]],
) -> set[int]:
    """Add to what keywords found: `others`, what vectors find, and what stands `beside` all of these.

    Returns the versions that were found, without those that only stand beside them.
    """
    numbers = dict.fromkeys((*gathered.keyword, *gathered.subject, *others))
    for engine, vector in vectors.items():
        answer = reader.search.vectors(engine, vector, depth, view)
        gathered.populations[engine] = dict(answer.population)
        cosines = {passage.number: passage.score for passage in reversed(answer.hits)}  # the best of a version is first
        gathered.similarity[engine] = cosines
        numbers |= dict.fromkeys(cosines)
    gathered.sketches = sketches_of(numbers)
    matches = set(gathered.sketches)
    gathered.sketches |= beside(numbers)
    for engine, vector in vectors.items():
        cosines = gathered.similarity[engine]
        rest = [number for number in gathered.sketches if number not in cosines]
        cosines |= reader.search.vector_scores(engine, vector, rest)
    return matches


def keep_best(scores: dict[int, float], passages: Iterable[FoundPassage]) -> None:
    """Add the score of each version's best passage."""
    for _, number, _, score in passages:
        if score > scores.get(number, 0.0):
            scores[number] = score
        else:
            scores.setdefault(number, 0.0)


def question_terms(question: Question) -> list[str]:
    """The question's keywords as the index spells them, names and numbers unchanged."""
    kept = set(question.keywords)
    return query_terms(_WORD.sub(lambda word: word[0] if word[0].lower() in kept else " ", question.text))


def prose_candidates(gathered: Gathered[VersionSketch]) -> RankCandidates:
    return RankCandidates(list(gathered.sketches.values()), gathered.keyword, gathered.similarity)


def some_of_each(ranking: Ranking, wanted: Collection[int], most: int) -> Sequence[int]:
    """The order of a ranking, with what else deserves a look among the first `most`: the `wanted`, and the best facts and journal entries.

    Scores of facts and entries are not on one scale. Certainty compares them, but only those that are looked at.
    """
    order, sketches = ranking.order, ranking.sketches
    first, rest = order[:most], order[most:]
    extra = [at for at in rest if sketches[at].number in wanted] if wanted else []
    groups = Counter(_group_of(sketches[at]) for at in first)
    for group in (_FACT, _ENTRY):
        if groups[group] < LEAST_OF_EACH:
            others = (at for at in rest if _group_of(sketches[at]) == group and at not in extra)
            extra += islice(others, LEAST_OF_EACH - groups[group])
    if not extra:
        return order
    kept = max(0, most - len(extra))
    return [*first[:kept], *extra, *first[kept:], *(at for at in rest if at not in extra)]


_FACT, _ENTRY, _QUESTION = "fact", "entry", "question"
_OF_JOURNAL = frozenset(kind.name for kind in KINDS.values() if kind.is_journal)


def _group_of(sketch: VersionSketch) -> str:
    if sketch.kind not in _OF_JOURNAL:
        return _FACT
    return _QUESTION if sketch.traits & ASKS else _ENTRY


def code_candidates(gathered: Gathered[CodeSketch], called: Mapping[str, float] = _NONE) -> list[CodeCandidate]:
    return [
        CodeCandidate(
            memory_id=sketch.memory_id,
            kind="section" if sketch.type == "section" else sketch.kind,
            type=sketch.type,
            name=sketch.name,
            path=sketch.path,
            line=sketch.line,
            end_line=sketch.end_line,
            keyword=gathered.keyword.get(number, 0.0),
            subject_keyword=gathered.subject.get(number, 0.0),
            similarity={name: cosines[number] for name, cosines in gathered.similarity.items() if number in cosines},
            is_test=bool(sketch.traits & IS_TEST),
            is_document=bool(sketch.traits & IS_DOCUMENT),
            referrers=sketch.referrers,
            called=called.get(sketch.memory_id, 0.0),
        )
        for number, sketch in gathered.sketches.items()
    ]


@dataclass(frozen=True, slots=True)
class CodeQuery:
    """A question about code, read and embedded."""

    question: CodeQuestion
    vectors: "Mapping[str, Vector]"
    roles: ServingEngines


def best_code(
    reader: Reader,
    query: CodeQuery,
    view: View,
    k: int,
    now: datetime,
    seen: Checkout | None = None,
    *,
    follow_calls: bool = True,
) -> tuple[list[RankedMemory], Gathered[CodeSketch]]:
    """The best k from code, and what they were chosen from.

    Args:
        seen: Where the code is, if not here.
        follow_calls: What the best ones call, and what calls them, joins. Guests can't read relations of code.
    """
    gathered = gather_code(reader, query.question, query.vectors, view)
    candidates, numbers = code_candidates(gathered), gathered.numbers()
    # Rows are built as they are read, so only the best ones are.
    first, ranked = tee(rank_code(query.question, candidates, gathered.populations, query.roles))
    called = add_call_neighbours(reader, query, view, gathered, candidates, first) if follow_calls else {}
    if called:
        candidates, numbers = code_candidates(gathered, called), gathered.numbers()
        ranked = rank_code(query.question, candidates, gathered.populations, query.roles)
    in_order = (scored for scored in ranked if numbers[scored.memory_id] not in gathered.not_shown)
    best = list(islice(in_order, k))
    if quoted := quotations(reader, query.question, gathered):
        shares = {gathered.sketches[number].memory_id: share for number, share in quoted.items()}
        others = (scored for scored in in_order if scored.memory_id in shares)
        best = with_quotations([*best, *others], shares)[:k]
    versions = reader.memories.by_number([numbers[scored.memory_id] for scored in best])
    return [(scored, derived(versions[numbers[scored.memory_id]], now, seen)) for scored in best], gathered


def best_memories(memories: Sequence[RankedMemory], k: int, outdone: frozenset[int]) -> list[RankedMemory]:
    """The best k. Stale memories come after those that are still true."""
    best = [
        (
            with_freshness(
                scored,
                points_at_code=any(link.finding.state != UNCHECKED for link in memory.links),
                is_stale=memory.state.is_stale,
                confidence=memory.confidence,
                is_outdone=memory.version.number in outdone,
            ),
            memory,
        )
        for scored, memory in memories
    ]
    best.sort(key=lambda pair: -pair[0].total)  # stable: equal ones keep their order
    return best[:k]
