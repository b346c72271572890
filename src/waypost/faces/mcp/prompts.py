"""Prompts that a person starts from their agent: start a task, finish it, ask why. Their words are in data/prompts.toml."""

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


def listed() -> list[dict[str, Any]]:
    """The prompts as `prompts/list` answers them."""
    return [
        {
            "name": name,
            "title": one["title"],
            "description": one["description"],
            "arguments": [
                {"name": one["argument"], "description": one["argument_description"], "required": True},
            ],
        }
        for name, one in _table().items()
    ]


def _briefing(call: ToolCall, words: str) -> str:
    return brief(call, {"task": words}).text


def _known(call: ToolCall, words: str) -> str:
    return recall(call, {"question": words, "k": 5, "scope": "facts"}).text


def _reasons(call: ToolCall, words: str) -> str:
    return why(call, {"question": words, "depth": 5}).text


_FOUND: Mapping[str, Callable[[ToolCall, str], str]] = {"start": _briefing, "finish": _known, "why": _reasons}


def filled_in(call: ToolCall, name: str, arguments: Mapping[str, str]) -> tuple[str, str]:
    """A prompt's description, and its text with what the memory knows."""
    one = _table().get(name)
    if one is None:
        raise InvalidInput(f"There is no prompt {name[:40]!r}.", f"There are: {', '.join(_table())}.")
    words = str(arguments.get(one["argument"]) or "").strip()
    if not words:
        raise InvalidInput(f"The prompt {name} needs {one['argument']}.", f"{one['argument_description']}.")
    if len(words) > _LONGEST:
        raise InvalidInput(f"{one['argument']} has {len(words):,} characters; at most {_LONGEST:,} fit.", "Shorten it.")
    # Not `format`: what was found may hold braces.
    head, _, rest = one["text"].strip().partition("{found}")
    head = head.replace("{" + one["argument"] + "}", words)
    return one["description"], f"{head}{_FOUND[name](call, words)}{rest}"
