"""The briefing that an agent gets at the start of a task, within a budget of tokens."""

from collections.abc import Callable, Sequence
from datetime import date, datetime

from waypost.context.briefing import Briefing, check_budget, counted
from waypost.context.render import BriefingEntry, render
from waypost.flows.context.dna import opening_of
from waypost.flows.links.hits import hit_of
from waypost.flows.links.staleness import looked_at
from waypost.flows.open_space import OpenSpace
from waypost.flows.recall.search import recall
from waypost.model.kinds import SCOPES
from waypost.model.recall import Hit, View
from waypost.retrieve.neighbours import REACH, value, worth_around
from waypost.retrieve.score import shown_score
from waypost.store.protocol import Filter

__all__ = ["Briefing", "brief", "check_budget", "counted"]

_MOST_MEMORIES = 300
_LEAST_MEMORIES = 40
_LINE_TOKENS = (
    32  # of a usual memory; more hits than would fit at that length find nothing more (benchmarks/evidence.py)
)
_WITH_NEIGHBOURS = 60  # hits whose neighbours are considered; neighbours of worse ones never fit
_MOST_STANDING = 200  # of each sort, the latest
_SHARES = {"always": 0.15, "preferences": 0.15}


def brief(space: OpenSpace, task: str, view: View, *, tokens: int, now: datetime | None = None) -> Briefing:
    """DNA.md, facts about the whole project (level 0), preferences, and what is known about the task, ranked together."""
    check_budget(tokens)
    opening, notices = opening_of(space, tokens)
    answer = recall(space, task, view, k=_most(tokens), now=now, shared=True)
    standing = [BriefingEntry("always", hit) for hit in _listed(space, view, Filter(level=0))]
    standing += [BriefingEntry("preferences", hit) for hit in _listed(space, view, Filter(kinds=("preference",)))]
    standing_ids = {entry.hit.id for entry in standing}
    ranked = [entry for entry in _ranked(space, view, answer.hits) if entry.hit.id not in standing_ids]
    rendered = render([*standing, *ranked], tokens, _SHARES, opening)
    ranked_ids = {entry.hit.id for entry in ranked}  # what every briefing has says nothing about the task
    confidence = max((hit.score for hit in rendered.used if hit.id in ranked_ids), default=0.0)
    return Briefing(
        rendered.text,
        rendered.tokens,
        rendered.used,
        confidence,
        _explain(rendered.used, rendered.left_out, rendered.tokens, tokens, (*notices, *answer.notices)),
    )


def _most(tokens: int) -> int:
    return min(_MOST_MEMORIES, max(_LEAST_MEMORIES, tokens // _LINE_TOKENS))


def _ranked(space: OpenSpace, view: View, hits: Sequence[Hit]) -> list[BriefingEntry]:
    """Hits and the turns around them, by their value for their length."""
    spoken = [hit.id for hit in hits if hit.session is not None][:_WITH_NEIGHBOURS]
    by_id = {hit.id: hit for hit in hits}
    with space.store.read() as reader:
        turns = reader.memories.neighbours(spoken, REACH, view) if spoken else []
        totals = worth_around({hit.id: hit.score for hit in hits}, turns)
        beside = [turn.number for turn in turns if turn.memory_id in totals and turn.memory_id not in by_id]
        memories = looked_at(space, reader, list(reader.memories.by_number(beside).values()))
    for memory in memories.values():
        total = totals[memory.version.memory_id]
        by_id[memory.version.memory_id] = hit_of(memory, shown_score(total), {"beside": total})
    places = {turn.memory_id: turn.position for turn in turns}
    local = space.journal.today
    entries = [_entry(hit, places.get(hit.id, 0), local) for hit in by_id.values()]
    entries.sort(key=lambda entry: -value(totals[entry.hit.id], entry.tokens))
    return entries


def _entry(hit: Hit, place: int, day_of: Callable[[datetime], date]) -> BriefingEntry:
    section = _section(hit)
    day = day_of(hit.time or hit.valid_from).isoformat() if section == "journal" else ""
    return BriefingEntry(section, hit, day, place)


def _listed(space: OpenSpace, view: View, chosen: Filter) -> list[Hit]:
    with space.store.read() as reader:
        versions = reader.memories.latest(view, chosen, _MOST_STANDING)
        memories = looked_at(space, reader, versions)
    return [hit_of(memories[version.number], 1.0, {}) for version in reversed(versions)]


def _section(hit: Hit) -> str:
    if hit.collection in SCOPES["facts"]:
        return "facts"
    return "journal" if hit.collection == "journal" else "code"


def _explain(used: tuple[Hit, ...], left_out: int, tokens: int, limit: int, notices: tuple[str, ...]) -> str:
    if not used:
        parts = ["Nothing was found." if not left_out else f"None of {left_out} memories fits into {limit} tokens."]
    else:
        parts = [
            f"{counted(len(used))} in {tokens} of {limit} tokens" + (f", {left_out} left out." if left_out else ".")
        ]
    return " ".join((*parts, *notices))
