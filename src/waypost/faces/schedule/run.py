"""Maintain all memories of this machine, one after the other. A failure of one does not stop the next."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from waypost.config import Settings
from waypost.errors import WaypostError
from waypost.memory import Memory
from waypost.memory.catalog import open_by_id, space_entry
from waypost.model.memory import Caller
from waypost.space.metadata import METADATA_FILE, read_metadata
from waypost.space.place import marker_file, space_directory

_SCHEDULE = Caller("extractor", "schedule")


@dataclass(frozen=True, slots=True)
class ScheduledMemory:
    """A memory of a person or of a repository. With neither, its repository is not on this machine.

    `gone` is the reason if it cannot be opened.
    """

    space: str
    name: str
    person: str | None = None
    root: Path | None = None
    gone: str = ""


@dataclass(frozen=True, slots=True)
class MaintainedMemory:
    place: ScheduledMemory
    done: int = 0
    failure: str = ""

    @property
    def failed(self) -> bool:
        return bool(self.failure)

    @property
    def line(self) -> str:
        what = self.failure or (f"skipped: {self.place.gone}" if self.place.gone else f"{self.done} things done")
        return f"{self.place.name} ({self.place.space}): {what}"

    def to_json(self) -> dict[str, Any]:
        return {
            "space": self.place.space,
            "name": self.place.name,
            "done": self.done,
            "skipped": self.place.gone,
            "error": self.failure,
        }


def run_all(settings: Settings) -> tuple[MaintainedMemory, ...]:
    return tuple(_maintain(memory, settings) for memory in _memories(settings))


def _open(place: ScheduledMemory, settings: Settings) -> Memory:
    if place.root is None and place.person is None:
        return open_by_id(settings, _SCHEDULE, place.space)
    return Memory.open(place.root or ".", caller=_SCHEDULE, person=place.person, settings=settings)


def _maintain(place: ScheduledMemory, settings: Settings) -> MaintainedMemory:
    if place.gone:
        return MaintainedMemory(place)
    try:
        with _open(place, settings) as memory:
            return MaintainedMemory(place, sum(step.done for step in memory.admin.maintain()))
    except WaypostError as error:
        return MaintainedMemory(place, failure=error.what)


def _memories(settings: Settings) -> tuple[ScheduledMemory, ...]:
    try:
        names = sorted(path.parent.name for path in settings.memory_root.glob(f"*/{METADATA_FILE}"))
    except OSError:
        return ()
    return tuple(memory for name in names if (memory := _memory(settings, name)) is not None)


def _memory(settings: Settings, space: str) -> ScheduledMemory | None:
    name = space
    try:
        folder = space_directory(settings.memory_root, space)
        metadata = read_metadata(folder)
        name = metadata.name
        if not (folder / marker_file(settings)).is_file():
            return None
        if metadata.kind == "person":
            return ScheduledMemory(space, name, person=name)
        return ScheduledMemory(space, name, root=space_entry(settings, space).identity.root)
    except WaypostError as error:
        return ScheduledMemory(space, name, gone=error.what)
