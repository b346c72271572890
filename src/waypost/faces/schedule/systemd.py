"""A service that does the maintenance, and a timer of the person's systemd that starts it every day.

`Persistent=true`: systemd catches up on missed runs when the machine is on again.
"""

import re
from pathlib import Path

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

_SERVICE = """\
@SEAL@
[Unit]
Description=Waypost: daily maintenance of {title}

[Service]
Type=oneshot
{environment}ExecStart={command}
Nice=10
IOSchedulingClass=idle
"""
_TIMER = """\
@SEAL@
[Unit]
Description=Waypost: daily timer for {title}

[Timer]
OnCalendar=*-*-* {at}:00
Persistent=true
RandomizedDelaySec=5min

[Install]
WantedBy=timers.target
"""
_NO_PROGRAM = re.compile(r"""[$'"\\]""")
_LINGER = (
    "systemd runs your timers while you are logged in and catches up on missed runs at the next login. "
    "`loginctl enable-linger` lets them run always."
)
_NO_BUS = "your systemd does not answer (no user bus)"


class Systemd:
    kind = "systemd"

    def __init__(self, system: ScheduleSystem) -> None:
        self._system = system

    def reason_against(self) -> str:
        if self._system.which("systemctl") is None:
            return "there is no systemctl"
        return "" if self._has_bus() else _NO_BUS

    def install(self, job: ScheduledJob, *, dry_run: bool) -> ScheduleReport:
        """Write the two files and start the timer. Without a user bus, return the command that starts it."""
        files = {self._path(job.name, "service"): service(job), self._path(job.name, "timer"): timer(job)}
        before = [read_text(path) for path in files]
        for path in files:
            refuse_foreign(path)
        deed: Deed = "installed"
        if all(text is not None for text in before):
            deed = "unchanged" if before == list(files.values()) else "updated"
        written = {str(path): text for path, text in files.items()}
        start = ("systemctl", "--user", "enable", "--now", f"{job.name}.timer")
        if dry_run:
            return ScheduleReport(self.kind, job.name, deed, False, written, (" ".join(start),), dry_run=True)
        for path, text in files.items():
            if read_text(path) != text:
                write_file(path, text)
        if not self._has_bus():
            note = f"The files are written, but {_NO_BUS}. Run the command when it does."
            return ScheduleReport(
                self.kind, job.name, deed, False, written, ("systemctl --user daemon-reload", " ".join(start)), (note,)
            )
        self._run("systemctl", "--user", "daemon-reload")
        self._run(*start)
        if deed == "updated":  # a running timer keeps its old time
            self._run("systemctl", "--user", "restart", f"{job.name}.timer")
        return ScheduleReport(self.kind, job.name, deed, True, written, (), (_LINGER,))

    def uninstall(self, name: str, *, dry_run: bool) -> ScheduleReport:
        """Stop the timer and remove the files. Files that somebody edited stay."""
        files = [self._path(name, "timer"), self._path(name, "service")]
        authors = {path: author(path) for path in files}
        ours = [path for path in files if authors[path] == "waypost"]
        left = [path for path in files if authors[path] in {"edited", "somebody"}]
        if left:
            notes = tuple(f"{path} is not as Waypost wrote it." for path in left)
            return ScheduleReport(self.kind, name, "left", False, notes=notes, dry_run=dry_run)
        if not ours:
            return ScheduleReport(self.kind, name, "missing", False, dry_run=dry_run)
        if not dry_run:
            bus = self._has_bus()
            if bus:
                self._run("systemctl", "--user", "disable", "--now", f"{name}.timer")
            remove_file(self._units / "timers.target.wants" / f"{name}.timer")
            for path in ours:
                remove_file(path)
            if bus:
                self._run("systemctl", "--user", "daemon-reload")
        return ScheduleReport(self.kind, name, "removed", False, {str(path): "" for path in ours}, dry_run=dry_run)

    def state(self, name: str) -> ScheduleState:
        reason = self.reason_against()
        path = self._path(name, "timer")
        if author(path) == "nobody":
            return ScheduleState(self.kind, not reason, False, note=reason)
        note = reason or ("" if author(path) == "waypost" else f"{path} is not as Waypost wrote it")
        active = (
            not reason and self._system.run(("systemctl", "--user", "is-active", "--quiet", f"{name}.timer"), b"").ok
        )
        return ScheduleState(self.kind, not reason, True, active, note)

    def _path(self, name: str, suffix: str) -> Path:
        return self._units / f"{name}.{suffix}"

    @property
    def _units(self) -> Path:
        return self._system.home / ".config" / "systemd" / "user"

    def _has_bus(self) -> bool:
        return self._system.run(("systemctl", "--user", "show-environment"), b"").ok

    def _run(self, *command: str) -> None:
        run_or_raise(self._system, command, "The files are in place. Run it again, or use --using cron.")


def service(job: ScheduledJob) -> str:
    environment = "".join(f"Environment={_quoted(f'{name}={value}')}\n" for name, value in job.environment.items())
    program, *words = job.command
    if _NO_PROGRAM.search(program):  # systemd refuses such a program name, a shell does not
        program, words = "/bin/sh", ["-c", 'exec "$0" "$@"', *job.command]
    command = " ".join((_quoted(program), *(_quoted(word).replace("$", "$$") for word in words)))
    return sealed(_SERVICE.format(title=_title(job), environment=environment, command=command))


def timer(job: ScheduledJob) -> str:
    """The unit that starts the job. A random delay keeps several jobs from starting at once."""
    return sealed(_TIMER.format(title=_title(job), at=job.at))


def _title(job: ScheduledJob) -> str:
    return job.shown_title.replace("%", "%%")


def _quoted(word: str) -> str:
    """One word of a unit file. Quotes, backslashes and percent signs are escaped."""
    if re.fullmatch(r"[A-Za-z0-9@+=:,./_-]+", word):
        return word
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'
