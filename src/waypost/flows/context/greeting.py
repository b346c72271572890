"""What an agent should know of a project before anything is asked: rules, decisions, pitfalls, and what needs attention.

Everything here costs tokens in every session. What helps with some tasks only comes with the prompt that needs it.
"""

from collections.abc import Callable
from itertools import islice

from waypost.context.open_work import is_open_work
from waypost.context.render import BriefingEntry, Opening, plain_line, render
from waypost.flows.context.decisions import reasons_of
from waypost.flows.context.dna import opening_of
from waypost.flows.context.standing import EXTRACTOR, latest_hits, standing_rules
from waypost.flows.links.hits import hit_of
from waypost.flows.links.staleness import kept_view, linked
from waypost.flows.open_space import OpenSpace, conclusions_key
from waypost.model.recall import Hit, View
from waypost.store.protocol import Filter, Reader

TOKENS = 1000
_MOST_STANDING = 60  # of each sort, the latest: rules, preferences
_MOST_DECISIONS = 8
_MOST_PITFALLS = 5  # that people stated
_MOST_OPEN = 5
_MOST_STALE = 5
_LOOKED_AT = 200  # memories, the latest
_LOOKED_FOR_STALE = 200  # memories that point at code, the latest
_SHARES = {"rules": 0.3, "preferences": 0.25}
_RULES = ("constraint",)
_PITFALL = "learning"
_WORK = ("note", "workflow_result", "fact", _PITFALL, "fix")


def greeting(
    space: OpenSpace, view: View, is_known: Callable[[Hit], bool], *, resumed: bool
) -> tuple[str, tuple[Hit, ...]]:
    """DNA.md, rules, preferences, decisions with reasons, pitfalls, stale memories, open work, and what the memory lacks.

    Returns the text and the memories in it: nothing if there is nothing. A resumed session gets only what is new.
    """
    opening, notices = (Opening(), ()) if resumed else opening_of(space, TOKENS)
    with space.store.read() as reader:
        entries = [entry for entry in _standing(space, reader, view) if not is_known(entry.hit)]
        state = [] if resumed else _state(space, reader)
    rendered = render(entries, TOKENS, _SHARES, opening)
    status = "\n".join((*state, *notices))
    return "\n\n".join(part for part in (rendered.text, status) if part), rendered.used


def _standing(space: OpenSpace, reader: Reader, view: View) -> list[BriefingEntry]:
    """What is worth knowing whatever the task is, most important first, each once."""
    rules = latest_hits(space, reader, view, Filter(kinds=_RULES), _MOST_STANDING)
    decisions = _people_first(latest_hits(space, reader, view, Filter(kinds=("decision",)), _LOOKED_AT))
    reasons = reasons_of(reader, [hit.id for hit in decisions[:_MOST_DECISIONS]], view)
    latest = latest_hits(space, reader, view, Filter(kinds=_WORK), _LOOKED_AT)
    pitfalls = (hit for hit in latest if hit.source == "person" and hit.kind == _PITFALL and not is_open_work(hit.text))
    entries = [
        *standing_rules(space, reader, view, {}, _MOST_STANDING),
        *(BriefingEntry("rules", hit) for hit in rules if hit.source == "person"),
        *(
            BriefingEntry("facts", hit, line=plain_line(hit, reasons.get(hit.id, ())))
            for hit in decisions[:_MOST_DECISIONS]
        ),
        *(BriefingEntry("stale", hit) for hit in _stale(space, reader)),
        *(BriefingEntry("work", hit) for hit in islice(filter(_is_open, latest), _MOST_OPEN)),
        *(BriefingEntry("facts", hit) for hit in islice(pitfalls, _MOST_PITFALLS)),
    ]
    once: dict[str, BriefingEntry] = {}
    for entry in entries:
        once.setdefault(entry.hit.id, entry)
    return list(once.values())


def _people_first(hits: list[Hit]) -> list[Hit]:
    return sorted(hits, key=lambda hit: hit.source != "person")


def _is_open(hit: Hit) -> bool:
    return hit.source != EXTRACTOR and is_open_work(hit.text)


def _stale(space: OpenSpace, reader: Reader) -> list[Hit]:
    """Some that were stale when they were looked at last, the newest first. Looking at all would take too long."""
    if space.identity.kind != "project":
        return []
    rows = reader.references.visible(kept_view(space))
    numbers = sorted({row.number for row in rows}, reverse=True)[:_LOOKED_FOR_STALE]
    memories = linked(space, reader, list(reader.memories.by_number(numbers).values())) if numbers else {}
    old = [memories[number] for number in numbers if number in memories and memories[number].state.is_stale]
    stated = [memory for memory in old if memory.version.source != EXTRACTOR]
    return _people_first([hit_of(memory, 1.0, {}) for memory in stated])[:_MOST_STALE]


def _state(space: OpenSpace, reader: Reader) -> list[str]:
    """What an agent can't rely on, and what a person should do."""
    lines = []
    if space.identity.kind == "project" and not reader.code.has_any(space.identity.checkout_id):
        lines.append("Waypost has not indexed this code yet: ask the user to run `waypost init`.")
    elif reader.meta.get(conclusions_key(space)):
        lines.append("Waypost's index of this code is not complete: ask the user to run `waypost init`.")
    candidates = reader.facts.count_candidates()
    if candidates:
        lines.append(f"Facts that need the user's review: {candidates} (`waypost review`).")
    return lines
