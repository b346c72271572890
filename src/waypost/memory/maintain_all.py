"""Maintenance of many memories in one call: every project and person of a data directory or a database."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from waypost.config import Settings
from waypost.errors import WaypostError
from waypost.memory.catalog import open_by_id
from waypost.memory.spaces import open_spaces
from waypost.memory.storage import stored_spaces
from waypost.model.memory import Caller, StoredSpace
from waypost.model.time import Clock
from waypost.space.place import marker_file, space_directory
from waypost.text.plural import counted

if TYPE_CHECKING:
    from waypost.flows.admin.maintenance import StepResult


@dataclass(frozen=True, slots=True)
class MaintainedMemory:
    space_id: str
    kind: str
    name: str
    steps: "Sequence[StepResult]" = ()
    problem: str = ""  # why it was left out, and what to do

    @property
    def done(self) -> int:
        return sum(step.done for step in self.steps)

    @property
    def line(self) -> str:
        what = self.problem or f"{counted(self.done, 'step')} done"
        return f"{self.name} ({self.space_id}): {what}"

    def to_json(self) -> dict[str, Any]:
        steps = [step.to_json() for step in self.steps]
        row = {"space": self.space_id, "kind": self.kind, "name": self.name, "done": self.done}
        return row | {"steps": steps, "error": self.problem}


def maintain_all(
    settings: Settings,
    caller: Caller,
    clock: Clock,
    *,
    force: bool = False,
    dry_run: bool = False,
    chosen: Callable[[str], bool] = lambda _: True,
) -> list[MaintainedMemory]:
    """Maintain each memory of this machine, by name; one that fails stops no other. `chosen` gets the id of each."""
    memories = [stored for stored in stored_spaces(settings) if chosen(stored.space_id) and _is_here(stored, settings)]
    memories.sort(key=lambda stored: (stored.name.lower(), stored.space_id))
    return [_maintain(stored, settings, caller, clock, force, dry_run) for stored in memories]


def _is_here(stored: StoredSpace, settings: Settings) -> bool:
    """Whether this machine uses the memory. Journals of others are on theirs."""
    return (space_directory(settings.memory_root, stored.space_id) / marker_file(settings)).is_file()


def _maintain(
    stored: StoredSpace, settings: Settings, caller: Caller, clock: Clock, force: bool, dry_run: bool
) -> MaintainedMemory:
    about = (stored.space_id, stored.kind, stored.name)
    was_open = open_spaces.is_open(stored.space_id)
    try:
        memory = open_by_id(settings, caller, stored.space_id, clock)
        try:
            return MaintainedMemory(*about, memory.admin.maintain(force=force, dry_run=dry_run))
        finally:
            if not was_open:  # thousands of users would keep thousands of databases open
                memory.close()
    except WaypostError as error:
        return MaintainedMemory(*about, problem=f"{error.what} {error.remedy}".strip())
