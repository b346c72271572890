"""What an agent gets without asking: at the start of a session, and with each prompt."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from waypost import flows
from waypost.faces.hooks.agent.already_shown import is_anything_told, lost_at, stale_key, told_key
from waypost.faces.hooks.agent.formats import NOTHING, HookOutput
from waypost.flows.open_space import OpenSpace
from waypost.memory.handle import MemoryHandle
from waypost.model.memory import Version
from waypost.model.recall import Hit

if TYPE_CHECKING:
    from waypost.flows.context.tool_notes import ToolNotes

PROMPT_TOKENS = 2000
FIX_TOKENS = 400
FIXES = "errors_fixes"


class HookMemory:
    """A memory as hooks use it. It needs less than `Memory`, and starts faster. `by_keywords`: no engine is asked."""

    def __init__(self, handle: MemoryHandle, *, by_keywords: bool = False) -> None:
        self._handle = handle
        self._by_keywords = by_keywords

    def greeting(self, shown_keys: Collection[str] = ()) -> HookOutput:
        """What an agent should know about the project at the start of a session."""
        from waypost.flows.context.greeting import greeting  # a prompt has no time for it

        space, view = self._handle.current, self._handle.view("all", None, None)
        text, hits = greeting(space, view, lambda hit: _key(hit) in shown_keys, resumed=is_anything_told(shown_keys))
        return HookOutput(text, tuple(_key(hit) for hit in hits), len(hits))

    def about(
        self, files: Sequence[str], command: str = "", shown_keys: Collection[str] = (), session: str = ""
    ) -> HookOutput:
        """Memories about files that the agent reads or changes and commands that it runs, once in a session."""
        from waypost.flows.context.tool_notes import tool_notes  # a prompt has no time for it

        view = self._handle.view("all", None, None)
        return _told_once(tool_notes(self._handle.space, view, files, command, _is_known(shown_keys, session)))

    def made_stale(self, files: Sequence[str], shown_keys: Collection[str] = ()) -> HookOutput:
        """Memories that no longer match their code after the agent changed these files, each once."""
        from waypost.flows.context.tool_notes import stale_notes  # a prompt has no time for it

        return _told_once(stale_notes(self._handle.space, files, lambda hit: _stale(hit) in shown_keys))

    def known_fixes(self, problem: str, shown_keys: Collection[str] = ()) -> HookOutput:
        """Fixes of an error like this one."""
        briefing = flows.context.inject.prompt_brief(
            self._asked_space(),
            problem,
            lambda reader: replace(self._handle.view_in(reader, "facts", None, None), collections=(FIXES,)),
            lambda memory: _key_of(memory) in shown_keys,
            tokens=FIX_TOKENS,
        )
        if not briefing.memories:
            return NOTHING
        return HookOutput(briefing.text, tuple(_key(hit) for hit in briefing.memories), len(briefing.memories))

    def relevant(self, prompt: str, shown_keys: Collection[str] = (), session: str = "") -> HookOutput:
        """Memories that match a prompt and were not shown before.

        Turns of this session are left out too, unless the agent has lost its context since.
        """
        briefing = flows.context.inject.prompt_brief(
            self._asked_space(),
            prompt,
            lambda reader: self._handle.view_in(reader, "all", None, None),
            _is_known(shown_keys, session),
            tokens=PROMPT_TOKENS,
        )
        if not briefing.memories:
            return NOTHING
        _, _, notices = briefing.explanation.partition(". ")  # behind how many there are
        text = "\n\n".join(part for part in (briefing.text, notices) if part)
        return HookOutput(text, tuple(_key(hit) for hit in briefing.memories), len(briefing.memories))

    def _asked_space(self) -> OpenSpace:
        space = self._handle.space
        if not self._by_keywords:
            return space
        return replace(space, engines=space.engines.without_engines("The embedding model takes too long to load."))


def _is_known(shown_keys: Collection[str], session: str) -> Callable[[Version | Hit], bool]:
    """Whether the agent was shown a memory, or heard it in this session and has not lost its context since."""
    lost = lost_at(shown_keys)

    def is_known(memory: Version | Hit) -> bool:
        if session and memory.session == session:
            return lost is None or (memory.time or memory.recorded_at) >= lost
        return _key_of(memory) in shown_keys

    return is_known


def _told_once(notes: "ToolNotes") -> HookOutput:
    keys = [_key(hit) for hit in notes.hits]
    stale = [_stale(hit) for hit in notes.hits if hit.is_stale]
    return HookOutput(notes.text, (*stale, *keys), len(keys))


def _key(hit: Hit) -> str:
    return told_key(hit.id, hit.recorded_at)


def _stale(hit: Hit) -> str:
    return stale_key(hit.id, hit.recorded_at)


def _key_of(memory: Version | Hit) -> str:
    return told_key(memory.memory_id if isinstance(memory, Version) else memory.id, memory.recorded_at)
