"""The MCP server on standard input and output, for one client."""

import threading
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from waypost.faces.mcp.early_handshake import serve_stdin
from waypost.faces.mcp.session import ServedProject
from waypost.faces.mcp.shutdown import Shutdown
from waypost.faces.mcp.tool import Tool

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server


def serve_stdio(
    tools: Sequence[Tool], project: ServedProject, *, beside: Callable[[Shutdown], None] = lambda _: None
) -> None:
    """Serve until the client disconnects, then end the process. `beside` is called after the handshake, to start what
    runs along with the server."""
    shutdown = Shutdown()

    def build() -> "Server[Any]":
        from waypost.faces.mcp.server import build_server  # imports the SDK after the first answers

        server = build_server(tools, project)
        # Preload what the first call needs.
        threading.Thread(target=import_module, args=("waypost.memory",), daemon=True).start()
        beside(shutdown)
        return server

    serve_stdin(tools, build, shutdown)
