"""A task of the Windows Task Scheduler, told by an XML file: `schtasks /TR` cannot hold a long command or catch up."""

import subprocess
from pathlib import Path
from xml.sax.saxutils import escape

from waypost.faces.schedule.job import ScheduledJob
from waypost.faces.schedule.report import Deed, ScheduleReport, ScheduleState
from waypost.faces.schedule.system import ScheduleSystem, failed, place, remove, text_of

_TASK = """\
<?xml version="1.0"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>Waypost: daily upkeep of {title}</Description>
  </RegistrationInfo>
  <Triggers>
    <CalendarTrigger>
      <StartBoundary>2026-01-01T{at}:00</StartBoundary>
      <ScheduleByDay><DaysInterval>1</DaysInterval></ScheduleByDay>
    </CalendarTrigger>
  </Triggers>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <StartWhenAvailable>true</StartWhenAvailable>
    <ExecutionTimeLimit>PT4H</ExecutionTimeLimit>
    <Priority>7</Priority>
  </Settings>
  <Actions>
    <Exec>
      <Command>{program}</Command>
      <Arguments>{words}</Arguments>
    </Exec>
  </Actions>
</Task>
"""
_UNTRIED = "Waypost's tasks are written by the book and were never run on Windows; tell us when one does not start."


class WindowsTask:
    kind = "task"

    def __init__(self, system: ScheduleSystem) -> None:
        self._system = system

    def reason_against(self) -> str:
        if self._system.platform != "win32" or self._system.which("schtasks") is None:
            return "the Task Scheduler is part of Windows"
        return ""

    def install(self, job: ScheduledJob, *, dry_run: bool) -> ScheduleReport:
        path, text = self._path(job.name), task(job)
        before = text_of(path)
        deed: Deed = "installed" if before is None else "unchanged" if before == text else "updated"
        create = ("schtasks", "/Create", "/TN", _task_name(job.name), "/XML", str(path), "/F")
        if dry_run:
            told = subprocess.list2cmdline(create)
            return ScheduleReport(self.kind, job.name, deed, False, {str(path): text}, (told,), dry_run=True)
        place(path, text)
        ran = self._system.run(create, b"")
        if not ran.ok:
            remove(path)
            raise failed("schtasks did not take the task", ran, "Run `schtasks /Query` to see whether it works at all.")
        return ScheduleReport(self.kind, job.name, deed, True, {str(path): text}, notes=(_UNTRIED,))

    def uninstall(self, name: str, *, dry_run: bool) -> ScheduleReport:
        path = self._path(name)
        if text_of(path) is None:
            return ScheduleReport(self.kind, name, "missing", False, dry_run=dry_run)
        if not dry_run:
            ran = self._system.run(("schtasks", "/Delete", "/TN", _task_name(name), "/F"), b"")
            if not ran.ok and self._known(name):
                raise failed("schtasks did not remove the task", ran, "Remove it in the Task Scheduler.")
            remove(path)
        return ScheduleReport(self.kind, name, "removed", False, {str(path): ""}, dry_run=dry_run)

    def standing(self, name: str) -> ScheduleState:
        reason = self.reason_against()
        installed = text_of(self._path(name)) is not None
        return ScheduleState(self.kind, not reason, installed, installed and not reason and self._known(name), reason)

    def _path(self, name: str) -> Path:
        return self._system.state / f"{name}.xml"

    def _known(self, name: str) -> bool:
        return self._system.run(("schtasks", "/Query", "/TN", _task_name(name)), b"").ok


def _task_name(name: str) -> str:
    return rf"Waypost\{name}"


def task(job: ScheduledJob) -> str:
    """The task as XML. It has no place for an environment: Python sets it before Waypost begins."""
    program, *words = job.command
    if job.environment:
        start = f"import os, sys; os.environ.update({dict(job.environment)!r}); sys.argv[0] = 'waypost'; "
        start += "from waypost.faces.cli.entry import main; main()"
        words = ["-P", "-c", start, *words[words.index("waypost") + 1 :]]
    told = {"title": job.shown_title, "program": program, "words": subprocess.list2cmdline(words)}
    return _TASK.format(at=job.at, **{name: escape(value) for name, value in told.items()})
