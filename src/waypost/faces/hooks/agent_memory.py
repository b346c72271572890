"""What an agent is told without asking: at the start of a session, and with each prompt."""

from collections.abc import Collection
from datetime import datetime

from waypost import flows
from waypost.faces.hooks.agent_telling import NOTHING, Telling
from waypost.faces.hooks.agent_told import told_key
from waypost.memory.reading import Reading

PROMPT_TOKENS = 2000  # LA-3


class HookMemory(Reading):
    """A memory as hooks use it."""

    def greeting(self, told: Collection[str] = ()) -> Telling:
        """What an agent should know of the project before anything is asked."""
        from waypost.faces.hooks.agent_greeting import greeting  # a prompt has no time for it

        space, view = self._current, self._view("all", None, None)
        return greeting(space, view, told)

    def relevant(self, prompt: str, told: Collection[str] = ()) -> Telling:
        """What is known that has to do with a prompt and was not told before; nothing where nothing has."""
        space, view = self._current, self._view("all", None, None)

        def is_told(memory_id: str, recorded_at: datetime) -> bool:
            return told_key(memory_id, recorded_at) in told

        briefing = flows.inject.inject_brief(space, prompt, view, tokens=PROMPT_TOKENS, told=is_told)
        if not briefing.memories:
            return NOTHING
        _, _, notices = briefing.explanation.partition(". ")  # behind how many there are
        text = "\n\n".join(part for part in (briefing.text, notices) if part)
        return Telling(text, tuple(told_key(hit.id, hit.recorded_at) for hit in briefing.memories))
