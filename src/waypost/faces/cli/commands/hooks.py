"""Commands on hooks: by them other programs tell that something has happened."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from waypost.errors import InvalidInput
from waypost.faces.cli.framework import Ctx, Json, app, session_of
from waypost.faces.cli.output.memories import print_json

if TYPE_CHECKING:
    from waypost.faces.hooks.git.install import HookReport, HookState
    from waypost.faces.hooks.git.script import Installer

hook_app = typer.Typer(help="Hooks of git, which tell Waypost that the tree has changed.", no_args_is_help=True)
app.add_typer(hook_app, name="hook")

Program = Annotated[str, typer.Argument(metavar="git", help="Whose hooks.")]

_WORDS = {
    "installed": "installed",
    "updated": "brought up to date",
    "unchanged": "is installed already",
    "removed": "removed",
    "restored": "removed; the hook that was there before is back",
    "left": "left alone",
    "missing": "was not installed",
}


@hook_app.command("install")
def install_(
    context: Ctx,
    program: Program,
    force: Annotated[
        bool, typer.Option("--force", help="Also into a folder that is part of the tree or used by other repositories.")
    ] = False,
    json: Json = False,
) -> None:
    """After commits, merges, rebases and checkouts, look in the background which memories have gone stale.

    Hooks that are there are kept and still run.
    """
    from waypost.faces.hooks.git.install import install

    _check(program)
    _tell(install(session_of(context).directory, _installer(), force=force), json=json)


@hook_app.command("uninstall")
def uninstall_(context: Ctx, program: Program, json: Json = False) -> None:
    """Take the hooks away; those that were there before are as they were."""
    from waypost.faces.hooks.git.install import uninstall

    _check(program)
    report = uninstall(session_of(context).directory)
    _tell(report, json=json)
    if any(one.deed == "left" for one in report.done):
        raise typer.Exit(1)


@hook_app.command("status")
def status_(context: Ctx, json: Json = False) -> None:
    """Which hooks stand where git looks for them. Ends with 3 when Waypost's are not installed."""
    from waypost.faces.hooks.git.install import status

    standing = status(session_of(context).directory, _installer())
    if json:
        print_json(_standing_json(standing))
    else:
        _print_standing(standing)
    if not standing.installed:
        raise typer.Exit(3)


@hook_app.command("run", hidden=True)
def run_(
    context: Ctx,
    program: Program,  # noqa: ARG001  the hooks say whose they are; there is one kind
    event: str,  # noqa: ARG001  all events mean the same: look at the tree
    pending: Annotated[Path | None, typer.Option("--pending")] = None,
) -> None:
    """What a hook starts in the background. Silent, and a success whatever happens: git has long gone on."""
    from waypost import config
    from waypost.errors import WaypostError
    from waypost.faces.hooks.git.run import leave_session, run_event

    leave_session()
    session = session_of(context)

    def catch_up() -> None:
        session.memory().code.git_changed()

    try:
        run_event(session.directory, config.load(), catch_up, pending=pending)
    except (WaypostError, OSError):
        return  # what was not looked at now is looked at when a memory is read


def _check(program: str) -> None:
    if program != "git":
        raise InvalidInput(
            f"There are no hooks for {program[:40]!r}.", "Hooks are for git: `waypost hook install git`."
        )


def _installer() -> "Installer":
    from waypost import config
    from waypost.faces.hooks.git.script import Installer

    settings = config.load()
    home = str(settings.home) if settings.home_from_variable else ""
    return Installer(os.path.abspath(sys.executable) if sys.executable else "", home)


def _tell(report: "HookReport", *, json: bool) -> None:
    from waypost.faces.cli.output.memories import print_notices, safe

    if json:
        print_json(_report_json(report))
        return
    print(safe(f"Git looks for hooks in {report.folder.path}."))
    for one in report.done:
        where = "" if one.hook.parent == report.folder.path else f" in {one.hook.parent}"
        kept = f"; runs {one.kept.name} first" if one.kept and one.deed != "left" else ""
        reason = f": {one.reason}" if one.reason else ""
        print(safe(f"{one.hook.name}{where}: {_WORDS[one.deed]}{reason}{kept}"))
        if one.deed == "left" and one.kept:
            print(safe(f"  The hook that was there before is still in {one.kept}."))
    print_notices(report.notes)


def _report_json(report: "HookReport") -> dict[str, Any]:
    hooks = [
        {
            "name": one.hook.name,
            "path": str(one.hook),
            "action": one.deed,
            "kept": str(one.kept) if one.kept else None,
            "reason": one.reason,
        }
        for one in report.done
    ]
    return {
        "folder": str(report.folder.path),
        "place": report.folder.place,
        "hooks": hooks,
        "notes": list(report.notes),
    }


def _print_standing(standing: "HookState") -> None:
    from waypost.faces.cli.output.memories import print_notices, safe

    print(safe(f"Git looks for hooks in {standing.folder.path}."))
    for hook in standing.hooks:
        kept = f"; {hook.kept.name} is beside it" if hook.kept else ""
        print(safe(f"{hook.name}: {hook.state}{kept}"))
    print_notices(standing.notes)


def _standing_json(standing: "HookState") -> dict[str, Any]:
    hooks = [
        {
            "name": hook.name,
            "path": str(hook.path),
            "state": hook.state,
            "kept": str(hook.kept) if hook.kept else None,
        }
        for hook in standing.hooks
    ]
    return {
        "installed": standing.installed,
        "folder": str(standing.folder.path),
        "place": standing.folder.place,
        "hooks": hooks,
        "notes": list(standing.notes),
    }
