"""A system that exists only in memory: its programs answer as the real ones do, and say how they were called."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from waypost.faces.schedule.job import At, ScheduledJob
from waypost.faces.schedule.system import CommandResult, ScheduleSystem


@dataclass
class FakeSystem:
    home: Path
    platform: str = "linux"
    programs: set[str] = field(default_factory=lambda: {"systemctl", "crontab"})
    bus: bool = True
    table: bytes | None = None  # the crontab; None: there is none
    running: set[str] = field(default_factory=set)  # timers, agents and tasks that the system knows
    broken: set[str] = field(default_factory=set)  # words that make a command fail
    calls: list[tuple[str, ...]] = field(default_factory=list)

    @property
    def system(self) -> ScheduleSystem:
        return ScheduleSystem(self.platform, self.home, self.home / ".waypost/schedule", 501, self.run, self.which)

    def which(self, program: str) -> str | None:
        return f"/usr/bin/{program}" if program in self.programs else None

    def run(self, command: Sequence[str], given: bytes) -> CommandResult:
        self.calls.append(tuple(command))
        if command[0] not in self.programs:
            return CommandResult(-1, b"", b"No such file or directory")
        if self.broken & set(command):
            return CommandResult(1, b"", b"It is broken today.\nVery much so.")
        return {"crontab": self._crontab, "systemctl": self._systemctl}.get(command[0], self._other)(command, given)

    def _crontab(self, command: Sequence[str], given: bytes) -> CommandResult:
        if command[1] == "-l":
            return CommandResult(1, b"", b"no crontab for me\n") if self.table is None else CommandResult(0, self.table)
        self.table = given if command[1] == "-" else None
        return CommandResult(0)

    def _systemctl(self, command: Sequence[str], _: bytes) -> CommandResult:
        if not self.bus:
            return CommandResult(1, b"", b"Failed to connect to bus: No medium found")
        name = command[-1]
        if "enable" in command:
            if not (self.home / ".config/systemd/user" / name).is_file():
                return CommandResult(1, b"", b"Failed to enable unit: Unit file does not exist.")
            self.running.add(name)
        if "disable" in command:
            self.running.discard(name)
        return CommandResult(0 if "is-active" not in command or name in self.running else 3)

    def _other(self, command: Sequence[str], _: bytes) -> CommandResult:
        known = command[3] if command[0] == "schtasks" else command[-1].rpartition("/")[2].removesuffix(".plist")
        if command[1] in {"bootstrap", "/Create"}:
            self.running.add(known)
        elif command[1] in {"bootout", "/Delete"}:
            self.running.discard(known)
        elif known not in self.running:
            return CommandResult(1, b"", b"There is no such thing.")
        return CommandResult(0)


@pytest.fixture
def fake(tmp_path: Path) -> FakeSystem:
    home = tmp_path / "person"
    home.mkdir()
    return FakeSystem(home)


@pytest.fixture
def job() -> ScheduledJob:
    command = ("/opt/python", "-P", "-m", "waypost", "-C", "/home/me/project", "maintain")
    return ScheduledJob("0123456789abcdef", "project", command, At(4, 0), {"WAYPOST_HOME": "/srv/memories"})


HARD_WORDS = (
    "/a b/'quoted' \"twice\"/$HOME/`x`",
    "/100%/%h/50%%",
    "/back\\slash/two\\\\/\\%/end\\",
    "/größe/память/✓",
    "/;rm -rf ~/&|<>()*?[]#!",
    "--person=O'Brien",
    "",
)
