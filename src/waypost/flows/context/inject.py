"""`context --preset inject`: what is known that has to do with a message, and nothing when nothing does (LA-3)."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from waypost.context.briefing import Briefing, check_budget, counted
from waypost.context.budget import count_tokens, shorten
from waypost.context.render import Opening, plain_line
from waypost.flows.checkouts.treeless import seen_elsewhere
from waypost.flows.engines.query import engine_notices, engine_roles, serving_engines, vectors_by
from waypost.flows.index.freshness import MOST_ROUNDS, catch_up, leave_outdated, refresh, still_there
from waypost.flows.links.hits import derived, hit_of
from waypost.flows.links.staleness import looked_at
from waypost.flows.open_space import OpenSpace
from waypost.model.draft import check_text
from waypost.model.kinds import KINDS
from waypost.model.memory import Version
from waypost.model.recall import Hit, View
from waypost.retrieve.calibration import ServingEngines
from waypost.retrieve.relevance import nearness, shares_words, words_shared
from waypost.store.protocol import Reader
from waypost.store.shares import TAKES
from waypost.text.keywords import query_terms
from waypost.text.language import is_surely_foreign, language_of
from waypost.text.questions import is_only_question

if TYPE_CHECKING:
    from waypost.store.protocol import Vector

MOST = 20  # memories that are told at most
_DEPTH = 100  # passages of each engine that are looked at
_WORDED = 30  # memories whose words are compared: the nearest, and as many that are found by their words
_LONGEST = 0.5  # of the budget for one memory
_AT_A_PROMPT = 0  # texts owed that are embedded while an agent waits: what embeds many takes 200 ms to start
_HEADINGS = {"de": "Bekannte Informationen:", "ru": "Известная информация:"}
_HEADING = "Known information:"


Told = Callable[[Version | Hit], bool]  # whether whoever asks knows this already


def inject_brief(
    space: OpenSpace,
    message: str,
    view: View,
    *,
    tokens: int = 2000,
    now: datetime | None = None,
    told: Told | None = None,
) -> Briefing:
    """A list of what lies above the threshold of the engine that judges; by words when no engine can be asked.

    `told` is for hooks, which ask with every message while somebody waits: what is known already is left out, and DNA.md
    too, and what has changed in the tree is left to the worker.
    """
    check_budget(tokens)
    message = check_text(message, "question")
    if told is not None:
        opening, notices = Opening(), tuple[str, ...]()
        found = _near(space, message, view, now, told, pays=_AT_A_PROMPT)
        hits = still_there(space, leave_outdated(space, found.hits))
        if found.notices:
            space.start_worker(space)
    else:
        from waypost.flows.context.dna import opening_of  # a hook has no time for it

        opening, notices = opening_of(space, tokens)
        found = _near_now(space, message, view, now)
        hits = still_there(space, found.hits)
    heading = _HEADINGS.get(found.language, _HEADING)
    text, taken, used = _fitting(hits, heading, opening, tokens)
    best = max((hit.score for hit in used), default=0.0)
    explanation = _explain(len(hits), len(used), taken, tokens, (*found.notices, *found.notes, *notices))
    return Briefing(text, taken, tuple(used), best, explanation)


@dataclass(frozen=True, slots=True)
class _Found:
    hits: Sequence[Hit]  # the nearest first
    language: str
    notices: tuple[str, ...]  # what is owed
    notes: tuple[str, ...] = ()  # of projects that share


def _near_now(space: OpenSpace, message: str, view: View, now: datetime | None) -> _Found:
    """What is near in the tree as it is at this moment."""
    catch_up(space)
    found = _near(space, message, view, now, lambda _: False)
    for _ in range(MOST_ROUNDS):
        if not refresh(space, found.hits):
            break
        found = _near(space, message, view, now, lambda _: False)
    return found


def _near(
    space: OpenSpace, message: str, view: View, now: datetime | None, told: Told, *, pays: int | None = None
) -> _Found:
    language = language_of(message)
    if is_surely_foreign(message, language):
        space.engines.awaken_multilingual(space.store)
    serving = serving_engines(space, language, pays=pays)
    vectors = vectors_by(space, serving, message)
    roles = engine_roles(space, serving)
    if not vectors:
        from waypost.flows.recall.search import recall  # who has an engine to ask has no time for it

        answer = recall(space, message, view, k=_DEPTH, now=now, shared=True)
        terms = query_terms(message)
        hits = [hit for hit in answer.hits if not (told(hit) or _only_asks(hit))]
        hits = [hit for hit in hits if shares_words(terms, hit.text, language)]
        return _Found(hits[:MOST], language, answer.notices)
    asked = PromptQuery(message, language, vectors, roles, told)
    with space.store.read() as reader:
        near = nearest(reader, asked, view)
        hits = _hits(space, reader, list(near), near)
        notices, taken = engine_notices(space, reader, serving), reader.shares.all(TAKES)
    if not taken:
        return _Found(hits, language, notices)
    from waypost.flows.share.inject import near_too  # only where something is shared

    def nearest_shared(reader: Reader, shown: View, is_left_out: Told) -> dict[int, float]:
        return nearest(reader, replace(asked, told=lambda memory: told(memory) or is_left_out(memory)), shown)

    hits, notes = near_too(space, taken, hits, view, nearest_shared)
    return _Found(hits[:MOST], language, notices, notes)


@dataclass(frozen=True, slots=True)
class PromptQuery:
    """A message as engines and keywords see it, and what whoever sent it knows already."""

    text: str
    language: str
    vectors: "dict[str, Vector]"
    roles: ServingEngines
    told: Told


def nearest(reader: Reader, asked: PromptQuery, view: View) -> dict[int, float]:
    """The versions that have to do with a message, the nearest first, and how near each is."""
    cosines: dict[int, dict[str, float]] = {}
    for engine, vector in asked.vectors.items():
        for one in reader.search.vectors(engine, vector, _DEPTH, view).hits:
            best = cosines.setdefault(one.number, {})
            best[engine] = max(one.score, best.get(engine, -1.0))
    terms = query_terms(asked.text)
    worded = [one.number for one in reader.search.keywords(terms, _WORDED, view)]
    if unseen := [number for number in dict.fromkeys(worded) if number not in cosines]:
        for engine, vector in asked.vectors.items():
            for number, score in reader.search.vector_scores(engine, vector, unseen).items():
                cosines.setdefault(number, {})[engine] = score
    versions = {
        number: version
        for number, version in reader.memories.by_number([*cosines, *unseen]).items()
        if not (asked.told(version) or _only_asks(version))
    }
    shared = words_shared(terms, _readable_words(versions, cosines, worded))
    near = {
        number: nearness(
            cosines.get(number, {}), asked.roles, asked.language, version.language, shared.get(number, 0.0)
        )
        for number, version in versions.items()
    }
    chosen = sorted((number for number in near if near[number] >= 0), key=lambda number: -near[number])[:MOST]
    return {number: near[number] for number in chosen}


def _only_asks(memory: Version | Hit) -> bool:
    """What somebody once asked is not known by that: the answer is, if there was one."""
    return memory.kind == "conversation" and is_only_question(memory.text)


def _readable_words(
    versions: Mapping[int, Version], cosines: Mapping[int, Mapping[str, float]], worded: Collection[int]
) -> dict[int, tuple[str, str]]:
    """The texts whose words count: of what people and agents wrote, the nearest ones and those found by their words. A
    piece of code has many words, and says little by them."""
    best = sorted(versions, key=lambda number: -max(cosines.get(number, {}).values(), default=0.0))[:_WORDED]
    return {
        number: (versions[number].text, versions[number].language)
        for number in {*best, *worded}
        if number in versions and not KINDS[versions[number].kind].derived
    }


def _hits(space: OpenSpace, reader: Reader, numbers: Sequence[int], near: dict[int, float]) -> list[Hit]:
    versions = reader.memories.by_number(numbers)
    kept = [version for version in versions.values() if not KINDS[version.kind].derived]
    memories = looked_at(space, reader, kept)
    seen, made = seen_elsewhere(space, reader), []
    for number in numbers:
        memory = memories.get(number) or derived(versions[number], space.clock(), seen)
        made.append(hit_of(memory, near[number], {"meaning": near[number]}))
    return made


def _fitting(hits: Sequence[Hit], heading: str, opening: Opening, tokens: int) -> tuple[str, int, list[Hit]]:
    """What fits, nearest first, as a text of so many tokens; a line that is longer than half of the budget is cut."""
    room, longest = tokens - count_tokens(opening.assembled(heading)), int(_LONGEST * tokens)
    lines: list[str] = []
    used: list[Hit] = []
    for hit in hits:
        line: str | None = plain_line(hit)
        cost = count_tokens(f"{line}\n")  # one by one: all together are no more than their sum
        if cost > longest and (line := shorten(plain_line(hit), longest)):
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


def _explain(found: int, told: int, tokens: int, limit: int, notices: Sequence[str]) -> str:
    if not found:
        said = "Nothing that is known has to do with this."
    elif not told:
        said = f"None of {found} memories fits into {limit} tokens."
    else:
        left = f", {found - told} left out" if told < found else ""
        said = f"{counted(told)} in {tokens} of {limit} tokens{left}."
    return " ".join((said, *notices))
