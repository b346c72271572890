"""What an agent should know of a project before anything is asked."""

from collections.abc import Callable, Sequence

from waypost.context.render import BriefingEntry, Opening, render
from waypost.flows.context.dna import opening_of
from waypost.flows.links.hits import hit_of
from waypost.flows.links.staleness import kept_view, linked, looked_at
from waypost.flows.open_space import OpenSpace, conclusions_key
from waypost.model.recall import Hit, View
from waypost.store.protocol import Filter, Reader

TOKENS = 1500
_MOST_STANDING = 60  # of each sort, the latest: what is always true, preferences
_MOST_DECISIONS = 8
_MOST_STALE = 5
_LOOKED_FOR_STALE = 200  # memories that point at code, the latest
_SHARES = {"always": 0.35, "preferences": 0.25}
_HOW = "Waypost remembers this project across sessions: ask it (`recall`, or `waypost ask`) before you guess."


def greeting(
    space: OpenSpace, view: View, is_known: Callable[[Hit], bool], *, resumed: bool
) -> tuple[str, tuple[Hit, ...]]:
    """DNA.md, what is always true, preferences, what was decided lately, what has gone stale, and the state of the memory.

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
    sorts: list[tuple[str, Sequence[Hit]]] = [
        ("always", _latest(space, reader, view, Filter(level=0), _MOST_STANDING)),
        ("preferences", _latest(space, reader, view, Filter(kinds=("preference",)), _MOST_STANDING)),
        ("facts", _latest(space, reader, view, Filter(kinds=("decision",)), _MOST_DECISIONS)),
        ("facts", _stale(space, reader)),
    ]
    entries: dict[str, BriefingEntry] = {}
    for section, hits in sorts:
        for hit in hits:
            entries.setdefault(hit.id, BriefingEntry(section, hit))
    return list(entries.values())


def _latest(space: OpenSpace, reader: Reader, view: View, chosen: Filter, limit: int) -> list[Hit]:
    """The newest first, looked at in the tree."""
    versions = reader.memories.latest(view, chosen, limit)
    memories = looked_at(space, reader, versions)
    return [hit_of(memories[version.number], 1.0, {}) for version in reversed(versions)]


def _stale(space: OpenSpace, reader: Reader) -> list[Hit]:
    """Some that were stale when they were looked at last, the newest first. Looking at all would take too long."""
    if space.identity.kind != "project":
        return []
    rows = reader.references.visible(kept_view(space))
    numbers = sorted({row.number for row in rows}, reverse=True)[:_LOOKED_FOR_STALE]
    memories = linked(space, reader, list(reader.memories.by_number(numbers).values())) if numbers else {}
    old = [memories[number] for number in numbers if number in memories and memories[number].state.is_stale]
    return [hit_of(memory, 1.0, {}) for memory in old[:_MOST_STALE]]


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
