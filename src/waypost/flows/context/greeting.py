"""What an agent should know of a project before anything is asked: what people stated, and little else."""

from collections.abc import Callable
from itertools import islice

from waypost.context.open_work import is_open_work
from waypost.context.render import BriefingEntry, Opening, plain_line, render
from waypost.facts.rejection import LEARNED
from waypost.flows.context.decisions import reasons_of
from waypost.flows.context.dna import opening_of
from waypost.flows.context.standing import EXTRACTOR, latest_hits, standing_rules
from waypost.flows.links.hits import hit_of
from waypost.flows.links.staleness import kept_view, linked
from waypost.flows.open_space import OpenSpace, conclusions_key
from waypost.model.recall import Hit, View
from waypost.store.protocol import Filter, Reader

TOKENS = 1500
_MOST_STANDING = 60  # of each sort, the latest: rules, preferences
_MOST_DECISIONS = 8
_MOST_FACTS = 12  # that people stated
_MOST_OPEN = 5
_MOST_STALE = 5
_LOOKED_AT = 200  # memories, the latest
_LOOKED_FOR_STALE = 200  # memories that point at code, the latest
_SHARES = {"rules": 0.3, "preferences": 0.25}
_RULES = ("constraint",)
_FACTS = ("fact", "learning", "fix")
_WORK = ("note", "workflow_result", *_FACTS)
# The first facts that an agent needs whatever the task is, by topic, the most useful first.
_PROJECT = ("project:test", "project:build", "project:lint", "project:targets", "project:purpose")
_MOST_OF_PROJECT = 2
_HOW = "Waypost remembers this project across sessions: ask it (`recall`, or `waypost ask`) before you guess."


def greeting(
    space: OpenSpace, view: View, is_known: Callable[[Hit], bool], *, resumed: bool
) -> tuple[str, tuple[Hit, ...]]:
    """DNA.md, rules, preferences, decisions with reasons, stale memories, open work, and the state of the memory.

    Returns the text and the memories in it. A resumed session gets only what is not known yet.
    """
    opening, notices = (Opening(), ()) if resumed else opening_of(space, TOKENS)
    with space.store.read() as reader:
        entries = [entry for entry in _standing(space, reader, view) if not is_known(entry.hit)]
        has_memories = bool(sum(reader.memories.counts(view).values()))
        state = _state(space, reader)
    rendered = render(entries, TOKENS, _SHARES, opening)
    if not rendered.text and (resumed or not has_memories):
        return "", ()
    status = "" if resumed else "\n".join((_HOW, *state, *notices))
    return "\n\n".join(part for part in (rendered.text, status) if part), rendered.used


def _standing(space: OpenSpace, reader: Reader, view: View) -> list[BriefingEntry]:
    """What is worth knowing whatever the task is, most important first, each once."""
    rules = latest_hits(space, reader, view, Filter(kinds=_RULES), _MOST_STANDING)
    decisions = _people_first(latest_hits(space, reader, view, Filter(kinds=("decision",)), _LOOKED_AT))
    reasons = reasons_of(reader, [hit.id for hit in decisions[:_MOST_DECISIONS]], view)
    latest = latest_hits(space, reader, view, Filter(kinds=_WORK), _LOOKED_AT)
    stated = (hit for hit in latest if hit.source == "person" and hit.kind in _FACTS and not is_open_work(hit.text))
    entries = [
        *standing_rules(space, reader, view, {}, _MOST_STANDING),
        *(BriefingEntry("rules", hit) for hit in rules if hit.source == "person"),
        *(
            BriefingEntry("facts", hit, line=plain_line(hit, reasons.get(hit.id, ())))
            for hit in decisions[:_MOST_DECISIONS]
        ),
        *(BriefingEntry("stale", hit) for hit in _stale(space, reader)),
        *(BriefingEntry("work", hit) for hit in islice(filter(_is_open, latest), _MOST_OPEN)),
        *(BriefingEntry("facts", hit) for hit in islice(stated, _MOST_FACTS)),
        *(BriefingEntry("project", hit) for hit in _of_project(space, reader, view)),
    ]
    once: dict[str, BriefingEntry] = {}
    for entry in entries:
        once.setdefault(entry.hit.id, entry)
    return list(once.values())


def _people_first(hits: list[Hit]) -> list[Hit]:
    return sorted(hits, key=lambda hit: hit.source != "person")


def _is_open(hit: Hit) -> bool:
    return hit.source != EXTRACTOR and is_open_work(hit.text)


def _of_project(space: OpenSpace, reader: Reader, view: View) -> list[Hit]:
    """How to test and build the project, as far as its files say it. Stale ones say nothing."""
    topics = {
        hit.key: hit for hit in latest_hits(space, reader, view, Filter(level=0), _LOOKED_AT) if hit.source == EXTRACTOR
    }
    hits = [topics[key] for topic in _PROJECT if (key := f"{LEARNED}{topic}") in topics]
    return [hit for hit in hits if not hit.is_stale][:_MOST_OF_PROJECT]


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
    """What cannot be relied on now, in words."""
    checkout = space.identity.checkout_id
    lines = []
    if space.identity.kind == "project" and not reader.code.has_any(checkout):
        lines.append("Its code is not indexed yet (`waypost init`): it only has what people and agents wrote.")
    elif reader.meta.get(conclusions_key(space)):
        lines.append(
            "Its code is being indexed, or that was interrupted (`waypost init`): answers may miss some of it."
        )
    waiting = len(reader.code.tracked(checkout))
    if waiting:
        lines.append(f"Changed files that wait to be indexed: {waiting} (what it says about them may be old).")
    engines = [engine.name for engine in space.engines.active(reader)]
    owed = sum(reader.vectors.pending().get(name, 0) for name in engines)
    if owed:
        lines.append(f"Texts that wait to be embedded: {owed} (until then they are found by their words only).")
    candidates = reader.facts.count_candidates()
    if candidates:
        lines.append(f"Learned facts that wait for a person's review: {candidates} (`waypost review`).")
    return lines
