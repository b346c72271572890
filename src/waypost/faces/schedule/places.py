"""All memories of this machine's person, each by the place where it can be opened."""

from dataclasses import dataclass
from pathlib import Path

from waypost.config import Settings
from waypost.errors import WaypostError
from waypost.memory.catalog import space_entry
from waypost.space.metadata import METADATA_FILE, read_metadata
from waypost.space.place import marker_file, space_directory


@dataclass(frozen=True, slots=True)
class ScheduledMemory:
    """A memory: of a person, or of a tree; without either, of a project whose tree is not on this machine. `gone`: it
    cannot be opened, and why."""

    space: str
    name: str
    person: str | None = None
    root: Path | None = None
    gone: str = ""


def places(settings: Settings) -> tuple[ScheduledMemory, ...]:
    """Every memory that has something in it, by name. What cannot be opened says why."""
    try:
        names = sorted(path.parent.name for path in settings.memory_root.glob(f"*/{METADATA_FILE}"))
    except OSError:
        return ()
    return tuple(place for name in names if (place := _place(settings, name)) is not None)


def _place(settings: Settings, space: str) -> ScheduledMemory | None:
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
