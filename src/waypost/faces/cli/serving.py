"""The command that puts Waypost into an agent's hands."""

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from waypost import config
from waypost.faces.cli.arguments import MYSELF
from waypost.faces.cli.framework import Ctx, app, session_of

if TYPE_CHECKING:
    from waypost.config import Settings
    from waypost.faces.mcp.life import Life
    from waypost.faces.mcp.session import Project


@app.command()
def mcp(
    context: Ctx,
    profile: Annotated[
        str, typer.Option(help="Also the tools of chainguard, coding-brain, locai, memory-bridge, or all.")
    ] = "default",
    http: Annotated[bool, typer.Option("--http", help="Listen for HTTP instead of serving one client.")] = False,
    host: Annotated[str, typer.Option(help="With --http: where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="With --http: 0 takes any that is free.")] = 8765,
) -> None:
    """Serve an agent by MCP: over standard input and output, until it goes; or over HTTP. Agents start this themselves,
    see `waypost setup`."""
    from waypost.faces.mcp.profiles import tools_of

    tools, settings, project = tools_of(profile), config.load(), _project(context, follows_roots=not http)
    if http:
        from waypost.faces.mcp.http import serve_http
        from waypost.faces.mcp.server import build_server

        serve_http(lambda: build_server(tools, project), tools, home=settings.home, host=host, port=port)
        return
    from waypost.faces.mcp.stdio import serve_stdio

    serve_stdio(tools, project, beside=lambda life: _answer_hooks(project, settings, life))


def _project(context: Ctx, *, follows_roots: bool) -> "Project":
    """Where somebody named a directory, it is that one, whatever the client says."""
    from waypost.faces.mcp.session import Project

    session, settings = session_of(context), config.load()
    source = context.find_root().get_parameter_source("directory")
    is_told = source is not None and source.name != "DEFAULT"
    directory = session.directory.absolute() if is_told or not follows_roots else None
    person = settings.person if session.person == MYSELF else session.person
    return Project(directory, person, follows_roots)


def _answer_hooks(project: "Project", settings: "Settings", life: "Life") -> None:
    """Answer the hooks of agents as long as this process runs; in a thread, for the client need not wait for it."""
    if project.person is None:
        directory = project.directory or Path.cwd()
        threading.Thread(target=_listen_for_hooks, args=(directory, settings, life), daemon=True).start()


def _listen_for_hooks(directory: Path, settings: "Settings", life: "Life") -> None:
    from waypost.errors import WaypostError
    from waypost.faces.hooks.agent_answer import answers
    from waypost.faces.hooks.socket_place import run_folder
    from waypost.faces.hooks.socket_server import serve_hooks
    from waypost.space.identity import identify

    try:
        folder = run_folder(settings.home, identify(directory).space_id)
        life.at_end(serve_hooks(answers(settings), folder).close)
    except (OSError, WaypostError):
        return  # hooks answer themselves where nobody listens
