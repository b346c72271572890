"""Tools under the names that other memories gave them, for agents that know those. Each is a thin adapter."""

from importlib import import_module

from waypost.errors import InvalidInput
from waypost.faces.mcp.tool import Tool

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
        from waypost.faces.mcp.defaults import DEFAULT_TOOLS

        return tuple(DEFAULT_TOOLS)
    found: tuple[Tool, ...] = import_module(f"{__name__}.{_MODULES[profile]}").TOOLS
    return found
