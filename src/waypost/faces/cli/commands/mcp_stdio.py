"""The stdio server, as agents start it: they wait for its first word, so the way there needs no command framework."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from waypost import config
from waypost.faces.mcp.profiles import DEFAULT, tools_of
from waypost.faces.mcp.session import ServedProject
from waypost.faces.mcp.stdio import serve_stdio

if TYPE_CHECKING:
    from waypost.config import Settings

AtEnd = Callable[[Callable[[], None]], object]  # told what must be done when the process ends


def started_by_agent(arguments: list[str]) -> tuple[str, ServedProject] | None:
    """The profile and the project, if the command line is exactly what `setup` writes: `[-C DIR] mcp [--profile P]`.
    Everything else is for the command framework to understand."""
    directory: Path | None = None
    match arguments:
        case ["-C", folder, "mcp", *rest]:
            # An agent that does not fill in `${workspaceFolder}` has not said where it works.
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


def serve_agent(profile: str, project: ServedProject) -> None:
    """Serve one client until it goes; the process ends then."""
    settings = config.load()
    serve_stdio(tools_of(profile), project, beside=lambda life: _answer_hooks(project, settings, life.at_end))


def _answer_hooks(project: ServedProject, settings: "Settings", at_end: AtEnd) -> None:
    """Answer the hooks of agents as long as this process runs; in a thread, for the client need not wait for it."""
    if project.person is None:
        directory = project.directory or Path.cwd()
        threading.Thread(target=listen_for_hooks, args=(directory, settings, at_end), daemon=True).start()


def listen_for_hooks(directory: Path, settings: "Settings", at_end: AtEnd) -> None:
    """Answer the hooks of agents in this project; `at_end` is told how to stop."""
    from waypost.errors import WaypostError
    from waypost.faces.hooks.agent.answer import answers
    from waypost.faces.hooks.socket.place import run_folder
    from waypost.faces.hooks.socket.server import serve_hooks
    from waypost.space.alias import identify_here

    try:
        folder = run_folder(settings.home, identify_here(directory, settings).space_id)
        at_end(serve_hooks(answers(settings), folder).close)
    except (OSError, WaypostError):
        return  # hooks answer themselves where nobody listens
