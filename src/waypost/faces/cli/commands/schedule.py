"""Commands on the schedule by which upkeep is done every day."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from waypost.faces.cli.framework import Ctx, Json, app, session_of
from waypost.faces.cli.output.memories import print_json

if TYPE_CHECKING:
    from waypost.config import Settings
    from waypost.faces.schedule.report import ScheduleReport, ScheduleState
    from waypost.space.identity import Identity

schedule_app = typer.Typer(help="Daily upkeep by the scheduler of this system.", no_args_is_help=True)
app.add_typer(schedule_app, name="schedule")

All = Annotated[bool, typer.Option("--all", help="Of all memories that there are when it runs, not only of this one.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show what would be done.")]

_WORDS = {
    "installed": "installed",
    "updated": "brought up to date",
    "unchanged": "is installed already",
    "removed": "removed",
    "missing": "was not installed",
    "left": "left alone",
}


@schedule_app.command("install")
def install_(
    context: Ctx,
    at: Annotated[str, typer.Option("--at", metavar="HH:MM", help="When, on the clock of this machine.")] = "04:00",
    using: Annotated[
        str | None, typer.Option("--using", metavar="NAME", help="systemd, cron, launchd or task; else what there is.")
    ] = None,
    every: All = False,
    dry_run: DryRun = False,
    json: Json = False,
) -> None:
    """Run `waypost maintain` for this memory every day. Installing again brings it up to date."""
    from waypost import config
    from waypost.faces.schedule.install import install
    from waypost.faces.schedule.job import At, job_of
    from waypost.faces.schedule.system import this_system

    settings = config.load()
    job = job_of(_identity(context, settings, every), sys.executable, settings, At.parse(at))
    report = install(job, this_system(settings), using=using, dry_run=dry_run)
    _tell([report], str(job.at), json=json, notes=_key_notes(settings))


@schedule_app.command("uninstall")
def uninstall_(context: Ctx, every: All = False, dry_run: DryRun = False, json: Json = False) -> None:
    """Take it off the schedule; everything else there is as it was. Ends with 3 when it was not on it."""
    from waypost import config
    from waypost.faces.schedule.install import uninstall
    from waypost.faces.schedule.system import this_system

    settings = config.load()
    reports = uninstall(_name(context, settings, every), this_system(settings), dry_run=dry_run)
    _tell(list(reports), "", json=json)
    if not reports or any(report.deed == "left" for report in reports):
        raise typer.Exit(1 if reports else 3)


@schedule_app.command("status")
def status_(context: Ctx, every: All = False, json: Json = False) -> None:
    """Which schedulers this system has, and whether upkeep is on one. Ends with 3 when it is not."""
    from waypost import config
    from waypost.faces.schedule.install import status
    from waypost.faces.schedule.system import this_system

    settings = config.load()
    name = _name(context, settings, every)
    found = status(name, this_system(settings))
    if json:
        installed = any(one.installed for one in found)
        print_json({"name": name, "installed": installed, "schedulers": [one.to_json() for one in found]})
    else:
        for one in found:
            print(_standing(one))
    if not any(one.installed for one in found):
        raise typer.Exit(3)


@schedule_app.command("run", hidden=True)
def run_(json: Json = False) -> None:
    """Upkeep of every memory, one after the other: what the schedule of `--all` starts."""
    from waypost import config
    from waypost.faces.schedule.run import run_all

    done = run_all(config.load())
    if json:
        print_json({"memories": [one.to_json() for one in done]})
    for one in done:
        if not json and one.line:
            print(one.line, file=sys.stderr if one.failed else sys.stdout)
    if any(one.failed for one in done):
        raise typer.Exit(1)


def _identity(context: Ctx, settings: "Settings", every: bool) -> "Identity | None":
    from waypost.faces.cli.arguments import MYSELF
    from waypost.space.alias import identify_here
    from waypost.space.identity import identify_person

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
    return ("A key is read from an environment variable, which a scheduled run does not have; it then does without.",)


def _tell(reports: "list[ScheduleReport]", at: str, *, json: bool, notes: tuple[str, ...] = ()) -> None:
    from waypost.faces.cli.output.memories import print_notices, safe

    if json:
        told: dict[str, Any] = {"at": at} if at else {}
        print_json({**told, "schedules": [report.to_json() for report in reports], "notes": list(notes)})
        return
    for report in reports:
        when = f", every day at {at}" if at else ""
        would = "would be " if report.dry_run and report.deed != "unchanged" else ""
        print(safe(f"{report.using}: {report.name} {would}{_WORDS[report.deed]}{when}"))
        for where, text in report.written.items():
            print(safe(f"  {where}"))
            if report.dry_run and text:
                print(safe("".join(f"    {line}\n" for line in text.splitlines())), end="")
        for command in report.commands:
            print(safe(f"  {'then' if report.dry_run else 'run'}: {command}"))
        print_notices(report.notes)
    if not reports:
        print("Upkeep was not on the schedule.")
    print_notices(notes)


def _standing(one: "ScheduleState") -> str:
    from waypost.faces.cli.output.memories import safe

    state = "installed" + ("" if one.active else ", not running") if one.installed else "not installed"
    return safe(
        f"{one.using}: {state if one.usable or one.installed else 'not here'}" + (f" ({one.note})" if one.note else "")
    )
