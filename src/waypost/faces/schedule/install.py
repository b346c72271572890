"""Schedule daily maintenance, show its state and remove it, with whichever scheduler the system has."""

from waypost.errors import InvalidInput, Refused
from waypost.faces.schedule.cron import Cron
from waypost.faces.schedule.job import ScheduledJob, Scheduler, ScheduleReport, ScheduleState
from waypost.faces.schedule.launchd import Launchd
from waypost.faces.schedule.system import ScheduleSystem
from waypost.faces.schedule.systemd import Systemd
from waypost.faces.schedule.task import WindowsTask

KINDS = ("systemd", "cron", "launchd", "task")


def schedulers(system: ScheduleSystem) -> tuple[Scheduler, ...]:
    """In order of preference: those that catch up on missed runs come first."""
    return Systemd(system), Launchd(system), WindowsTask(system), Cron(system)


def install(
    job: ScheduledJob, system: ScheduleSystem, *, using: str | None = None, dry_run: bool = False
) -> ScheduleReport:
    """Run this job every day. Remove it from all other schedulers afterwards."""
    scheduler = _select(system, using)
    report = scheduler.install(job, dry_run=dry_run)
    if not dry_run:
        for other in schedulers(system):
            if other.kind != scheduler.kind and other.state(job.name).installed:
                other.uninstall(job.name, dry_run=False)
    return report


def uninstall(name: str, system: ScheduleSystem, *, dry_run: bool = False) -> tuple[ScheduleReport, ...]:
    """Remove the job from every scheduler that has it."""
    using = [scheduler for scheduler in schedulers(system) if scheduler.state(name).installed]
    return tuple(scheduler.uninstall(name, dry_run=dry_run) for scheduler in using)


def status(name: str, system: ScheduleSystem) -> tuple[ScheduleState, ...]:
    return tuple(scheduler.state(name) for scheduler in schedulers(system))


def _select(system: ScheduleSystem, using: str | None) -> Scheduler:
    by_kind = {scheduler.kind: scheduler for scheduler in schedulers(system)}
    if using is None:
        for scheduler in by_kind.values():
            if not scheduler.reason_against():
                return scheduler
        if system.which("systemctl") is not None:
            return by_kind["systemd"]  # it writes the files and prints the command that starts them
        reasons = "; ".join(f"{kind}: {scheduler.reason_against()}" for kind, scheduler in by_kind.items())
        raise Refused(f"No scheduler was found ({reasons}).", "Run `waypost maintain` once a day by other means.")
    if using not in by_kind:
        raise InvalidInput(f"There is no scheduler {using[:40]!r}.", f"Use one of {', '.join(KINDS)}.")
    reason = by_kind[using].reason_against()
    if reason and not (using == "systemd" and system.which("systemctl") is not None):
        raise Refused(f"{using} cannot be used here: {reason}.", "Leave out --using to take an available one.")
    return by_kind[using]
