"""What an agent is told by a hook, within what agents take."""

from dataclasses import dataclass
from typing import Any

from waypost.faces.hooks.agent.formats import MOST_CHARACTERS, HookInput, render_answer
from waypost.text.fence import without_agent_tags


@dataclass(frozen=True, slots=True)
class HookOutput:
    """Words for an agent, and the versions of memories that are in them, one line each, in their order."""

    text: str = ""
    keys: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {"text": self.text, "keys": list(self.keys)}


NOTHING = HookOutput()


def fitting(given: HookInput, telling: HookOutput) -> HookOutput:
    """The same in as many characters as an agent takes, without what could end what the agent puts around it: memories are
    left out from the end. Nothing where that is not enough."""
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
    """What another process said, if it is an answer that an agent can take."""
    text, keys = answer.get("text"), answer.get("keys")
    if not isinstance(text, str) or not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
        return None
    telling = HookOutput(text, tuple(keys))
    return telling if fitting(given, telling) == telling else None
