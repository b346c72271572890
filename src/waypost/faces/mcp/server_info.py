"""What the server says of itself, as plain data: whoever answers a handshake says the same, with or without the SDK."""

from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Any

from waypost import __version__
from waypost.faces.mcp.tool import Tool

NAME = "waypost"
TITLE = "Waypost"
VERSION = __version__
# Revisions of the protocol that open with `initialize`, oldest first; the SDK has the same list (a test compares).
HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
# Later ones carry the client's name and abilities with every request and ask `server/discover` instead.
ENVELOPE_VERSIONS = ("2026-07-28",)
CAPABILITIES: Mapping[str, Any] = {
    "prompts": {"listChanged": False},
    "resources": {"subscribe": False, "listChanged": False},
    "tools": {"listChanged": False},
}


def instructions() -> str:
    """What an agent is told once, about all tools together."""
    return (files("waypost.faces.mcp") / "data" / "instructions.md").read_text("utf-8").strip()


def server_info() -> dict[str, Any]:
    return {"name": NAME, "title": TITLE, "version": VERSION}


def negotiated(requested: object) -> str:
    """The revision that a connection speaks: the one asked for where we know it, else the newest of its kind."""
    return requested if isinstance(requested, str) and requested in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]


def initialize_result(params: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to `initialize`."""
    return {
        "protocolVersion": negotiated(params.get("protocolVersion")),
        "capabilities": {name: dict(one) for name, one in CAPABILITIES.items()},
        "serverInfo": server_info(),
        "instructions": instructions(),
    }


def listing(tools: Iterable[Tool]) -> list[dict[str, Any]]:
    """The tools as `tools/list` answers them."""
    return [_listed(tool) for tool in tools]


def _listed(tool: Tool) -> dict[str, Any]:
    listed: dict[str, Any] = {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "annotations": annotations(tool),
    }
    if tool.returns is not None:
        listed["outputSchema"] = dict(tool.returns)
    return listed


def annotations(tool: Tool) -> dict[str, bool]:
    """The protocol's hints: whether it only reads, or else destroys; where it can be repeated without harm, that too."""
    if tool.reads_only:
        return {"readOnlyHint": True}
    hints = {"destructiveHint": tool.destroys}
    return {**hints, "idempotentHint": True} if tool.idempotent else hints
