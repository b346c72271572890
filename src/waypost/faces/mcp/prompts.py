"""Prompts a person starts from their agent: start a task, finish it, ask why. Texts are in data/prompts.toml."""

import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from waypost.errors import InvalidInput
from waypost.faces.mcp.read_tools import brief, recall, why
from waypost.faces.mcp.tool import ToolCall

_LONGEST = 4000  # characters of an argument


@cache
def _table() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads((files("waypost.faces.mcp") / "data" / "prompts.toml").read_text("utf-8"))


def listing() -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "title": prompt["title"],
            "description": prompt["description"],
            "arguments": [
                {"name": prompt["argument"], "description": prompt["argument_description"], "required": True}
            ],
        }
        for name, prompt in _table().items()
    ]


_FOUND: Mapping[str, Callable[[ToolCall, str], str]] = {
    "start": lambda call, topic: brief(call, {"task": topic}).text,
    "finish": lambda call, topic: recall(call, {"question": topic, "k": 5, "scope": "facts"}).text,
    "why": lambda call, topic: why(call, {"question": topic, "depth": 5}).text,
}


def fill_in(call: ToolCall, name: str, arguments: Mapping[str, str]) -> tuple[str, str]:
    """A prompt's description, and its text with what the memory holds."""
    prompt = _table().get(name)
    if prompt is None:
        raise InvalidInput(f"Unknown prompt {name[:40]!r}.", f"Use {', '.join(_table())}.")
    topic = str(arguments.get(prompt["argument"]) or "").strip()
    if not topic:
        raise InvalidInput(f"The prompt {name} needs {prompt['argument']}.", f"{prompt['argument_description']}.")
    if len(topic) > _LONGEST:
        raise InvalidInput(
            f"{prompt['argument']} has {len(topic):,} characters; the limit is {_LONGEST:,}.", "Shorten it."
        )
    # Not `format`: the inserted text may contain braces.
    head, _, rest = prompt["text"].strip().partition("{found}")
    head = head.replace("{" + prompt["argument"] + "}", topic)
    return prompt["description"], f"{head}{_FOUND[name](call, topic)}{rest}"
