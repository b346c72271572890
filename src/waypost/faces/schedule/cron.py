"""A block of lines in the person's crontab, between marks. All other lines are kept to the byte.

It stands first: what the table sets for the lines after it (SHELL, PATH, MAILTO) is not meant for ours. Cron does not
make up for runs that were missed; Waypost notices and catches up the next time it is used.
"""

import re

from waypost.errors import InvalidInput, Refused
from waypost.faces.schedule.job import ScheduledJob
from waypost.faces.schedule.report import Deed, ScheduleReport, ScheduleState
from waypost.faces.schedule.system import ScheduleSystem, failed

_BEGIN = "# >>> {name}: written by `waypost schedule install`, taken away by `waypost schedule uninstall`"
_END = "# <<< {name}"
_LONGEST = 990  # what the oldest cron in use takes for a command is 1,000
_CRONTAB = "your crontab"
_NO_CATCHING_UP = "cron skips runs while the machine is off; Waypost then catches up the next time it is used."


class Cron:
    kind = "cron"

    def __init__(self, system: ScheduleSystem) -> None:
        self._system = system

    def reason_against(self) -> str:
        return "there is no crontab" if self._system.which("crontab") is None else ""

    def install(self, job: ScheduledJob, *, dry_run: bool) -> ScheduleReport:
        ours, before = block(job), self._table()
        kept, found = without_block(before, job.name)
        after = ours.encode("utf-8") + kept
        deed: Deed = "updated" if found else "installed"
        if found == [ours.encode("utf-8")]:
            after, deed = before, "unchanged"
        written = {_CRONTAB: ours}
        if not dry_run and after != before:
            self._write(after)
        return ScheduleReport(
            self.kind, job.name, deed, not dry_run, written, notes=(_NO_CATCHING_UP,), dry_run=dry_run
        )

    def uninstall(self, name: str, *, dry_run: bool) -> ScheduleReport:
        before = self._table()
        kept, found = without_block(before, name)
        if not found:
            return ScheduleReport(self.kind, name, "missing", False, dry_run=dry_run)
        if not dry_run:
            self._write(kept)
        return ScheduleReport(self.kind, name, "removed", False, {_CRONTAB: ""}, dry_run=dry_run)

    def standing(self, name: str) -> ScheduleState:
        reason = self.reason_against()
        if reason:
            return ScheduleState(self.kind, False, False, note=reason)
        _, found = without_block(self._table(), name)
        return ScheduleState(self.kind, True, bool(found), bool(found))

    def _table(self) -> bytes:
        ran = self._system.run(("crontab", "-l"), b"")
        if ran.ok:
            return ran.out
        if b"no crontab" in ran.err.lower() + ran.out.lower():
            return b""
        raise failed("The crontab cannot be read", ran, "Check that `crontab -l` works, or use --using systemd.")

    def _write(self, table: bytes) -> None:
        # Nothing left: there was no table before ours.
        ran = self._system.run(("crontab", "-"), table) if table else self._system.run(("crontab", "-r"), b"")
        if not ran.ok:
            raise failed("The crontab was not accepted", ran, "It is as it was. Check that `crontab -e` works.")


def block(job: ScheduledJob) -> str:
    """The lines of this job, ours from mark to mark."""
    told = [f"{name}={_word(value)}" for name, value in job.environment.items()]
    command = " ".join((*told, *(_word(word) for word in job.command), ">/dev/null"))
    if len(command.encode("utf-8")) > _LONGEST:
        raise InvalidInput(
            f"The command is too long for cron: {len(command.encode())} bytes.",
            "Use --using systemd, or shorter paths.",
        )
    line = f"{job.at.minute} {job.at.hour} * * * {command}"
    return f"{_BEGIN.format(name=job.name)}\n{line}\n{_END.format(name=job.name)}\n"


def without_block(table: bytes, name: str) -> tuple[bytes, list[bytes]]:
    """The table without our blocks of this name, and these blocks. Raises Refused when one has no end."""
    begin, end = (re.escape(mark.format(name=name).encode()) for mark in (f"# >>> {name}:", _END))
    kept, found, opened = [], [], None
    for line in table.splitlines(keepends=True):
        if opened is None and re.match(begin, line):
            opened = [line]
        elif opened is None:
            kept.append(line)
        else:
            opened.append(line)
            if re.fullmatch(end + rb"\s*", line):
                found.append(b"".join(opened))
                opened = None
    if opened is not None:
        raise Refused(
            f"The crontab has a beginning of {name} without its end.",
            "Put it in order by `crontab -e`, then try again.",
        )
    return b"".join(kept), found


def _word(text: str) -> str:
    """A word for the shell behind cron. Cron itself reads `%` as the end of the command and `\\%` as a plain one; what
    it makes of two backslashes differs from one cron to the other, so no two ever meet."""
    if re.fullmatch(r"[A-Za-z0-9@+=:,./_-]+", text):
        return text
    inside = {"'": "'\"'\"'", "\\": "\\''", "%": "\\%"}
    return "'" + "".join(inside.get(char, char) for char in text) + "'"
