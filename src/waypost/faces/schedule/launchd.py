"""An agent of launchd on macOS. It catches up on runs missed while the machine slept, not while it was off."""

import plistlib
from pathlib import Path
from typing import Any

from waypost.faces.schedule.job import Deed, ScheduledJob, ScheduleReport, ScheduleState
from waypost.faces.schedule.system import (
    ScheduleSystem,
    author,
    read_text,
    refuse_foreign,
    remove_file,
    run_or_raise,
    sealed,
    write_file,
)

_COMMENT = ("<!-- ", " -->")
_UNTRIED = "Waypost's launchd agents are only tested on other systems. Please report one that does not start."


class Launchd:
    kind = "launchd"

    def __init__(self, system: ScheduleSystem) -> None:
        self._system = system

    def reason_against(self) -> str:
        if self._system.platform != "darwin" or self._system.which("launchctl") is None:
            return "launchd is part of macOS"
        return ""

    def install(self, job: ScheduledJob, *, dry_run: bool) -> ScheduleReport:
        path, text = self._path(job.name), agent(job)
        refuse_foreign(path, _COMMENT)
        before = read_text(path)
        deed: Deed = "installed" if before is None else "unchanged" if before == text else "updated"
        load = ("launchctl", "bootstrap", self._domain, str(path))
        if dry_run:
            return ScheduleReport(self.kind, job.name, deed, False, {str(path): text}, (" ".join(load),), dry_run=True)
        if deed != "unchanged":
            write_file(path, text)
        if self._loaded(job.name):
            if deed == "unchanged":
                return ScheduleReport(self.kind, job.name, deed, True, {str(path): text})
            self._run("launchctl", "bootout", f"{self._domain}/{label(job.name)}")
        self._run(*load)
        return ScheduleReport(self.kind, job.name, deed, True, {str(path): text}, notes=(_UNTRIED,))

    def uninstall(self, name: str, *, dry_run: bool) -> ScheduleReport:
        path = self._path(name)
        who = author(path, _COMMENT)
        if who == "nobody":
            return ScheduleReport(self.kind, name, "missing", False, dry_run=dry_run)
        if who != "waypost":
            return ScheduleReport(
                self.kind, name, "left", False, notes=(f"{path} is not as Waypost wrote it.",), dry_run=dry_run
            )
        if not dry_run:
            if not self.reason_against() and self._loaded(name):
                self._run("launchctl", "bootout", f"{self._domain}/{label(name)}")
            remove_file(path)
        return ScheduleReport(self.kind, name, "removed", False, {str(path): ""}, dry_run=dry_run)

    def state(self, name: str) -> ScheduleState:
        reason, path = self.reason_against(), self._path(name)
        if author(path, _COMMENT) == "nobody":
            return ScheduleState(self.kind, not reason, False, note=reason)
        note = reason or ("" if author(path, _COMMENT) == "waypost" else f"{path} is not as Waypost wrote it")
        return ScheduleState(self.kind, not reason, True, not reason and self._loaded(name), note)

    @property
    def _domain(self) -> str:
        return f"gui/{self._system.user_id}"

    def _path(self, name: str) -> Path:
        return self._system.home / "Library" / "LaunchAgents" / f"{label(name)}.plist"

    def _loaded(self, name: str) -> bool:
        return self._system.run(("launchctl", "print", f"{self._domain}/{label(name)}"), b"").ok

    def _run(self, *command: str) -> None:
        run_or_raise(self._system, command, "The file is in place. Run that command again.")


def label(name: str) -> str:
    return f"local.{name}"


def agent(job: ScheduledJob) -> str:
    values: dict[str, Any] = {
        "Label": label(job.name),
        "ProgramArguments": list(job.command),
        "StartCalendarInterval": {"Hour": job.at.hour, "Minute": job.at.minute},
        "ProcessType": "Background",
        "LowPriorityIO": True,
        "Nice": 10,
    }
    if job.environment:
        values["EnvironmentVariables"] = dict(job.environment)
    text = plistlib.dumps(values, sort_keys=False).decode("utf-8")
    head, mark, rest = text.partition("<plist")
    return sealed(f"{head}@SEAL@\n{mark}{rest}", _COMMENT)
