"""The commands `mcp` and `serve`."""

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from typer import Option

from waypost import config
from waypost.errors import InvalidInput
from waypost.faces.cli.arguments import MYSELF
from waypost.faces.cli.framework import Ctx, Json, app, session_of
from waypost.faces.cli.output.memories import print_json, safe
from waypost.faces.cli.session import caller
from waypost.system.platform import return_freed_memory

if TYPE_CHECKING:
    from waypost.config import Settings
    from waypost.faces.mcp.session import ServedProject
    from waypost.faces.serve.run import Started
    from waypost.memory import Memory

Profile = Annotated[
    str, Option(help="Add the tools of chainguard, coding-brain, locai, memory-bridge, journal, or all.")
]


@app.command()
def mcp(
    context: Ctx,
    profile: Profile = "default",
    structured: Annotated[
        bool, Option("--structured", help="Add structured data to every answer. Some agents then hide the text.")
    ] = False,
    http: Annotated[bool, Option("--http", help="Serve over HTTP instead of standard input and output.")] = False,
    host: Annotated[str, Option(help="With --http: the address to listen on.")] = "127.0.0.1",
    port: Annotated[int, Option(min=0, max=65535, help="With --http: the port; 0 picks a free one.")] = 8765,
) -> None:
    """Serve an agent over MCP on standard input and output, or over HTTP. `waypost setup` makes agents start it."""
    project = _project(context, follows_roots=not http)
    if not http:
        from waypost.faces.cli.commands.mcp_stdio import serve_agent

        serve_agent(profile, project, structured=structured)
        return
    return_freed_memory()
    from waypost.faces.mcp.compat import tools_of
    from waypost.faces.mcp.http import serve_http
    from waypost.faces.mcp.server import build_server
    from waypost.faces.serve.team import team_of
    from waypost.memory.catalog import TeamSpaces

    tools, settings = tools_of(profile, structured=structured), config.load()
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
    host: Annotated[str, Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, Option(min=0, max=65535, help="The port; 0 picks a free one.")] = 8765,
    address: Annotated[
        list[str] | None, Option(metavar="URL", help="A public URL of the server, such as that of a TLS proxy.")
    ] = None,
    open_browser: Annotated[bool, Option("--open", help="Open the dashboard in a browser.")] = False,
    log_format: Annotated[
        str | None, Option(metavar="FORM", help="text: errors only; json: a line for each request and event.")
    ] = None,
    profile: Profile = "default",
    json: Json = False,
) -> None:
    """Serve the dashboard, the REST API and MCP on one port. Prints the address and how to sign in."""
    from contextlib import ExitStack

    from waypost.faces.cli.commands.mcp_stdio import listen_for_hooks
    from waypost.faces.mcp.compat import tools_of
    from waypost.faces.serve.run import run
    from waypost.faces.serve.team import team_of
    from waypost.memory.catalog import Spaces, TeamSpaces

    return_freed_memory()
    settings, project, tools = config.load(), _project(context, follows_roots=False), tools_of(profile)
    form = _log_format(log_format or settings.serve.log_format)

    def announce(started: "Started") -> None:
        if json or form == "text":  # the sign-in code must not get into a log that others read
            _print_started(started, as_json=json)
        if open_browser:
            _open_browser(started.url)

    team = team_of(settings)
    with ExitStack() as at_exit:
        spaces: Spaces
        if team is not None:
            spaces = TeamSpaces(settings)
            project = replace(project, directory=None, person=None, settings=spaces.settings)
        else:
            memory, project = _initial_memory(context, project, settings)
            spaces = Spaces(at_exit.enter_context(memory), settings)
            if project.person is None and project.directory is not None:
                listen_for_hooks(project.directory, settings, at_exit.callback)
        run(
            spaces,
            project,
            tools,
            host=host,
            port=port,
            addresses=address or (),
            settings=replace(settings.serve, log_format=form),
            team=team,
            say=announce,
        )


def _initial_memory(context: Ctx, project: "ServedProject", settings: "Settings") -> tuple["Memory", "ServedProject"]:
    """The memory a server starts with. Outside any project no memory is created: it uses the only existing project's,
    on whatever machine its repository is, else the personal one."""
    from waypost.memory.catalog import is_outside, open_by_id, space_entries

    session = session_of(context)
    if _has_directory(context) or project.person is not None or not is_outside(settings, session.directory):
        return session.memory(), project
    projects = [entry for entry in space_entries(settings) if entry.kind == "project" and not entry.damage]
    if len(projects) == 1:
        memory = open_by_id(settings, caller(settings.person), projects[0].space_id)
        return memory, replace(project, directory=None, space=memory.identity.space_id)
    own = replace(session, person=settings.person)
    return own.memory(), replace(project, directory=None, person=settings.person)


def _log_format(given: str) -> str:
    if given not in config.LOG_FORMATS:
        raise InvalidInput(f"Unknown log format {given[:40]!r}.", f"Use {' or '.join(config.LOG_FORMATS)}.")
    return given


def _print_started(started: "Started", *, as_json: bool) -> None:
    """Print text to standard error and JSON to standard output."""
    if as_json:
        print_json(started.to_json())
        sys.stdout.flush()
    else:
        print("\n".join(safe(line) for line in started.lines()), file=sys.stderr, flush=True)


def _open_browser(url: str) -> None:
    """Open the URL without the sign-in code, which the process list would show. A known browser needs none."""
    import threading
    import webbrowser

    threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()


def _has_directory(context: Ctx) -> bool:
    """Whether -C was given."""
    source = context.find_root().get_parameter_source("directory")
    return source is not None and source.name != "DEFAULT"


def _project(context: Ctx, *, follows_roots: bool) -> "ServedProject":
    """The project to serve. A directory given with -C wins over the client's roots."""
    from waypost.faces.mcp.session import ServedProject

    session, settings = session_of(context), config.load()
    directory = session.directory.absolute() if _has_directory(context) or not follows_roots else None
    person = settings.person if session.person == MYSELF else session.person
    return ServedProject(directory, person, follows_roots)
