"""A timer of the person's systemd: a service that does the upkeep, and a timer that starts it every day.

`Persistent=true`: a run that was missed while the machine was off is made up for as soon as it is on again.
"""

import re
from pathlib import Path

from waypost.errors import Refused
from waypost.faces.schedule.job import ScheduledJob, unit_folder
from waypost.faces.schedule.report import Deed, ScheduleReport, ScheduleState
from waypost.faces.schedule.system import ScheduleSystem, author, failed, place, remove, sealed, text_of

_SERVICE = """\
@SEAL@
[Unit]
Description=Waypost: daily upkeep of {title}

[Service]
Type=oneshot
{environment}ExecStart={command}
Nice=10
IOSchedulingClass=idle
"""
_TIMER = """\
@SEAL@
[Unit]
Description=Waypost: every day, upkeep of {title}

[Timer]
OnCalendar=*-*-* {at}:00
Persistent=true
RandomizedDelaySec=5min

[Install]
WantedBy=timers.target
"""
_NO_PROGRAM = re.compile(r"""[$'"\\]""")
_LINGER = (
    "systemd runs a person's timers while that person is logged in; a missed run is made up for at the next login. "
    "`loginctl enable-linger` lets them run always."
)
_NO_BUS = "the person's systemd does not answer (no user bus)"


class Systemd:
    kind = "systemd"

    def __init__(self, system: ScheduleSystem) -> None:
        self._system = system

    def reason_against(self) -> str:
        if self._system.which("systemctl") is None:
            return "there is no systemctl"
        return "" if self._has_bus() else _NO_BUS

    def install(self, job: ScheduledJob, *, dry_run: bool) -> ScheduleReport:
        """Write the two files and start the timer. Without a bus the files wait for a command, which is told."""
        files = {self._path(job.name, "service"): service(job), self._path(job.name, "timer"): timer(job)}
        before = [text_of(path) for path in files]
        for path in files:
            _check_ours(path)
        deed: Deed = "installed"
        if all(text is not None for text in before):
            deed = "unchanged" if before == list(files.values()) else "updated"
        written = {str(path): text for path, text in files.items()}
        start = ("systemctl", "--user", "enable", "--now", f"{job.name}.timer")
        if dry_run:
            return ScheduleReport(self.kind, job.name, deed, False, written, (" ".join(start),), dry_run=True)
        for path, text in files.items():
            if text_of(path) != text:
                place(path, text)
        if not self._has_bus():
            note = f"The files are written, but {_NO_BUS}: run the command when it does."
            return ScheduleReport(
                self.kind, job.name, deed, False, written, ("systemctl --user daemon-reload", " ".join(start)), (note,)
            )
        self._must("systemctl", "--user", "daemon-reload")
        self._must(*start)
        if deed == "updated":  # a timer that runs keeps the time it was started with
            self._must("systemctl", "--user", "restart", f"{job.name}.timer")
        return ScheduleReport(self.kind, job.name, deed, True, written, (), (_LINGER,))

    def uninstall(self, name: str, *, dry_run: bool) -> ScheduleReport:
        """Stop the timer and take the files away. A file that somebody has changed is left."""
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
                self._must("systemctl", "--user", "disable", "--now", f"{name}.timer")
            remove(self._wanted(name))
            for path in ours:
                remove(path)
            if bus:
                self._must("systemctl", "--user", "daemon-reload")
        return ScheduleReport(self.kind, name, "removed", False, {str(path): "" for path in ours}, dry_run=dry_run)

    def standing(self, name: str) -> ScheduleState:
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
        return unit_folder(self._system.home) / f"{name}.{suffix}"

    def _wanted(self, name: str) -> Path:
        """What `enable` makes, and what only a systemd that answers takes away."""
        return unit_folder(self._system.home) / "timers.target.wants" / f"{name}.timer"

    def _has_bus(self) -> bool:
        return self._system.run(("systemctl", "--user", "show-environment"), b"").ok

    def _must(self, *command: str) -> None:
        ran = self._system.run(command, b"")
        if not ran.ok:
            raise failed(
                f"`{' '.join(command)}` failed", ran, "The files are in place; run it again, or use --using cron."
            )


def service(job: ScheduledJob) -> str:
    """The unit that does the work."""
    environment = "".join(f"Environment={_quoted(f'{name}={value}')}\n" for name, value in job.environment.items())
    program, *words = job.command
    if _NO_PROGRAM.search(program):  # systemd takes no program by such a name; a shell does
        program, words = "/bin/sh", ["-c", 'exec "$0" "$@"', *job.command]
    command = " ".join((_quoted(program), *(_quoted(word).replace("$", "$$") for word in words)))
    return sealed(_SERVICE.format(title=_title(job), environment=environment, command=command))


def timer(job: ScheduledJob) -> str:
    """The unit that starts it. A few minutes of chance keep several memories from waking up at once."""
    return sealed(_TIMER.format(title=_title(job), at=job.at))


def _title(job: ScheduledJob) -> str:
    return job.shown_title.replace("%", "%%")


def _quoted(word: str) -> str:
    """One word of a unit file: in quotes the backslash and the quote are escaped, and % begins a specifier anywhere."""
    if re.fullmatch(r"[A-Za-z0-9@+=:,./_-]+", word):
        return word
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'


def _check_ours(path: Path) -> None:
    who = author(path)
    if who in {"edited", "somebody"}:
        what = "was changed by somebody" if who == "edited" else "is not Waypost's"
        raise Refused(f"{path} {what}.", "Move it away and install again.")
