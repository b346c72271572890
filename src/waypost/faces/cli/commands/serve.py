"""The commands that serve: an agent by MCP, or programs, people and agents on one port."""

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from waypost import config
from waypost.errors import InvalidInput
from waypost.faces.cli.arguments import MYSELF
from waypost.faces.cli.framework import Ctx, Json, app, session_of
from waypost.faces.cli.output.memories import print_json, safe
from waypost.faces.cli.session import caller
from waypost.space.platform import return_freed_memory

if TYPE_CHECKING:
    from waypost.config import Settings
    from waypost.faces.mcp.session import ServedProject
    from waypost.faces.serve.run import Started
    from waypost.memory import Memory

Profile = Annotated[str, typer.Option(help="Also the tools of chainguard, coding-brain, locai, memory-bridge, or all.")]


@app.command()
def mcp(
    context: Ctx,
    profile: Profile = "default",
    http: Annotated[bool, typer.Option("--http", help="Listen for HTTP instead of serving one client.")] = False,
    host: Annotated[str, typer.Option(help="With --http: where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="With --http: 0 takes any that is free.")] = 8765,
) -> None:
    """Serve an agent by MCP: over standard input and output, until it goes; or over HTTP. Agents start this themselves,
    see `waypost setup`."""
    project = _project(context, follows_roots=not http)
    if not http:
        from waypost.faces.cli.commands.mcp_stdio import serve_agent

        serve_agent(profile, project)
        return
    return_freed_memory()
    from waypost.faces.mcp.http import serve_http
    from waypost.faces.mcp.profiles import tools_of
    from waypost.faces.mcp.server import build_server
    from waypost.faces.serve.team import team_of
    from waypost.memory.catalog import TeamSpaces

    tools, settings = tools_of(profile), config.load()
    team = team_of(settings)
    if team is not None:
        project = replace(project, directory=None, person=None, settings=TeamSpaces(settings).settings)
    serve_http(
        lambda: build_server(tools, project),
        tools,
        home=settings.home,
        host=host,
        port=port,
        team=None if team is None else team.tokens,
    )


@app.command()
def serve(
    context: Ctx,
    host: Annotated[str, typer.Option(help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes any that is free.")] = 8765,
    address: Annotated[
        list[str] | None, typer.Option(metavar="URL", help="It is reached here too, such as through a proxy with TLS.")
    ] = None,
    open_browser: Annotated[bool, typer.Option("--open", help="Show the dashboard in a browser.")] = False,
    log_format: Annotated[
        str | None,
        typer.Option(metavar="FORM", help="text: only what goes wrong; json: a line for each request and event."),
    ] = None,
    profile: Profile = "default",
    json: Json = False,
) -> None:
    """Serve the dashboard, the REST API and MCP on one port until it is stopped. Says where, and how to sign in."""
    from contextlib import ExitStack

    from waypost.faces.cli.commands.mcp_stdio import listen_for_hooks
    from waypost.faces.mcp.profiles import tools_of
    from waypost.faces.serve.run import run
    from waypost.faces.serve.team import team_of
    from waypost.memory.catalog import Spaces, TeamSpaces

    return_freed_memory()
    settings, project, tools = config.load(), _project(context, follows_roots=False), tools_of(profile)
    form = _log_format(log_format or settings.serve.log_format)

    def say(started: "Started") -> None:
        if json or form == "text":  # a log is read by others: the code that signs in does not belong there
            _tell(started, as_json=json)
        if open_browser:
            _show(started.url)

    team = team_of(settings)
    with ExitStack() as ended:
        spaces: Spaces
        if team is not None:
            spaces = TeamSpaces(settings)
            project = replace(project, directory=None, person=None, settings=spaces.settings)
        else:
            memory, project = _begun(context, project, settings)
            spaces = Spaces(ended.enter_context(memory), settings)
            if project.person is None and project.directory is not None:
                listen_for_hooks(project.directory, settings, ended.callback)
        run(
            spaces,
            project,
            tools,
            host=host,
            port=port,
            addresses=address or (),
            settings=replace(settings.serve, log_format=form),
            team=team,
            say=say,
        )


def _begun(context: Ctx, project: "ServedProject", settings: "Settings") -> tuple["Memory", "ServedProject"]:
    """The memory that a server begins with. Outside of any project, where nobody named one, no memory is made: it is the
    only project's that is known, on whatever machine its tree is, else the person's own."""
    from waypost.memory.catalog import is_outside, open_by_id, space_entries

    session = session_of(context)
    if _is_told(context) or project.person is not None or not is_outside(settings, session.directory):
        return session.memory(), project
    known = [one for one in space_entries(settings) if one.kind == "project" and not one.damage]
    if len(known) == 1:
        memory = open_by_id(settings, caller(settings.person), known[0].space_id)
        return memory, replace(project, directory=None, space=memory.identity.space_id)
    own = replace(session, person=settings.person)
    return own.memory(), replace(project, directory=None, person=settings.person)


def _log_format(given: str) -> str:
    if given not in config.LOG_FORMATS:
        raise InvalidInput(f"{given[:40]!r} is no form of a log.", f"Use {' or '.join(config.LOG_FORMATS)}.")
    return given


def _tell(started: "Started", *, as_json: bool) -> None:
    """To the error stream, which is for people; the other is for whoever asked for JSON."""
    if as_json:
        print_json(started.to_json())
        sys.stdout.flush()
    else:
        print("\n".join(safe(line) for line in started.lines()), file=sys.stderr, flush=True)


def _show(url: str) -> None:
    """Without the code, which others could read in the list of processes: a browser that is known needs none."""
    import threading
    import webbrowser

    threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()


def _is_told(context: Ctx) -> bool:
    """Whether somebody named a directory."""
    source = context.find_root().get_parameter_source("directory")
    return source is not None and source.name != "DEFAULT"


def _project(context: Ctx, *, follows_roots: bool) -> "ServedProject":
    """Where somebody named a directory, it is that one, whatever the client says."""
    from waypost.faces.mcp.session import ServedProject

    session, settings = session_of(context), config.load()
    directory = session.directory.absolute() if _is_told(context) or not follows_roots else None
    person = settings.person if session.person == MYSELF else session.person
    return ServedProject(directory, person, follows_roots)
