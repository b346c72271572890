"""Commands for daily maintenance by the system's scheduler."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from waypost import config
from waypost.faces.cli.arguments import MYSELF
from waypost.faces.cli.framework import Ctx, Json, app, command_group, session_of
from waypost.faces.cli.output.memories import print_json, print_notices, safe
from waypost.space.alias import identify_here
from waypost.space.identity import identify_person

if TYPE_CHECKING:
    from waypost.config import Settings
    from waypost.faces.schedule.job import ScheduleReport, ScheduleState
    from waypost.space.identity import Identity

schedule_app = command_group("Run maintenance daily with this system's scheduler.")
app.add_typer(schedule_app, name="schedule")

All = Annotated[bool, Option("--all", help="For all memories that exist when it runs, not only this one.")]
DryRun = Annotated[bool, Option("--dry-run", help="Only show what would be done.")]

_ACTION_TEXT = {
    "installed": "installed",
    "updated": "updated",
    "unchanged": "already installed",
    "removed": "removed",
    "missing": "was not installed",
    "left": "not changed",
}


@schedule_app.command("install")
def install_(
    context: Ctx,
    at: Annotated[str, Option("--at", metavar="HH:MM", help="Local time of day.")] = "04:00",
    using: Annotated[
        str | None, Option("--using", metavar="NAME", help="systemd, cron, launchd or task (default: detected).")
    ] = None,
    every: All = False,
    dry_run: DryRun = False,
    json: Json = False,
) -> None:
    """Run `waypost maintain` for this memory every day. Repeat it to update the schedule."""
    from waypost.faces.schedule.install import install
    from waypost.faces.schedule.job import At, job_of
    from waypost.faces.schedule.system import this_system

    settings = config.load()
    job = job_of(_identity(context, settings, every), sys.executable, settings, At.parse(at))
    report = install(job, this_system(settings), using=using, dry_run=dry_run)
    _print_reports([report], str(job.at), json=json, notes=_key_notes(settings))


@schedule_app.command("uninstall")
def uninstall_(context: Ctx, every: All = False, dry_run: DryRun = False, json: Json = False) -> None:
    """Remove the schedule. Exits with 3 if nothing was scheduled."""
    from waypost.faces.schedule.install import uninstall
    from waypost.faces.schedule.system import this_system

    settings = config.load()
    reports = uninstall(_name(context, settings, every), this_system(settings), dry_run=dry_run)
    _print_reports(list(reports), "", json=json)
    if not reports or any(report.deed == "left" for report in reports):
        raise typer.Exit(1 if reports else 3)


@schedule_app.command("status")
def status_(context: Ctx, every: All = False, json: Json = False) -> None:
    """Show available schedulers and whether maintenance is scheduled. Exits with 3 if it is not."""
    from waypost.faces.schedule.install import status
    from waypost.faces.schedule.system import this_system

    settings = config.load()
    name = _name(context, settings, every)
    states = status(name, this_system(settings))
    if json:
        installed = any(state.installed for state in states)
        print_json({"name": name, "installed": installed, "schedulers": [state.to_json() for state in states]})
    else:
        for state in states:
            print(_state_line(state))
    if not any(state.installed for state in states):
        raise typer.Exit(3)


@schedule_app.command("run", hidden=True)
def run_(json: Json = False) -> None:
    """Maintain all memories in turn. Called by the schedule of `--all`."""
    from waypost.faces.schedule.run import run_all

    done = run_all(config.load())
    if json:
        print_json({"memories": [run.to_json() for run in done]})
    for run in done:
        if not json and run.line:
            print(run.line, file=sys.stderr if run.failed else sys.stdout)
    if any(run.failed for run in done):
        raise typer.Exit(1)


def _identity(context: Ctx, settings: "Settings", every: bool) -> "Identity | None":
    session = session_of(context)
    if every:
        return None
    if session.person is None:
        return identify_here(session.directory, settings)
    return identify_person(settings.person if session.person == MYSELF else session.person)


def _name(context: Ctx, settings: "Settings", every: bool) -> str:
    from waypost.faces.schedule.job import EVERYTHING, name_of

    identity = _identity(context, settings, every)
    return name_of(EVERYTHING if identity is None else identity.space_id)


def _key_notes(settings: "Settings") -> tuple[str, ...]:
    from waypost.faces.schedule.job import needs_secrets

    if not needs_secrets(settings):
        return ()
    return ("A key comes from an environment variable. Scheduled runs do not have it and work without.",)


def _print_reports(reports: "list[ScheduleReport]", at: str, *, json: bool, notes: tuple[str, ...] = ()) -> None:
    if json:
        head: dict[str, Any] = {"at": at} if at else {}
        print_json({**head, "schedules": [report.to_json() for report in reports], "notes": list(notes)})
        return
    for report in reports:
        when = f", every day at {at}" if at else ""
        would = "would be " if report.dry_run and report.deed != "unchanged" else ""
        print(safe(f"{report.using}: {report.name} {would}{_ACTION_TEXT[report.deed]}{when}"))
        for where, text in report.written.items():
            print(safe(f"  {where}"))
            if report.dry_run and text:
                print(safe("".join(f"    {line}\n" for line in text.splitlines())), end="")
        for command in report.commands:
            print(safe(f"  {'then' if report.dry_run else 'run'}: {command}"))
        print_notices(report.notes)
    if not reports:
        print("Maintenance was not scheduled.")
    print_notices(notes)


def _state_line(scheduler: "ScheduleState") -> str:
    state = "installed" + ("" if scheduler.active else ", not running") if scheduler.installed else "not installed"
    return safe(
        f"{scheduler.using}: {state if scheduler.usable or scheduler.installed else 'not available'}"
        + (f" ({scheduler.note})" if scheduler.note else "")
    )
