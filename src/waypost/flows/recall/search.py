"""Recall: question → candidates by keywords and by vectors → fused and scored → the best k, explained."""

import re
import time as timing
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime, time, timedelta
from itertools import islice
from typing import TYPE_CHECKING

from waypost.errors import InvalidInput
from waypost.facts.ageing import with_expiry
from waypost.flows.checkouts.treeless import notice_elsewhere, seen_elsewhere
from waypost.flows.engines.query import engine_notices, engine_roles, serving_engines, vectors_by
from waypost.flows.index.freshness import MOST_ROUNDS, catch_up, hurry, notice_full, refresh, still_there
from waypost.flows.journal_files.pages import with_pages
from waypost.flows.links.hits import hit_of
from waypost.flows.links.staleness import looked_at
from waypost.flows.open_space import OpenSpace
from waypost.flows.recall.access import note_access
from waypost.flows.recall.damage_notices import damage_notices
from waypost.journal.markdown_values import in_zone
from waypost.model.code_link import LinkedMemory
from waypost.model.code_verdict import UNCHECKED
from waypost.model.draft import check_text
from waypost.model.kinds import CODE_COLLECTIONS, KEPT_COLLECTIONS
from waypost.model.recall import Answer, Hit, View
from waypost.retrieve.calibration import ServingEngines
from waypost.retrieve.freshness import outdone, with_freshness
from waypost.retrieve.merge import Populations, one_list
from waypost.retrieve.question import Question, read_question
from waypost.retrieve.score import DEPTH, REACH, RankCandidate, ScoredMemory, fuse
from waypost.store.protocol import FoundPassage, Population, Reader, VersionSketch
from waypost.store.shares import TAKES
from waypost.text.keywords import query_terms
from waypost.text.language import is_surely_foreign, language_of

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from waypost.flows.share.recall import Beside
    from waypost.model.share import ShareRow
    from waypost.store.protocol import Vector

MOST_HITS = 1000
_LOOKED_AT = 20  # memories whose code is looked at for an answer: among them the stale ones lose their places
MOST_SPEAKERS = 500
_DAY = timedelta(days=1)
_LONGEST_ASKED = timedelta(days=31)  # of a time, for all that was said then to be looked at
_LONGEST_WITH_SUBJECT = timedelta(days=3)
_MOST_SAID = 2000
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class RecallFilter:
    """What a memory must be to be shown at all."""

    fresh: bool = False  # not stale
    min_confidence: float = 0.0
    without_tags: tuple[str, ...] = ()  # names, or name=value

    def __post_init__(self) -> None:
        if isinstance(self.min_confidence, bool) or not 0 <= self.min_confidence <= 1:
            raise InvalidInput(f"min_confidence is {self.min_confidence}; it must be from 0 to 1.", "")

    @property
    def filters(self) -> bool:
        return self != _ANYTHING

    def admits(self, memory: LinkedMemory) -> bool:
        if (self.fresh and memory.state.is_stale) or memory.confidence < self.min_confidence:
            return False
        tags = memory.version.tags
        return not any(
            name in tags or tags.get(name.partition("=")[0]) == name.partition("=")[2] for name in self.without_tags
        )


_ANYTHING = RecallFilter()


def recall(
    space: OpenSpace,
    asked: str,
    view: View,
    *,
    k: int = 5,
    now: datetime | None = None,
    wanted: RecallFilter = _ANYTHING,
    shared: bool = False,
) -> Answer:
    """At most k memories, best first. `now` is the moment of the question. `shared` adds what other projects let this one
    read: for whoever shows an answer, never for whoever changes something by it.

    What is about to be shown is looked at in the tree first: a file that has changed is indexed again, and a memory whose
    code has changed is marked, and comes after those that are still true.
    """
    started = timing.perf_counter()
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= MOST_HITS:
        raise InvalidInput(f"k is {k}; it must be a whole number from 1 to {MOST_HITS}.", "")
    asked = check_text(asked, "question")
    catch_up(space)
    ask = _Ask(asked, language_of(asked), view, k, now or space.clock(), wanted, shared)
    if is_surely_foreign(asked, ask.language):
        space.engines.awaken_multilingual(space.store)
    hits, notices, notes = _answer(space, ask)
    for _ in range(MOST_ROUNDS):
        if not refresh(space, hits):
            break
        hits, notices, notes = _answer(space, ask)
    hits = with_pages(space, still_there(space, hits))
    note_access(space, hits)
    if notices:  # something is owed, perhaps since this question
        hurry(space, hits)
        space.start_worker(space)
    notices = (*notice_full(space), *notice_elsewhere(space), *notices)
    if not any(hit.collection in KEPT_COLLECTIONS for hit in hits):
        from waypost.flows.checkouts.relatives import relative_notices  # only where nothing was found

        notices = (*relative_notices(space), *notices)
    notes = (*damage_notices(space.store), *notes)
    return Answer(asked, tuple(hits), (*notices, *notes), (timing.perf_counter() - started) * 1000)


@dataclass(frozen=True, slots=True)
class _Ask:
    text: str
    language: str
    view: View
    k: int
    now: datetime
    wanted: RecallFilter
    shared: bool


def _answer(space: OpenSpace, ask: _Ask) -> tuple[list[Hit], tuple[str, ...], tuple[str, ...]]:
    """Memories of people and agents on one side and the tree on the other, each ranked in its own way, in one list. With
    what is owed by engines, and what is to be said of those who share."""
    from waypost.flows.recall.code_search import (  # whoever only wants the engines has no time for it
        code_hits,
        read_ask,
    )

    serving = serving_engines(space, ask.language)
    roles = engine_roles(space, serving)
    kept = tuple(name for name in ask.view.collections if name not in CODE_COLLECTIONS)
    code = tuple(name for name in ask.view.collections if name in CODE_COLLECTIONS)
    with space.store.read() as reader:
        has_code = bool(code) and reader.code.has_any(ask.view.checkout_id)
        taken = reader.shares.all(TAKES) if ask.shared else []
    vectors = vectors_by(space, serving, ask.text) if kept else {}
    code_ask = (
        read_ask(space, ask.text, ask.language, serving)
        if has_code or (code and any(row.offer.code for row in taken))
        else None
    )
    memories, places = list[Hit](), list[Hit]()
    spread: list[Populations] = [{}, {}]
    with _beside(space, taken, ask, vectors, roles) as beside, space.store.read() as reader:
        if kept:
            own = replace(ask, view=replace(ask.view, collections=kept))
            memories, spread[0] = _kept_hits(space, reader, own, vectors, roles, beside)
        if code_ask is not None:
            seen, shown = seen_elsewhere(space, reader), replace(ask.view, collections=code)
            hits, spread[1] = code_hits(reader, code_ask, shown, ask.k, ask.now, seen)
            if beside is not None:
                hits, spread[1] = beside.code_too(hits, spread[1], code_ask, ask.view)
            places = [hit for hit in hits if (hit.confidence or 0.0) >= ask.wanted.min_confidence]
        notices, notes = engine_notices(space, reader, serving), () if beside is None else beside.notes
    return one_list(memories, places, (spread[0], spread[1]), roles, ask.language)[: ask.k], notices, notes


def _beside(
    space: OpenSpace, taken: "list[ShareRow]", ask: _Ask, vectors: "dict[str, Vector]", roles: ServingEngines
) -> "AbstractContextManager[Beside | None]":
    if not taken:
        return nullcontext()
    from waypost.flows.share.recall import SharedQuery, beside  # only where something is shared

    return beside(space, taken, SharedQuery(ask.view, ask.k, ask.now, ask.wanted, vectors, roles))


def _kept_hits(
    space: OpenSpace,
    reader: Reader,
    ask: _Ask,
    vectors: "dict[str, Vector]",
    roles: ServingEngines,
    beside: "Beside | None" = None,
) -> tuple[list[Hit], Populations]:
    speakers = reader.memories.speakers(MOST_SPEAKERS)
    now = space.journal.local(ask.now)
    question = read_question(ask.text, language=ask.language, now=now, speakers=speakers)
    said_then = _said_then(space, reader, question, ask.view)
    gathered = gather(reader, question, vectors, ask.view, max(DEPTH, ask.k), said_then)
    candidates, spread = gathered.candidates(), gathered.populations
    if beside is not None:
        beside.gather(question)
        spread = beside.spread(spread)
    most = len(candidates) if ask.wanted.filters else max(_LOOKED_AT, 2 * ask.k)
    scored = fuse(question, candidates, spread, roles, now=now, k=most)
    number_of = {sketch.memory_id: number for number, sketch in gathered.sketches.items()}
    best = _best(space, reader, [(number_of[one.memory_id], one) for one in scored], ask)
    return (best if beside is None else beside.joined(best, question, spread, now)), spread


@dataclass(slots=True)
class RecallRows:
    """Everything ranking needs about the versions that may answer, by their numbers."""

    keyword: dict[int, float] = field(default_factory=dict)
    similarity: dict[int, dict[str, float]] = field(default_factory=dict)
    sketches: dict[int, VersionSketch] = field(default_factory=dict)
    populations: dict[str, dict[str, Population]] = field(default_factory=dict)

    def candidates(self) -> list[RankCandidate]:
        nothing: dict[str, float] = {}
        return [
            RankCandidate(
                one.memory_id,
                one.language,
                self.keyword.get(number, 0.0),
                self.similarity.get(number, nothing),
                one.session,
                one.position - 1,
                one.speaker,
                one.time,
                one.traits,
            )
            for number, one in self.sketches.items()
        ]


def _said_then(space: OpenSpace, reader: Reader, question: Question, view: View) -> list[int]:
    """What was said and noted in the times that a question names, which may have no word of it: "What did we discuss
    yesterday?"."""
    longest = _LONGEST_ASKED if question.only_time else _LONGEST_WITH_SUBJECT
    if "journal" not in view.collections:
        return []
    found: list[int] = []
    for span in question.days:
        if span.last - span.first < longest:
            first, last = (in_zone(day, time(), space.journal.zone) for day in (span.first, span.last + _DAY))
            said = islice(reader.journal.entries_between(first, last, view), _MOST_SAID)
            found += [version.number for version in said]
    return found


def gather(
    reader: Reader,
    question: Question,
    vectors: "dict[str, Vector]",
    view: View,
    depth: int,
    said_then: Sequence[int],
) -> RecallRows:
    gathered = RecallRows()
    keep_best(gathered.keyword, reader.search.keywords(question_terms(question), depth, view))
    numbers = dict.fromkeys([*gathered.keyword, *said_then])
    for engine, vector in vectors.items():
        answer = reader.search.vectors(engine, vector, depth, view)
        gathered.populations[engine] = dict(answer.population)
        numbers |= dict.fromkeys(found.number for found in answer.hits)
    gathered.sketches = reader.memories.sketches(numbers)
    for follower in reader.memories.followers(numbers, REACH, view):
        gathered.sketches.setdefault(follower.number, follower)
    for engine, vector in vectors.items():
        for number, cosine in reader.search.vector_scores(engine, vector, list(gathered.sketches)).items():
            gathered.similarity.setdefault(number, {})[engine] = cosine
    return gathered


def keep_best(scores: dict[int, float], found: list[FoundPassage]) -> None:
    for one in found:
        scores[one.number] = max(one.score, scores.get(one.number, 0.0))


def question_terms(question: Question) -> list[str]:
    """The question's keywords as the index knows them, names and numbers in their own spelling."""
    kept = set(question.keywords)
    return query_terms(_WORD.sub(lambda word: word[0] if word[0].lower() in kept else " ", question.text))


def _best(space: OpenSpace, reader: Reader, scored: list[tuple[int, ScoredMemory]], ask: _Ask) -> list[Hit]:
    """The best k that are wanted, those whose code has changed behind those that are still true.

    Only as many are looked at as may be shown: the tree is asked about each.
    """
    at_once, found = max(_LOOKED_AT, 2 * ask.k), list[tuple[ScoredMemory, LinkedMemory]]()
    for start in range(0, len(scored), at_once):
        some = scored[start : start + at_once]
        if not ask.wanted.filters and not _may_be_stale(space, reader, some, ask.view):
            some = some[: ask.k]
        memories = looked_at(space, reader, list(reader.memories.by_number([number for number, _ in some]).values()))
        found += [(one, memories[number]) for number, one in some if number in memories]
        if sum(ask.wanted.admits(memory) for _, memory in found) >= ask.k:
            break
    surpassed = outdone(memory for _, memory in found)
    best = [(weighed(one, memory, surpassed), memory) for one, memory in found if ask.wanted.admits(memory)]
    best.sort(key=lambda pair: -pair[0].total)  # stable: equal ones keep their order
    return [hit_of(memory, one.score, dict(one.why)) for one, memory in best[: ask.k]]


def _may_be_stale(space: OpenSpace, reader: Reader, scored: list[tuple[int, ScoredMemory]], view: View) -> bool:
    """Whether the order of these may change with what became of them."""
    states = with_expiry(reader.memories.states([one.memory_id for _, one in scored]), space.clock())
    return any(state.is_stale for state in states.values()) or bool(
        reader.references.visible(view, numbers=[number for number, _ in scored])
    )


def weighed(one: ScoredMemory, memory: LinkedMemory, surpassed: frozenset[int] = frozenset()) -> ScoredMemory:
    """Stale memories come after those that are still true."""
    return with_freshness(
        one,
        points_at_code=any(link.finding.state != UNCHECKED for link in memory.links),
        is_stale=memory.state.is_stale,
        confidence=memory.confidence,
        is_outdone=memory.version.number in surpassed,
    )
