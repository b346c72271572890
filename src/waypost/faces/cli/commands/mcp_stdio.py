"""Starts the stdio MCP server without the command framework, because agents wait for its first reply."""

import threading
from collections.abc import Callable
from pathlib import Path

from waypost import config
from waypost.config import Settings
from waypost.faces.mcp.compat import DEFAULT, tools_of
from waypost.faces.mcp.session import ServedProject
from waypost.faces.mcp.stdio import serve_stdio
from waypost.space.alias import identify_here

AtEnd = Callable[[Callable[[], None]], object]  # registers a function to call when the process ends


def started_by_agent(arguments: list[str]) -> tuple[str, ServedProject] | None:
    """Profile and project, if the arguments are exactly what `setup` writes: `[-C DIR] mcp [--profile P]`.
    Otherwise None: the command framework parses them."""
    directory: Path | None = None
    match arguments:
        case ["-C", folder, "mcp", *rest]:
            # The agent did not expand `${workspaceFolder}`, so its directory is unknown.
            directory = None if folder.startswith("${") else Path(folder).absolute()
        case ["mcp", *rest]:
            pass
        case _:
            return None
    match rest:
        case []:
            return DEFAULT, ServedProject(directory)
        case ["--profile", profile]:
            return profile, ServedProject(directory)
    return None


def serve_agent(profile: str, project: ServedProject, *, structured: bool = False) -> None:
    """Serve one client until it disconnects."""
    settings, tools = config.load(), tools_of(profile, structured=structured)
    serve_stdio(tools, project, beside=lambda life: _answer_hooks(project, settings, life.at_end))


def _answer_hooks(project: ServedProject, settings: Settings, at_end: AtEnd) -> None:
    """Answer agent hooks while this process runs, in a thread so that the client need not wait."""
    if project.person is None:
        directory = project.directory or Path.cwd()
        threading.Thread(target=listen_for_hooks, args=(directory, settings, at_end), daemon=True).start()


def listen_for_hooks(directory: Path, settings: Settings, at_end: AtEnd) -> None:
    """Answer agent hooks in this project. `at_end` gets the function that stops it."""
    from waypost.errors import WaypostError
    from waypost.faces.hooks.agent.event import answers
    from waypost.faces.hooks.socket.place import run_folder
    from waypost.faces.hooks.socket.server import serve_hooks

    try:
        folder = run_folder(settings.home, identify_here(directory, settings).space_id)
        at_end(serve_hooks(answers(settings), folder).close)
    except (OSError, WaypostError):
        return  # without a listener, hooks work on their own
