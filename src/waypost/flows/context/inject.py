"""Memories that match a message, and nothing if none does: `context --preset inject`, and prompt hooks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from waypost.context.briefing import Briefing, check_budget
from waypost.context.budget import count_tokens, shorten
from waypost.context.open_files import OpenFile
from waypost.context.render import Opening, plain_line
from waypost.context.small_talk import is_small_talk
from waypost.context.wording import Wording, summary, wording
from waypost.embed.protocol import Engine
from waypost.flows.checkouts.treeless import seen_elsewhere
from waypost.flows.context.decisions import with_reasons
from waypost.flows.context.nearest import DEPTH, IsKnown, PromptQuery, nearest, nearest_code, says_nothing
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
    leave_to_worker,
    pending_index,
    refresh,
)
from waypost.flows.journal_files.changes import pending_sync
from waypost.flows.links.hits import derived, hit_of
from waypost.flows.links.staleness import looked_at
from waypost.flows.open_space import OpenSpace
from waypost.model.draft import check_text
from waypost.model.kinds import KINDS
from waypost.model.memory import Version
from waypost.model.recall import Hit, View
from waypost.retrieve.relevance import shares_words
from waypost.store.protocol import Reader
from waypost.store.shares import TAKES
from waypost.text.keywords import query_terms

_MOST = 20  # memories in one answer
_LONGEST = 0.5  # of the budget for one memory
_AT_A_PROMPT = 0  # pending texts to embed while an agent waits: the engine for many texts takes 200 ms to start
_MOST_FILES = 2  # with code that matches
_MOST_SYMBOLS = 3  # of a file


def inject_brief(
    space: OpenSpace, message: str, view: View, *, tokens: int = 2000, now: datetime | None = None
) -> Briefing:
    """DNA.md and memories that match a message, for the tree as it is now. A question also gets what was said about it.

    The engine that judges has a threshold for that. If no engine can be asked, shared words decide.
    """
    from waypost.flows.context.dna import opening_of  # masks secrets: too slow to load for a hook
    from waypost.flows.context.said import said_about  # the whole of recall: too slow to load for a hook

    check_budget(tokens)
    message = check_text(message, "question")
    question = EngineQuestion(space, message)
    opening, notices = opening_of(space, tokens)
    checks: list[Check] = [partial(pending_index, space)]

    def read() -> _Near:
        return _near(space, message, question, lambda _: view, _nothing_known, checks, now)

    near = read()
    for _ in range(MOST_ROUNDS):
        if not refresh(space, near.files):
            break
        question.try_again()
        near = read()
    said = said_about(space, message, view, near.hits, now)
    listed = {hit.id for hit in said}
    hits = [*(hit for hit in near.hits if hit.id not in listed), *said]
    return _briefing(near, hits, opening, tokens, notices)


def prompt_brief(
    space: OpenSpace, message: str, view: Callable[[Reader], View], is_known: IsKnown, *, tokens: int
) -> Briefing:
    """Memories that match a prompt, for hooks: the agent waits. Changes in journal files are read first.

    Memories that are known already and DNA.md are left out. The worker indexes changed files and embeds pending texts.
    """
    check_budget(tokens)
    message = check_text(message, "question")
    question = EngineQuestion(space, message, most_pending=_AT_A_PROMPT)
    near = _near(space, message, question, view, is_known, [partial(pending_sync, space)], is_for_work=True)
    hits = leave_to_worker(space, near.files, near.tracked, near.hits)
    if near.notices:
        space.start_worker(space)
    return _briefing(near, hits, Opening(), tokens)


@dataclass(frozen=True, slots=True)
class _Near:
    """What one transaction says about a message."""

    hits: Sequence[Hit]  # the nearest first
    language: str
    files: HitFiles
    tracked: Sequence[str]  # changed files that wait to be indexed
    notices: tuple[str, ...]  # about engines
    notes: tuple[str, ...] = ()  # about projects that share
    lines: Mapping[str, str] = field(default_factory=dict)  # of hits that are shown in another way, by memory id


def _nothing_known(_: Version | Hit) -> bool:
    return False


def _near(
    space: OpenSpace,
    message: str,
    question: EngineQuestion,
    view: Callable[[Reader], View],
    is_known: IsKnown,
    checks: list[Check],
    now: datetime | None = None,
    *,
    is_for_work: bool = False,
) -> _Near:
    if is_small_talk(message):
        return _Near((), question.language, HitFiles({}), (), ())
    with reading_for(space, question, checks) as (reader, engines):
        serving = engines_for(space, engines, question.language)
        vectors, visible = question.by_engine(serving, WHOLE), view(reader)
        if vectors:
            query = PromptQuery(
                message, question.language, vectors, engine_roles(space, serving), is_known, _MOST, is_for_work
            )
            return _read_near(space, reader, engines, serving, query, visible)
    return _near_by_words(space, message, question.language, visible, is_known, now)


def _near_by_words(
    space: OpenSpace, message: str, language: str, view: View, is_known: IsKnown, now: datetime | None
) -> _Near:
    from waypost.flows.recall.search import recall  # needs much more, and a hook is in a hurry

    answer = recall(space, message, view, k=DEPTH, now=now, shared=True)
    terms = query_terms(message)
    hits = [hit for hit in answer.hits if not (is_known(hit) or says_nothing(hit))]
    hits = [hit for hit in hits if shares_words(terms, hit.text, language)][:_MOST]
    with space.store.read() as reader:
        return _Near(hits, language, files_of(space, reader, hits), _tracked(space, reader), answer.notices)


def _read_near(
    space: OpenSpace, reader: Reader, engines: EngineState, serving: Sequence[Engine], query: PromptQuery, view: View
) -> _Near:
    near, taken = nearest(reader, query, view), reader.shares.all(TAKES)
    hits, notes = _hits(space, reader, list(near), near), tuple[str, ...]()
    hits, reasons = with_reasons(space, reader, hits, view)
    words = wording(query.language)
    lines = {hit.id: plain_line(hit, reasons[hit.id], words) for hit in hits if hit.id in reasons}
    if taken:
        from waypost.flows.context.shared import with_shared_hits  # a hook without shares loads nothing of them

        hits, notes = with_shared_hits(space, taken, hits, query, view)
        hits = hits[:_MOST]
    best_of_files, code_lines = _code(space, reader, query, view, words)
    hits = [*hits, *best_of_files]
    files, notices = files_of(space, reader, hits), engine_notices(space, engines, serving)
    return _Near(hits, query.language, files, _tracked(space, reader), notices, notes, lines | code_lines)


def _code(
    space: OpenSpace, reader: Reader, query: PromptQuery, view: View, words: Wording
) -> tuple[list[Hit], dict[str, str]]:
    """Code that matches a message well: one hit for each file, and its line with the best symbols."""
    near = nearest_code(reader, query, view)
    if not near:
        return [], {}
    by_file: dict[str, list[Hit]] = {}
    for hit in _hits(space, reader, list(near), near):
        by_file.setdefault(hit.path or "", []).append(hit)
    best_of_files, lines = list[Hit](), dict[str, str]()
    for path, hits in list(by_file.items())[:_MOST_FILES]:
        best_of_files.append(hits[0])
        lines[hits[0].id] = OpenFile(path, hits[0].score, tuple(hits[:_MOST_SYMBOLS])).line({}, words)
    return best_of_files, lines


def _tracked(space: OpenSpace, reader: Reader) -> list[str]:
    return reader.code.tracked(space.identity.checkout_id)


def _hits(space: OpenSpace, reader: Reader, numbers: Sequence[int], near: dict[int, float]) -> list[Hit]:
    versions = reader.memories.by_number(numbers)
    kept = [version for version in versions.values() if not KINDS[version.kind].derived]
    memories = looked_at(space, reader, kept)
    seen, made = seen_elsewhere(space, reader), []
    for number in numbers:
        memory = memories.get(number) or derived(versions[number], space.clock(), seen)
        made.append(hit_of(memory, near[number], {"meaning": near[number]}))
    return made


def _briefing(near: _Near, hits: Sequence[Hit], opening: Opening, tokens: int, notices: Sequence[str] = ()) -> Briefing:
    kept = near.files.keep(hits)
    words = wording(near.language)
    text, taken, used = _fitting(kept, near.lines, words.injected, opening, tokens)
    best = max((hit.score for hit in used), default=0.0)
    explanation = summary(words, len(used), len(kept) - len(used), taken, tokens)
    return Briefing(text, taken, tuple(used), best, " ".join((explanation, *near.notices, *near.notes, *notices)))


def _fitting(
    hits: Sequence[Hit], own_lines: Mapping[str, str], heading: str, opening: Opening, tokens: int
) -> tuple[str, int, list[Hit]]:
    """What fits, nearest first, as a text of so many tokens; a line that is longer than half of the budget is cut."""
    room, longest = tokens - count_tokens(opening.assembled(heading)), int(_LONGEST * tokens)
    lines: list[str] = []
    used: list[Hit] = []
    for hit in hits:
        whole = own_lines.get(hit.id) or plain_line(hit)
        line: str | None = whole
        cost = count_tokens(f"{line}\n")  # one by one: all together are no more than their sum
        if cost > longest and (line := shorten(whole, longest)):
            cost = count_tokens(f"{line}\n")
        if line and cost <= room:
            lines.append(line)
            used.append(hit)
            room -= cost
    while True:
        text = opening.assembled("\n".join((heading, *lines)) if lines else "")
        taken = count_tokens(text)
        if taken <= tokens or not lines:
            return text, taken, used
        lines.pop()  # the number of the fence is another one, and may cost more
        used.pop()
