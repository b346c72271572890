"""What was done with the schedule, and how it stands."""

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
    active: bool  # the system runs it by itself from now on
    written: Mapping[str, str] = field(default_factory=dict)  # file or table → its text
    commands: tuple[str, ...] = ()  # what the person has to run
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
    """How one scheduler stands to a job."""

    using: str
    usable: bool  # it could be installed there
    installed: bool
    active: bool = False
    note: str = ""  # why not, or what is odd

    def to_json(self) -> dict[str, Any]:
        return {
            "using": self.using,
            "usable": self.usable,
            "installed": self.installed,
            "active": self.active,
            "note": self.note,
        }


class Scheduler(Protocol):
    """One way to have something run every day."""

    kind: str

    def reason_against(self) -> str:
        """Why it cannot be used here; empty when it can."""
        ...

    def install(self, job: ScheduledJob, *, dry_run: bool) -> ScheduleReport: ...

    def uninstall(self, name: str, *, dry_run: bool) -> ScheduleReport: ...

    def standing(self, name: str) -> ScheduleState: ...
