"""Tools under the names that other memories gave them, for agents that know those. Each is a thin adapter."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from waypost.errors import InvalidInput
from waypost.faces.mcp.tool import Tool, ToolCall, ToolReply

DEFAULT, ALL = "default", "all"
_MODULES = {
    "chainguard": "chainguard",
    "coding-brain": "coding_brain",
    "locai": "locai",
    "memory-bridge": "memory_bridge",
}
PROFILES = (DEFAULT, *_MODULES, ALL)


def tools_of(profile: str) -> tuple[Tool, ...]:
    """The tools that a server of this profile offers: the default ones, then its own. Only what is asked for is
    imported."""
    if profile not in PROFILES:
        raise InvalidInput(f"There is no profile {str(profile)[:40]!r}.", f"Profiles: {', '.join(PROFILES)}.")
    chosen = tuple(_MODULES) if profile == ALL else (profile,) if profile in _MODULES else ()
    return tuple(tool for name in (DEFAULT, *chosen) for tool in own_tools(name))


def own_tools(profile: str) -> tuple[Tool, ...]:
    """The tools that a profile adds, without the default ones."""
    if profile == DEFAULT:
        from waypost.faces.mcp.default_tools import DEFAULT_TOOLS

        return tuple(DEFAULT_TOOLS)
    found: tuple[Tool, ...] = import_module(f"{__name__}.{_MODULES[profile]}").TOOLS
    return tuple(replace(tool, run=_Harmless(tool.run)) for tool in found)


@dataclass(frozen=True, slots=True)
class _Harmless:
    """The work of a tool, with data in which nothing closes a fence or acts on a model: clients hand it to one, too."""

    run: Callable[[ToolCall, Mapping[str, Any]], ToolReply]

    def __call__(self, call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
        from waypost.faces.mcp.profiles.said import harmless  # what the handshake need not wait for

        reply = self.run(call, given)
        return replace(reply, data=harmless(reply.data, reply.text))
