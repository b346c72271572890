"""What a process does that runs anyway and has a memory open: it answers the hooks of that project too."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from waypost import config
from waypost.config import Settings
from waypost.errors import WaypostError
from waypost.faces.hooks.agent_answer import answers
from waypost.faces.hooks.agent_log import note
from waypost.faces.hooks.socket_place import run_folder
from waypost.faces.hooks.socket_server import serve_hooks
from waypost.space.identity import identify


@contextmanager
def serving_agents(directory: Path, settings: Settings | None = None) -> Iterator[bool]:
    """While this holds, hooks of agents in this project are answered by this process; the block learns whether they are.

    Costs a thread that sleeps. Where no private socket can be had, hooks answer themselves: no reason to fail.
    """
    settings = settings or config.load()
    try:
        server = serve_hooks(answers(settings), run_folder(settings.home, identify(directory).space_id))
    except (WaypostError, OSError) as error:
        note(settings.home, "No socket for hooks:", error)
        yield False
        return
    with server:
        yield True
