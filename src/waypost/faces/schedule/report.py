"""Reports about a scheduled job, and the protocol of a scheduler."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from waypost.faces.schedule.job import ScheduledJob

Deed = Literal["installed", "updated", "unchanged", "removed", "missing", "left"]


@dataclass(frozen=True, slots=True)
class ScheduleReport:
    """What one scheduler did, or with `dry_run` would do."""

    using: str
    name: str
    deed: Deed
    active: bool  # the system runs it from now on
    written: Mapping[str, str] = field(default_factory=dict)  # file or table → its text
    commands: tuple[str, ...] = ()  # commands you have to run
    notes: tuple[str, ...] = ()
    dry_run: bool = False

    def to_json(self) -> dict[str, Any]:
        return {
            "using": self.using,
            "name": self.name,
            "action": self.deed,
            "active": self.active,
            "written": dict(self.written),
            "commands": list(self.commands),
            "notes": list(self.notes),
            "dry_run": self.dry_run,
        }


@dataclass(frozen=True, slots=True)
class ScheduleState:
    using: str
    usable: bool  # this scheduler can be used here
    installed: bool
    active: bool = False
    note: str = ""  # why it cannot be used, or what is unusual

    def to_json(self) -> dict[str, Any]:
        return {
            "using": self.using,
            "usable": self.usable,
            "installed": self.installed,
            "active": self.active,
            "note": self.note,
        }


class Scheduler(Protocol):
    kind: str

    def reason_against(self) -> str:
        """Why it cannot be used here; empty if it can."""
        ...

    def install(self, job: ScheduledJob, *, dry_run: bool) -> ScheduleReport: ...

    def uninstall(self, name: str, *, dry_run: bool) -> ScheduleReport: ...

    def state(self, name: str) -> ScheduleState: ...
