"""A task of the Windows Task Scheduler, from an XML file. `schtasks /TR` takes no long command and cannot catch up."""

import subprocess
from importlib.resources import files
from pathlib import Path
from xml.sax.saxutils import escape

from waypost.faces.schedule.job import Deed, ScheduledJob, ScheduleReport, ScheduleState
from waypost.faces.schedule.system import ScheduleSystem, command_error, read_text, remove_file, write_file

_UNTRIED = "Waypost's tasks are only tested on other systems. Please report one that does not start."


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
        before = read_text(path)
        deed: Deed = "installed" if before is None else "unchanged" if before == text else "updated"
        create = ("schtasks", "/Create", "/TN", _task_name(job.name), "/XML", str(path), "/F")
        if dry_run:
            command = subprocess.list2cmdline(create)
            return ScheduleReport(self.kind, job.name, deed, False, {str(path): text}, (command,), dry_run=True)
        write_file(path, text)
        result = self._system.run(create, b"")
        if not result.ok:
            remove_file(path)
            raise command_error("schtasks refused the task", result, "Check that `schtasks /Query` works.")
        return ScheduleReport(self.kind, job.name, deed, True, {str(path): text}, notes=(_UNTRIED,))

    def uninstall(self, name: str, *, dry_run: bool) -> ScheduleReport:
        path = self._path(name)
        if read_text(path) is None:
            return ScheduleReport(self.kind, name, "missing", False, dry_run=dry_run)
        if not dry_run:
            result = self._system.run(("schtasks", "/Delete", "/TN", _task_name(name), "/F"), b"")
            if not result.ok and self._exists(name):
                raise command_error("schtasks did not remove the task", result, "Remove it in the Task Scheduler.")
            remove_file(path)
        return ScheduleReport(self.kind, name, "removed", False, {str(path): ""}, dry_run=dry_run)

    def state(self, name: str) -> ScheduleState:
        reason = self.reason_against()
        installed = read_text(self._path(name)) is not None
        return ScheduleState(self.kind, not reason, installed, installed and not reason and self._exists(name), reason)

    def _path(self, name: str) -> Path:
        return self._system.state / f"{name}.xml"

    def _exists(self, name: str) -> bool:
        return self._system.run(("schtasks", "/Query", "/TN", _task_name(name)), b"").ok


def _task_name(name: str) -> str:
    return rf"Waypost\{name}"


def task(job: ScheduledJob) -> str:
    """The task as XML. The format has no environment variables, so Python sets them before Waypost starts."""
    program, *words = job.command
    if job.environment:
        start = f"import os, sys; os.environ.update({dict(job.environment)!r}); sys.argv[0] = 'waypost'; "
        start += "from waypost.faces.cli.entry import main; main()"
        words = ["-P", "-c", start, *words[words.index("waypost") + 1 :]]
    texts = {"title": job.shown_title, "program": program, "words": subprocess.list2cmdline(words)}
    template = (files("waypost.faces.schedule") / "task.xml").read_text("utf-8")
    return template.format(at=job.at, **{name: escape(value) for name, value in texts.items()})
