"""The output of a hook, within the limits of agents."""

from dataclasses import dataclass
from typing import Any

from waypost.faces.hooks.agent.formats import MOST_CHARACTERS, HookInput, render_answer
from waypost.text.fence import without_agent_tags


@dataclass(frozen=True, slots=True)
class HookOutput:
    """Text for an agent, and the keys of the memories in it, one line each, in order."""

    text: str = ""
    keys: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {"text": self.text, "keys": list(self.keys)}


NOTHING = HookOutput()


def fitting(given: HookInput, telling: HookOutput) -> HookOutput:
    """The output, shortened to what an agent takes and made harmless to the format around it.

    Memories are left out from the end. Returns NOTHING if that is not enough.
    """
    text = without_agent_tags(telling.text)
    lines, keys = text.split("\n"), list(telling.keys)
    while len(render_answer(given.event, given.agent, "\n".join(lines))) > MOST_CHARACTERS:
        last = next((place for place in range(len(lines) - 1, -1, -1) if lines[place].startswith("- ")), None)
        if last is None or not keys:
            return NOTHING
        del lines[last]
        keys.pop()
    return HookOutput("\n".join(lines), tuple(keys))


def read_telling(answer: dict[str, Any], given: HookInput) -> HookOutput | None:
    """The answer of another process, or None if an agent can't take it."""
    text, keys = answer.get("text"), answer.get("keys")
    if not isinstance(text, str) or not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
        return None
    telling = HookOutput(text, tuple(keys))
    return telling if fitting(given, telling) == telling else None
