"""A marked block of lines in the person's crontab. All other lines stay the same, byte for byte.

The block comes first, so that SHELL, PATH or MAILTO of the table do not apply to it. Cron skips missed runs. Waypost
catches up the next time it is used.
"""

import re

from waypost.errors import InvalidInput, Refused
from waypost.faces.schedule.job import Deed, ScheduledJob, ScheduleReport, ScheduleState
from waypost.faces.schedule.system import ScheduleSystem, command_error

_BEGIN = "# >>> {name}: written by `waypost schedule install`, taken away by `waypost schedule uninstall`"
_END = "# <<< {name}"
_LONGEST = 990  # the oldest cron in use takes 1,000 bytes
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
        kept, blocks = without_blocks(before, job.name)
        after = ours.encode("utf-8") + kept
        deed: Deed = "updated" if blocks else "installed"
        if blocks == [ours.encode("utf-8")]:
            after, deed = before, "unchanged"
        written = {_CRONTAB: ours}
        if not dry_run and after != before:
            self._write(after)
        return ScheduleReport(
            self.kind, job.name, deed, not dry_run, written, notes=(_NO_CATCHING_UP,), dry_run=dry_run
        )

    def uninstall(self, name: str, *, dry_run: bool) -> ScheduleReport:
        before = self._table()
        kept, blocks = without_blocks(before, name)
        if not blocks:
            return ScheduleReport(self.kind, name, "missing", False, dry_run=dry_run)
        if not dry_run:
            self._write(kept)
        return ScheduleReport(self.kind, name, "removed", False, {_CRONTAB: ""}, dry_run=dry_run)

    def state(self, name: str) -> ScheduleState:
        reason = self.reason_against()
        if reason:
            return ScheduleState(self.kind, False, False, note=reason)
        _, blocks = without_blocks(self._table(), name)
        return ScheduleState(self.kind, True, bool(blocks), bool(blocks))

    def _table(self) -> bytes:
        result = self._system.run(("crontab", "-l"), b"")
        if result.ok:
            return result.out
        if b"no crontab" in result.err.lower() + result.out.lower():
            return b""
        raise command_error(
            "The crontab cannot be read", result, "Check that `crontab -l` works, or use --using systemd."
        )

    def _write(self, table: bytes) -> None:
        result = self._system.run(("crontab", "-"), table) if table else self._system.run(("crontab", "-r"), b"")
        if not result.ok:
            raise command_error(
                "The crontab was not accepted", result, "It is unchanged. Check that `crontab -e` works."
            )


def block(job: ScheduledJob) -> str:
    """The lines of this job, with their marks."""
    variables = [f"{name}={_word(value)}" for name, value in job.environment.items()]
    command = " ".join((*variables, *(_word(word) for word in job.command), ">/dev/null"))
    if len(command.encode("utf-8")) > _LONGEST:
        raise InvalidInput(
            f"The command is too long for cron: {len(command.encode())} bytes.",
            "Use --using systemd, or shorter paths.",
        )
    line = f"{job.at.minute} {job.at.hour} * * * {command}"
    return f"{_BEGIN.format(name=job.name)}\n{line}\n{_END.format(name=job.name)}\n"


def without_blocks(table: bytes, name: str) -> tuple[bytes, list[bytes]]:
    """The table without our blocks of this name, and these blocks. Raises Refused if a block has no end."""
    begin, end = (re.escape(mark.format(name=name).encode()) for mark in (f"# >>> {name}:", _END))
    kept, blocks, block_lines = [], [], None
    for line in table.splitlines(keepends=True):
        if block_lines is None and re.match(begin, line):
            block_lines = [line]
        elif block_lines is None:
            kept.append(line)
        else:
            block_lines.append(line)
            if re.fullmatch(end + rb"\s*", line):
                blocks.append(b"".join(block_lines))
                block_lines = None
    if block_lines is not None:
        raise Refused(
            f"The crontab has a start mark of {name} without its end mark.",
            "Correct it with `crontab -e`, then try again.",
        )
    return b"".join(kept), blocks


def _word(text: str) -> str:
    """A word for the shell that cron starts.

    Cron reads `%` as the end of the command and `\\%` as a percent sign. Crons differ about two backslashes in a row,
    so they never occur here.
    """
    if re.fullmatch(r"[A-Za-z0-9@+=:,./_-]+", text):
        return text
    inside = {"'": "'\"'\"'", "\\": "\\''", "%": "\\%"}
    return "'" + "".join(inside.get(char, char) for char in text) + "'"
