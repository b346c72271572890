"""What an agent is told without asking: at the start of a session, and with each prompt."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from waypost import flows
from waypost.context.render import Entry, Opening, render
from waypost.faces.hooks.agent_telling import NOTHING, Telling
from waypost.faces.hooks.agent_told import told_key
from waypost.flows.hits import hit_of
from waypost.flows.open_space import OpenSpace
from waypost.flows.references import kept_view, linked, looked_at
from waypost.memory import Memory
from waypost.model.recall import Hit, View
from waypost.store.protocol import Filter, Reader

START_TOKENS = 1500
PROMPT_TOKENS = 2000  # LA-3
_MOST_STANDING = 60  # of each sort, the latest: what is always true, preferences
_MOST_DECISIONS = 8
_MOST_STALE = 5
_LOOKED_FOR_STALE = 200  # memories that point at code, the latest
_SHARES = {"always": 0.35, "preferences": 0.25}
_HOW = "Waypost remembers this project across sessions: ask it (`recall`, or `waypost ask`) before you guess."


class HookMemory(Memory):
    """A memory as hooks use it."""

    def greeting(self, told: Collection[str] = ()) -> Telling:
        """What an agent should know of the project before anything is asked: DNA.md, what is always true, preferences, what
        was decided lately, what has gone stale, and the state of the memory. What was told already is left out; then DNA.md
        was told too."""
        space, view = self._current, self._view("all", None, None)
        opening, notices = flows.dna.opening_of(space, START_TOKENS) if not told else (Opening(), ())
        with space.store.read() as reader:
            entries = _standing(space, reader, view)
            state = _state(space, reader, view)
        entries = [one for one in entries if _key(one.hit) not in told]
        rendered = render(entries, START_TOKENS, _SHARES, opening)
        if not rendered.text and (told or not state.memories):
            return NOTHING
        said = "\n".join((_HOW, *state.lines, *notices)) if not told else ""
        text = "\n\n".join(part for part in (said, rendered.text) if part)
        return Telling(text, tuple(_key(hit) for hit in rendered.used))

    def relevant(self, prompt: str, told: Collection[str] = ()) -> Telling:
        """What is known that has to do with a prompt and was not told before; nothing where nothing has."""
        space, view = self._current, self._view("all", None, None)

        def is_told(memory_id: str, recorded_at: datetime) -> bool:
            return told_key(memory_id, recorded_at) in told

        briefing = flows.inject.inject_brief(space, prompt, view, tokens=PROMPT_TOKENS, told=is_told)
        if not briefing.memories:
            return NOTHING
        _, _, notices = briefing.explanation.partition(". ")  # after how many there are
        text = "\n\n".join(part for part in (briefing.text, notices) if part)
        return Telling(text, tuple(_key(hit) for hit in briefing.memories))


@dataclass(frozen=True, slots=True)
class _State:
    memories: int
    lines: tuple[str, ...]


def _key(hit: Hit) -> str:
    return told_key(hit.id, hit.recorded_at)


def _standing(space: OpenSpace, reader: Reader, view: View) -> list[Entry]:
    """What is worth knowing whatever the task is, most important first, each once."""
    sorts: list[tuple[str, Sequence[Hit]]] = [
        ("always", _latest(space, reader, view, Filter(level=0), _MOST_STANDING)),
        ("preferences", _latest(space, reader, view, Filter(kinds=("preference",)), _MOST_STANDING)),
        ("facts", _latest(space, reader, view, Filter(kinds=("decision",)), _MOST_DECISIONS)),
        ("facts", _stale(space, reader)),
    ]
    entries: dict[str, Entry] = {}
    for section, hits in sorts:
        for hit in hits:
            entries.setdefault(hit.id, Entry(section, hit))
    return list(entries.values())


def _latest(space: OpenSpace, reader: Reader, view: View, chosen: Filter, limit: int) -> list[Hit]:
    """The newest first, looked at in the tree."""
    versions = reader.latest(view, chosen, limit)
    memories = looked_at(space, reader, versions)
    return [hit_of(memories[version.number], 1.0, {}) for version in reversed(versions)]


def _stale(space: OpenSpace, reader: Reader) -> list[Hit]:
    """Some that were stale when they were looked at last, the newest first. Looking at all would take too long."""
    if space.identity.kind != "project":
        return []
    rows = reader.references(kept_view(space))
    numbers = sorted({row.number for row in rows}, reverse=True)[:_LOOKED_FOR_STALE]
    memories = linked(space, reader, list(reader.versions_by_number(numbers).values())) if numbers else {}
    old = [memories[number] for number in numbers if number in memories and memories[number].state.is_stale]
    return [hit_of(one, 1.0, {}) for one in old[:_MOST_STALE]]


def _state(space: OpenSpace, reader: Reader, view: View) -> _State:
    """What cannot be relied on now, in words."""
    checkout = space.identity.checkout_id
    counted = sum(reader.counts(replace(view, journal=None)).values())
    lines = []
    if space.identity.kind == "project" and not reader.has_code(checkout):
        lines.append(
            "Its code is not indexed yet (`waypost init`): what is told here comes from people and agents only."
        )
    waiting = len(reader.tracked(checkout))
    if waiting:
        lines.append(f"{waiting} changed files wait to be indexed: places in them may be off.")
    engines = [engine.name for engine in space.engines.active(reader)]
    owed = sum(reader.owed().get(name, 0) for name in engines)
    if owed:
        lines.append(f"{owed} texts wait to be embedded: until then they are found by their words only.")
    candidates = reader.count_candidates()
    if candidates:
        lines.append(f"{candidates} learned facts wait for a person's review (`waypost review`).")
    return _State(counted, tuple(lines))
