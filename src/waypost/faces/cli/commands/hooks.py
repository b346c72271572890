"""Commands for git hooks."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from waypost import config
from waypost.errors import InvalidInput
from waypost.faces.cli.framework import Ctx, Json, app, command_group, session_of
from waypost.faces.cli.output.memories import print_json, print_notices, safe

if TYPE_CHECKING:
    from waypost.faces.hooks.git.install import HookReport, HookState
    from waypost.faces.hooks.git.script import Installer

hook_app = command_group("Git hooks that start stale checks after each change.")
app.add_typer(hook_app, name="hook")

Program = Annotated[str, Argument(metavar="git", help="Always `git`.")]

_ACTION_TEXT = {
    "installed": "installed",
    "updated": "updated",
    "unchanged": "already installed",
    "removed": "removed",
    "restored": "removed; the earlier hook is restored",
    "left": "not changed",
    "missing": "was not installed",
}


@hook_app.command("install")
def install_(
    context: Ctx,
    program: Program,
    force: Annotated[
        bool, Option("--force", help="Also install into a folder that is versioned or shared by repositories.")
    ] = False,
    json: Json = False,
) -> None:
    """Check for stale memories in the background after commits, merges, rebases and checkouts.

    Existing hooks are kept and still run.
    """
    from waypost.faces.hooks.git.install import install

    _check(program)
    _print_report(install(session_of(context).directory, _installer(), force=force), json=json)


@hook_app.command("uninstall")
def uninstall_(context: Ctx, program: Program, json: Json = False) -> None:
    """Remove Waypost's git hooks and restore earlier ones."""
    from waypost.faces.hooks.git.install import uninstall

    _check(program)
    report = uninstall(session_of(context).directory)
    _print_report(report, json=json)
    if any(hook.deed == "left" for hook in report.done):
        raise typer.Exit(1)


@hook_app.command("status")
def status_(context: Ctx, json: Json = False) -> None:
    """Show the hooks that git runs. Exits with 3 if Waypost's are not installed."""
    from waypost.faces.hooks.git.install import status

    state = status(session_of(context).directory, _installer())
    print_json(_state_json(state)) if json else _print_state(state)
    if not state.installed:
        raise typer.Exit(3)


@hook_app.command("run", hidden=True)
def run_(
    context: Ctx,
    program: Program,  # noqa: ARG001  hooks pass it; git is the only program
    event: str,  # noqa: ARG001  every event means: check the repository
    pending: Annotated[Path | None, Option("--pending")] = None,
) -> None:
    """Called by a hook in the background. Prints nothing and always succeeds."""
    from waypost.errors import WaypostError
    from waypost.faces.hooks.git.run import leave_session, run_event

    leave_session()
    session = session_of(context)

    def catch_up() -> None:
        session.memory().code.git_changed()

    try:
        run_event(session.directory, config.load(), catch_up, pending=pending)
    except (WaypostError, OSError):
        return  # the check happens when a memory is read


def _check(program: str) -> None:
    if program != "git":
        raise InvalidInput(f"No hooks for {program[:40]!r}.", "Only git has hooks: `waypost hook install git`.")


def _installer() -> "Installer":
    from waypost.faces.hooks.git.script import Installer

    settings = config.load()
    home = str(settings.home) if settings.home_from_variable else ""
    return Installer(os.path.abspath(sys.executable) if sys.executable else "", home)


def _print_report(report: "HookReport", *, json: bool) -> None:
    if json:
        print_json(_report_json(report))
        return
    print(safe(f"Hooks folder of git: {report.folder.path}"))
    for change in report.done:
        where = "" if change.hook.parent == report.folder.path else f" in {change.hook.parent}"
        kept = f"; runs {change.kept.name} first" if change.kept and change.deed != "left" else ""
        reason = f": {change.reason}" if change.reason else ""
        print(safe(f"{change.hook.name}{where}: {_ACTION_TEXT[change.deed]}{reason}{kept}"))
        if change.deed == "left" and change.kept:
            print(safe(f"  The earlier hook is still in {change.kept}."))
    print_notices(report.notes)


def _report_json(report: "HookReport") -> dict[str, Any]:
    hooks = [
        {
            "name": change.hook.name,
            "path": str(change.hook),
            "action": change.deed,
            "kept": str(change.kept) if change.kept else None,
            "reason": change.reason,
        }
        for change in report.done
    ]
    return {
        "folder": str(report.folder.path),
        "place": report.folder.place,
        "hooks": hooks,
        "notes": list(report.notes),
    }


def _print_state(state: "HookState") -> None:
    print(safe(f"Hooks folder of git: {state.folder.path}"))
    for hook in state.hooks:
        kept = f"; {hook.kept.name} is next to it" if hook.kept else ""
        print(safe(f"{hook.name}: {hook.state}{kept}"))
    print_notices(state.notes)


def _state_json(state: "HookState") -> dict[str, Any]:
    hooks = [
        {"name": hook.name, "path": str(hook.path), "state": hook.state, "kept": str(hook.kept) if hook.kept else None}
        for hook in state.hooks
    ]
    return {
        "installed": state.installed,
        "folder": str(state.folder.path),
        "place": state.folder.place,
        "hooks": hooks,
        "notes": list(state.notes),
    }
