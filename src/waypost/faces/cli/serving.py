"""The command that puts Waypost into an agent's hands."""

from typing import TYPE_CHECKING, Annotated

import typer

from waypost import config
from waypost.faces.cli.arguments import MYSELF
from waypost.faces.cli.framework import Ctx, app, session_of

if TYPE_CHECKING:
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
    project = _project(context, follows_roots=not http)
    if not http:
        from waypost.faces.cli.serving_stdio import serve_agent

        serve_agent(profile, project)
        return
    from waypost.faces.mcp.http import serve_http
    from waypost.faces.mcp.profiles import tools_of
    from waypost.faces.mcp.server import build_server

    tools = tools_of(profile)
    serve_http(lambda: build_server(tools, project), tools, home=config.load().home, host=host, port=port)


def _project(context: Ctx, *, follows_roots: bool) -> "Project":
    """Where somebody named a directory, it is that one, whatever the client says."""
    from waypost.faces.mcp.session import Project

    session, settings = session_of(context), config.load()
    source = context.find_root().get_parameter_source("directory")
    is_told = source is not None and source.name != "DEFAULT"
    directory = session.directory.absolute() if is_told or not follows_roots else None
    person = settings.person if session.person == MYSELF else session.person
    return Project(directory, person, follows_roots)
