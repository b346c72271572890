"""The MCP server at standard input and output, for one client."""

import threading
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from waypost.faces.mcp.early_handshake import serve_at_door
from waypost.faces.mcp.session import ServedProject
from waypost.faces.mcp.shutdown import Life
from waypost.faces.mcp.tool import Tool

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server


def serve_stdio(
    tools: Sequence[Tool], project: ServedProject, *, beside: Callable[[Life], None] = lambda _: None
) -> None:
    """Serve until the client goes; the process ends then. `beside` is started once the client was greeted, for what runs
    as long as the server does."""
    life = Life()

    def build() -> "Server[Any]":
        from waypost.faces.mcp.server import build_server  # the SDK: the client has its first answers before

        server = build_server(tools, project)
        # What the first call needs, while the client thinks of one.
        threading.Thread(target=import_module, args=("waypost.memory",), daemon=True).start()
        beside(life)
        return server

    serve_at_door(tools, build, life)
