"""The server's description of itself as plain data, the same with and without the SDK."""

from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Any

from waypost import __version__
from waypost.faces.mcp.tool import Tool

NAME = "waypost"
TITLE = "Waypost"
VERSION = __version__
# Protocol revisions that open with `initialize`, oldest first. A test compares them with the SDK's.
HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
# Later revisions send the client's name and capabilities with each request, and ask `server/discover`.
ENVELOPE_VERSIONS = ("2026-07-28",)
CAPABILITIES: Mapping[str, Any] = {
    "prompts": {"listChanged": False},
    "resources": {"subscribe": False, "listChanged": False},
    "tools": {"listChanged": False},
}


def instructions() -> str:
    return (files("waypost.faces.mcp") / "data" / "instructions.md").read_text("utf-8").strip()


def server_info() -> dict[str, Any]:
    return {"name": NAME, "title": TITLE, "version": VERSION}


def negotiated(requested: object) -> str:
    """The requested protocol revision if it is known, else the newest one that opens with `initialize`."""
    return requested if isinstance(requested, str) and requested in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]


def initialize_result(params: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "protocolVersion": negotiated(params.get("protocolVersion")),
        "capabilities": {name: dict(capability) for name, capability in CAPABILITIES.items()},
        "serverInfo": server_info(),
        "instructions": instructions(),
    }


def listing(tools: Iterable[Tool]) -> list[dict[str, Any]]:
    return [_row(tool) for tool in tools]


def _row(tool: Tool) -> dict[str, Any]:
    row: dict[str, Any] = {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": tool.input_schema,
        "annotations": annotations(tool),
        "_meta": {"anthropic/alwaysLoad": True},  # Claude Code would list names only, to be looked up before each use
    }
    if tool.structured and tool.returns is not None:
        row["outputSchema"] = dict(tool.returns)
    return row


def annotations(tool: Tool) -> dict[str, bool]:
    """The protocol's hints, all of them: a client assumes the worst of what is missing. Tools reach nothing but the memory
    and the project's files, so the world is closed."""
    return {
        "readOnlyHint": tool.reads_only,
        "destructiveHint": tool.destroys,
        "idempotentHint": tool.reads_only or tool.idempotent,
        "openWorldHint": False,
    }
