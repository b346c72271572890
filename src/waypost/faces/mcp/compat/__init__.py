"""Tools under the names of other memory products, for agents that know those. Each is a thin adapter."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from waypost.errors import InvalidInput
from waypost.faces.mcp.tool import Tool, ToolCall, ToolReply

DEFAULT, ALL = "default", "all"
_MODULES = {
    "chainguard": ("chainguard_memory", "chainguard_code", "chainguard_transfer", "chainguard_task"),
    "coding-brain": ("coding_brain",),
    "locai": ("locai",),
    "memory-bridge": ("memory_bridge",),
    "journal": ("..journal_tool",),  # our own, for assistants that keep conversations
}
PROFILES = (DEFAULT, *_MODULES, ALL)


def tools_of(profile: str, *, structured: bool = False) -> tuple[Tool, ...]:
    """The default tools, then those of the profile. `structured`: with data in their answers. Imports only what is needed."""
    if profile not in PROFILES:
        raise InvalidInput(f"Unknown profile {str(profile)[:40]!r}.", f"Profiles: {', '.join(PROFILES)}.")
    chosen = tuple(_MODULES) if profile == ALL else (profile,) if profile in _MODULES else ()
    tools = tuple(tool for name in (DEFAULT, *chosen) for tool in own_tools(name))
    return tuple(replace(tool, structured=True) for tool in tools) if structured else tools


def own_tools(profile: str) -> tuple[Tool, ...]:
    """The tools that a profile adds to the default ones."""
    if profile == DEFAULT:
        from waypost.faces.mcp.default_tools import DEFAULT_TOOLS

        return tuple(DEFAULT_TOOLS)
    names = (name if name.startswith(".") else f".{name}" for name in _MODULES[profile])
    modules = (import_module(name, __name__) for name in names)
    return tuple(replace(tool, run=_Harmless(tool.run)) for module in modules for tool in module.TOOLS)


@dataclass(frozen=True, slots=True)
class _Harmless:
    """Runs a tool and defuses its data, so that nothing in it closes a fence or acts on a model."""

    run: Callable[[ToolCall, Mapping[str, Any]], ToolReply]

    def __call__(self, call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
        from waypost.faces.mcp.compat.wording import harmless  # not needed for the handshake

        reply = self.run(call, given)
        return replace(reply, data=harmless(reply.data, reply.text))
