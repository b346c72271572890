"""The command that puts Waypost into an agent's configuration."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from waypost.errors import InvalidInput
from waypost.faces.cli.framework import Ctx, Json, app, session_of
from waypost.faces.cli.output.memories import print_json

if TYPE_CHECKING:
    from pathlib import Path

    from waypost.faces.setup.detect import Detected
    from waypost.faces.setup.places import Scope
    from waypost.faces.setup.report import ConfigChange, SetupReport

_DEEDS = {
    "created": ("created", "would be created"),
    "changed": ("changed", "would be changed"),
    "unchanged": ("is as it should be", "is as it should be"),
    "restored": ("is as it was before, to the byte", "would be as it was before, to the byte"),
    "cleaned": ("Waypost's part taken out; the rest is as it was", "Waypost's part would be taken out"),
    "deleted": ("deleted: set-up had made it", "would be deleted: set-up made it"),
    "missing": ("nothing of Waypost in it", "nothing of Waypost in it"),
    "kept": ("left", "would be left"),
}
_PARTS = {"server": "MCP server", "hooks": "hooks", "rules": "rules"}


@app.command("setup")
def setup_(
    context: Ctx,
    agent: Annotated[
        str | None,
        typer.Argument(
            metavar="[AGENT]",
            help="claude-code, cursor, codex, gemini, vscode, windsurf or zed; else show what is here.",
        ),
    ] = None,
    user: Annotated[
        bool, typer.Option("--user", help="For all your projects. This is what happens unless told.")
    ] = False,
    project: Annotated[bool, typer.Option("--project", help="For this project only, in files of its tree.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would change.")] = False,
    uninstall: Annotated[bool, typer.Option("--uninstall", help="Take it out again; files are as they were.")] = False,
    no_hooks: Annotated[bool, typer.Option("--no-hooks", help="Without the hooks that brief the agent.")] = False,
    no_rules: Annotated[bool, typer.Option("--no-rules", help="Without the rules that tell it when to ask.")] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite an entry named `waypost` that is not Waypost's.")
    ] = False,
    json: Json = False,
) -> None:
    """Make an agent use Waypost: the MCP server, hooks that brief it, and a few lines of rules in its configuration.

    Everything else in its files stays as it is, to the byte; `--uninstall` undoes it. Doing it again changes nothing.
    """
    from waypost import config
    from waypost.faces.setup import agents, install, system
    from waypost.faces.setup import uninstall as undo

    if user and project:
        raise InvalidInput("--user and --project exclude each other.", "Give one of them.")
    if agent is None and (uninstall or dry_run or user or project or force):
        raise InvalidInput("Which agent?", f"Name one of {', '.join(agents.agents())}.")
    here, root = system.this_system(config.load()), _project(context)
    if agent is None:
        from waypost.faces.setup.detect import detect

        _tell_detected(detect(here, root), json=json)
        return
    scope: Scope = "project" if project else "user"
    chosen = agents.agent_of(agent)
    if uninstall:
        report = undo.uninstall(chosen, here, scope, root, dry_run=dry_run)
    else:
        report = install.install(
            chosen, here, scope, root, hooks=not no_hooks, rules=not no_rules, force=force, dry_run=dry_run
        )
    _tell(report, undone=uninstall, json=json)
    if uninstall and all(one.deed == "missing" for one in report.done):
        raise typer.Exit(3)


def _project(context: Ctx) -> "Path":
    from waypost.space.identity import identify

    directory = session_of(context).directory
    return identify(directory).root or directory


def _tell(report: "SetupReport", *, undone: bool, json: bool) -> None:
    from waypost.faces.cli.output.memories import print_notices, safe

    if json:
        print_json(report.to_json())
        return
    print(safe(_headline(report, undone=undone)))
    for one in report.done:
        _tell_file(one, dry_run=report.dry_run)
    if report.changed and not undone and not report.dry_run:
        print(safe(f"Next: `waypost init` in your project, if you have not yet. {report.next}"))
        again = f"waypost setup {report.agent}{' --project' if report.scope == 'project' else ''} --uninstall"
        print(f"To undo it: {again}")
    print_notices(report.notes)


def _headline(report: "SetupReport", *, undone: bool) -> str:
    where = f"for {report.project}" if report.scope == "project" else "for all your projects"
    if undone and not report.changed:
        return f"{report.title} was not set up {where}."
    if not report.changed:
        return f"{report.title} is set up already {where}: nothing was changed."
    if report.dry_run:
        return f"{report.title} would be {'rid of Waypost' if undone else 'set up'} {where}. Nothing was changed."
    return f"{report.title} {'is rid of Waypost' if undone else 'is set up'} {where}."


def _tell_file(one: "ConfigChange", *, dry_run: bool) -> None:
    from waypost.faces.cli.output.memories import safe

    parts = ", ".join(_PARTS.get(part, part) for part in one.parts)
    note = f"; {one.note}" if one.note else ""
    print(safe(f"  {one.path} ({parts}): {_DEEDS[one.deed][dry_run]}{note}"))
    if one.backup and not one.note:
        print(safe(f"    as it was before: {one.backup}"))
    for line in one.diff.splitlines():
        print(safe(f"    {line}"))


def _tell_detected(found: "tuple[Detected, ...]", *, json: bool) -> None:
    from waypost.faces.cli.output.memories import safe

    if json:
        print_json({"agents": [one.to_json() for one in found]})
        return
    words = {"yes": "set up", "partly": "partly set up", "no": "not set up", "unreadable": "its files cannot be read"}
    for one in found:
        state = f"{words[one.user]} for you; {words[one.project]} in this project" if one.sign else "not found here"
        if not one.sign and (one.user != "no" or one.project != "no"):
            state = f"not found here, but {words[one.user]} for you; {words[one.project]} in this project"
        sign = f" ({one.sign})" if one.sign else ""
        print(safe(f"{one.agent.name:<12} {state}{sign}"))
    waiting = [one.agent.name for one in found if one.sign and one.user == "no" and one.project == "no"]
    if waiting:
        print(f"Next: waypost setup {waiting[0]} (with --dry-run it only shows what would change)")
    elif not any(one.sign for one in found):
        print("No agent was found. `waypost setup AGENT` writes its configuration all the same.", file=sys.stderr)
