"""Recall: read what is pending and what may answer in one transaction, rank it, and show the best k with reasons."""

import time as timing
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from waypost.embed.protocol import Engine
from waypost.errors import InvalidInput
from waypost.flows.checkouts.relatives import relative_notices
from waypost.flows.checkouts.treeless import notice_elsewhere, seen_elsewhere
from waypost.flows.engines.query import (
    WHOLE,
    Check,
    EngineQuestion,
    EngineState,
    engine_notices,
    engine_roles,
    engines_for,
    reading_for,
)
from waypost.flows.index.freshness import (
    MOST_ROUNDS,
    HitFiles,
    files_of,
    hurry,
    notice_full,
    pending_index,
    refresh,
)
from waypost.flows.index.tree_changes import follow_tree
from waypost.flows.journal_files import changes
from waypost.flows.journal_files.pages import with_pages
from waypost.flows.links.staleness import looked_at
from waypost.flows.open_space import OpenSpace
from waypost.flows.recall.access import note_access
from waypost.flows.recall.candidates import (
    ANYTHING,
    LOOKED_AT,
    CodeQuery,
    RankedMemory,
    RecallFilter,
    best_code,
    best_memories,
    gather,
    prose_candidates,
    some_of_each,
)
from waypost.flows.recall.current_values import with_current_values
from waypost.flows.recall.damage_notices import damage_notices
from waypost.flows.recall.evidence import EvidenceReader, names_like, said_at_that_time
from waypost.flows.recall.overview import overview_hits
from waypost.flows.recall.renewals import in_sight, maybe_renewing
from waypost.flows.recall.structure_hits import prepare_structure, structure_hits
from waypost.flows.share.recall import SharedHits, SharedQuery, shared_hits
from waypost.journal.markdown_values import in_zone
from waypost.model.code_link import LinkedMemory
from waypost.model.draft import check_text
from waypost.model.kinds import CODE_COLLECTIONS, KEPT_COLLECTIONS
from waypost.model.recall import Answer, Hit, View
from waypost.retrieve.answer_order import one_list
from waypost.retrieve.calibration import ServingEngines, is_english
from waypost.retrieve.certainty import is_fitted_for
from waypost.retrieve.code_question import CodeQuestion, read_code_question
from waypost.retrieve.cut import worth_showing
from waypost.retrieve.freshness import outdone
from waypost.retrieve.question import Question, read_question
from waypost.retrieve.score import DEPTH, Ranking, fuse
from waypost.store.protocol import Reader
from waypost.store.shares import TAKES

if TYPE_CHECKING:
    from waypost.model.share import ShareRow
    from waypost.store.protocol import Vector

MOST_HITS = 1000
MOST_SPEAKERS = 500
SMALL = 30  # memories that may answer, and no more: then certainty judges the journal by itself
NOTHING_RELEVANT = "Nothing relevant found."
_DAY = timedelta(days=1)
_LONGEST_ONLY_TIME = timedelta(days=31)  # of a time in a question without a subject
_LONGEST_WITH_SUBJECT = timedelta(days=3)
_MOST_SAID = 2000
_IN_ENGLISH, _FOR_CODE = "in English", "for code"  # forms of a question


def recall(
    space: OpenSpace,
    text: str,
    view: View,
    *,
    k: int = 5,
    now: datetime | None = None,
    wanted: RecallFilter = ANYTHING,
    shared: bool = False,
) -> Answer:
    """At most k memories, best first.

    Args:
        space: The space to search.
        text: The question.
        view: Which memories can be seen.
        k: How many hits at most.
        now: The moment of the question.
        wanted: What a memory must be to be shown.
        shared: Add what other projects share. Only for answers that are shown, never to change something by them.

    Returns:
        The hits. Changed files are indexed before they are shown, and stale memories come after those still true.
    """
    return _Recall(space, text, lambda _: view, k, now, wanted, shared).answer()


def ask(
    space: OpenSpace,
    text: str,
    view: Callable[[Reader], View],
    *,
    k: int,
    now: datetime | None,
    wanted: RecallFilter,
    shared: bool,
    unlikely: bool = False,
) -> Answer:
    """The answer to show for a question, after changes in journal files were read.

    Hits that probably do not answer are left out, unless `unlikely` ones are wanted. So are turns of the journal that only
    ask, command or greet. `view` is asked for in the same transaction.
    """
    only_answers = wanted if unlikely else replace(wanted, answers=text)
    return _Recall(space, text, view, k, now, only_answers, shared, reads_journal=True).answer()


@dataclass(frozen=True, slots=True)
class _Draft:
    """An answer as one transaction gives it."""

    hits: list[Hit]
    files: HitFiles
    notices: tuple[str, ...]  # about engines
    notes: tuple[str, ...]  # about projects that share
    nearest: tuple[str, ...] = ()  # names like one that the question uses and no code has


class _Recall:
    """One question on its way to an answer."""

    def __init__(
        self,
        space: OpenSpace,
        text: str,
        view: Callable[[Reader], View],
        k: int,
        now: datetime | None,
        wanted: RecallFilter,
        shared: bool,
        *,
        reads_journal: bool = False,
    ) -> None:
        if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= MOST_HITS:
            raise InvalidInput(f"k is {k}; it must be a whole number from 1 to {MOST_HITS}.", "")
        self._started = timing.perf_counter()
        self._space, self._view, self._k, self._wanted, self._shared = space, view, k, wanted, shared
        self._text = check_text(text, "question")
        self._now = now or space.clock()
        self._question = EngineQuestion(space, self._text, self._form)
        self._language = self._question.language
        self._code_question: CodeQuestion | None = None
        self._is_small = False  # whether all that people and agents wrote was compared with the question
        self._checks: list[Check] = [partial(pending_index, space)]
        if reads_journal:
            self._checks.insert(0, partial(changes.pending_sync, space))

    def answer(self) -> Answer:
        space = self._space
        behind = (*follow_tree(space), *prepare_structure(space, self._text))
        draft = self._read()
        for _ in range(MOST_ROUNDS):
            if not refresh(space, draft.files):
                break
            self._question.try_again()
            draft = self._read()
        hits, notices = draft.hits, draft.notices
        note_access(space, hits)
        if notices:  # something is pending, perhaps since this question
            hurry(space, hits)
            space.start_worker(space)
        notices = (*notice_full(space), *notice_elsewhere(space), *behind, *notices)
        if not any(hit.collection in KEPT_COLLECTIONS for hit in hits):
            notices = (*relative_notices(space), *notices)
        notices = (*notices, *damage_notices(space.store), *draft.notes)
        if not hits and self._wanted.answers:
            notices = (*notices, NOTHING_RELEVANT)  # behind what may be the reason
        if draft.nearest:
            notices = (*notices, f"Similar names in the code: {', '.join(draft.nearest)}.")
        took = (timing.perf_counter() - self._started) * 1000
        return Answer(self._text, tuple(hits), notices, took, draft.nearest)

    def _read(self) -> _Draft:
        with reading_for(self._space, self._question, self._checks) as (reader, engines):
            return self._draft(reader, engines)

    def _draft(self, reader: Reader, engines: EngineState) -> _Draft:
        """Memories of people and agents, and code, each ranked in its own way, in one list."""
        space, view = self._space, self._view(reader)
        serving = engines_for(space, engines, self._language)
        roles = engine_roles(space, serving)
        kept = tuple(name for name in view.collections if name not in CODE_COLLECTIONS)
        code = tuple(name for name in view.collections if name in CODE_COLLECTIONS)
        taken = reader.shares.all(TAKES) if self._shared else []
        vectors: Mapping[str, Vector] = self._question.by_engine(serving, WHOLE) if kept else {}
        has_code = bool(code) and (reader.code.has_any(view.checkout_id) or any(row.offer.code for row in taken))
        code_query = self._code_query(serving) if has_code else None
        seen = seen_elsewhere(space, reader)
        structural, notes = structure_hits(space, reader, self._text, self._language, view, self._k, seen)
        whole = structural or overview_hits(space, reader, self._text, view, self._k, self._wanted)
        if whole:
            return _Draft(whole, files_of(space, reader, whole), (), notes)
        memories, places = list[Hit](), list[Hit]()
        evidence = EvidenceReader.of(reader, self._read_code_question(), view)
        with self._open_shared(view, taken, vectors, roles, evidence) as shared:
            hits = list[Hit]()
            if code_query is not None:
                code_view = replace(view, collections=code)
                best, gathered = best_code(reader, code_query, code_view, self._considered, self._now, seen)
                hits = evidence.code(best, gathered, code_query.roles)
            if kept:
                memories = self._prose(reader, replace(view, collections=kept), vectors, roles, evidence, shared)
            if code_query is not None:
                if shared is not None:
                    hits = shared.code_too(hits, code_query, view)
                places = [hit for hit in hits if (hit.confidence or 0.0) >= self._wanted.min_confidence]
            notes = notes if shared is None else (*notes, *shared.notes)
        facts = [hit for hit in memories if hit.collection != "journal"]
        entries = [hit for hit in memories if hit.collection == "journal"]
        is_fitted = is_fitted_for(engine.name for engine in serving)
        listed = one_list(facts, places, entries, is_small=self._is_small, is_fitted=is_fitted)
        hits = with_current_values(space, reader, listed, view.moment)
        hits = in_sight(self._relevant(hits, serving, only_code=not kept)[: self._k])
        files = files_of(space, reader, hits)
        shown_hits = with_pages(space, reader, files.keep(hits))
        nearest = names_like(reader, evidence, view) if self._wanted.answers and not shown_hits else ()
        return _Draft(shown_hits, files, engine_notices(space, engines, serving), notes, nearest)

    @property
    def _considered(self) -> int:
        """How many hits of each group are compared by their certainty."""
        return max(LOOKED_AT, 2 * self._k)

    def _relevant(self, hits: list[Hit], serving: Sequence[Engine], *, only_code: bool) -> list[Hit]:
        """The hits worth showing; all of them for a long text, whose words no memory has together.

        All of them also with an embedding model that certainty was not fitted for.
        """
        question = self._read_code_question()
        if not self._wanted.answers or question.is_long or not is_fitted_for(engine.name for engine in serving):
            return hits
        return worth_showing(hits, is_lookup=question.is_lookup, is_small=self._is_small, only_code=only_code)

    def _form(self, form: str) -> Sequence[str]:
        """The texts to embed for one form of the question."""
        if form == WHOLE:
            return (self._text,)
        question = self._read_code_question()
        return question.in_english if form == _IN_ENGLISH else question.embedded

    def _read_code_question(self) -> CodeQuestion:
        if self._code_question is None:
            self._code_question = read_code_question(self._text, self._language)
        return self._code_question

    def _code_query(self, serving: Sequence[Engine]) -> CodeQuery:
        """The main engine always reads the question, in English as far as words of programming go: names in code are."""
        main = self._space.engines.main
        others = [] if is_english(self._language) else [engine for engine in serving if engine.name != main.name]
        vectors = self._question.by_engine([main], _IN_ENGLISH) | self._question.by_engine(others[:1], _FOR_CODE)
        roles = ServingEngines(main.name, others[0].name if others else None)
        return CodeQuery(self._read_code_question(), vectors, roles)

    def _open_shared(
        self,
        view: View,
        taken: "Sequence[ShareRow]",
        vectors: "Mapping[str, Vector]",
        roles: ServingEngines,
        evidence: EvidenceReader,
    ) -> AbstractContextManager[SharedHits | None]:
        if not taken:
            return nullcontext()
        query = SharedQuery(view, self._k, self._now, self._wanted, vectors, roles, evidence)
        return shared_hits(self._space, taken, query)

    def _prose(
        self,
        reader: Reader,
        view: View,
        vectors: "Mapping[str, Vector]",
        roles: ServingEngines,
        evidence: EvidenceReader,
        shared: SharedHits | None,
    ) -> list[Hit]:
        now, k = self._space.own_journal.local(self._now), self._k
        speakers = reader.memories.speakers(MOST_SPEAKERS)
        question = read_question(self._text, language=self._language, now=now, speakers=speakers)
        wanted = replace(self._wanted, answers="") if question.only_time else self._wanted
        first_facts = evidence.first_facts(reader, view)
        said_then = _said_then(self._space, reader, question, view)
        gathered = gather(reader, question, vectors, view, max(DEPTH, k), [*said_then, *first_facts])
        self._is_small = len(gathered.sketches) < SMALL and not question.only_time
        candidates, spread = prose_candidates(gathered), gathered.populations
        if shared is not None:
            shared.gather(question)
            spread = shared.spread(spread)
        ranking = fuse(question, candidates, spread, roles, now=now)
        order = [ranking.sketches[at] for at in ranking.order]
        related = maybe_renewing(reader, order, roles, self._considered)
        best = self._best(reader, ranking, some_of_each(ranking, [*first_facts, *related], self._considered), wanted)
        if question.only_time:
            hits = said_at_that_time(best)
        else:
            hits = evidence.prose(reader, best, gathered, spread, roles, self._space.engines.renewal_score)
        return hits if shared is None else shared.joined(hits, question, spread, now)

    def _best(self, reader: Reader, ranking: Ranking, order: Sequence[int], wanted: RecallFilter) -> list[RankedMemory]:
        """The best that are wanted. As many are compared with the tree as it takes to show k."""
        memories, admitted = list[LinkedMemory](), list[RankedMemory]()
        for start in range(0, len(order), self._considered):
            numbers = {ranking.sketches[at].number: at for at in order[start : start + self._considered]}
            versions = reader.memories.by_number(numbers)
            linked = looked_at(self._space, reader, list(versions.values()))
            part = [(at, linked[number]) for number, at in numbers.items() if number in linked]
            memories += [memory for _, memory in part]
            admitted += [(ranking.scored(at), memory) for at, memory in part if wanted.admits(memory)]
            if not wanted.filters or len(admitted) >= self._k:
                break
        return best_memories(admitted, self._considered, outdone(memories))


def _said_then(space: OpenSpace, reader: Reader, question: Question, view: View) -> list[int]:
    """Versions said or noted in the times that a question names: "What did we discuss yesterday?"."""
    longest = _LONGEST_ONLY_TIME if question.only_time else _LONGEST_WITH_SUBJECT
    if "journal" not in view.collections:
        return []
    numbers: list[int] = []
    for span in question.days:
        if span.last - span.first < longest:
            first, last = (in_zone(day, time(), space.journal.zone) for day in (span.first, span.last + _DAY))
            said = islice(reader.journal.entries_between(first, last, view), _MOST_SAID)
            numbers += [version.number for version in said]
    return numbers
