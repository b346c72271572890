"""Put daily upkeep on the schedule, see how it stands, take it away: by whichever scheduler the system has."""

from waypost.errors import InvalidInput, Refused
from waypost.faces.schedule.cron import Cron
from waypost.faces.schedule.job import ScheduledJob
from waypost.faces.schedule.launchd import Launchd
from waypost.faces.schedule.report import Scheduler, ScheduleReport, ScheduleState
from waypost.faces.schedule.system import ScheduleSystem
from waypost.faces.schedule.systemd import Systemd
from waypost.faces.schedule.task import WindowsTask

KINDS = ("systemd", "cron", "launchd", "task")


def schedulers(system: ScheduleSystem) -> tuple[Scheduler, ...]:
    """In the order of preference: those that make up for missed runs come first."""
    return Systemd(system), Launchd(system), WindowsTask(system), Cron(system)


def install(
    job: ScheduledJob, system: ScheduleSystem, *, using: str | None = None, dry_run: bool = False
) -> ScheduleReport:
    """Have this job run every day. Once: what another scheduler has of it is taken away when ours stands."""
    chosen = _chosen(system, using)
    report = chosen.install(job, dry_run=dry_run)
    if not dry_run:
        for other in schedulers(system):
            if other.kind != chosen.kind and other.standing(job.name).installed:
                other.uninstall(job.name, dry_run=False)
    return report


def uninstall(name: str, system: ScheduleSystem, *, dry_run: bool = False) -> tuple[ScheduleReport, ...]:
    """Take it away wherever it is. Empty when it was nowhere."""
    there = [one for one in schedulers(system) if one.standing(name).installed]
    return tuple(one.uninstall(name, dry_run=dry_run) for one in there)


def status(name: str, system: ScheduleSystem) -> tuple[ScheduleState, ...]:
    return tuple(one.standing(name) for one in schedulers(system))


def _chosen(system: ScheduleSystem, using: str | None) -> Scheduler:
    known = {one.kind: one for one in schedulers(system)}
    if using is None:
        for one in known.values():
            if not one.reason_against():
                return one
        if system.which("systemctl") is not None:
            return known["systemd"]  # files can be written; what starts them is told
        reasons = "; ".join(f"{one.kind}: {one.reason_against()}" for one in known.values())
        raise Refused(
            f"No scheduler was found ({reasons}).", "Run `waypost maintain` once a day by what this system has instead."
        )
    if using not in known:
        raise InvalidInput(f"There is no scheduler {using[:40]!r}.", f"Use one of {', '.join(KINDS)}.")
    reason = known[using].reason_against()
    if reason and not (using == "systemd" and system.which("systemctl") is not None):
        raise Refused(f"{using} cannot be used here: {reason}.", "Leave --using out to take what there is.")
    return known[using]
