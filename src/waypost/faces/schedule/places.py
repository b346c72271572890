"""All memories of this machine's person, each by the place where it can be opened."""

import os
from dataclasses import dataclass
from pathlib import Path

from waypost.config import Settings
from waypost.errors import NotFound, WaypostError
from waypost.model.time import utc_now
from waypost.space.identity import identify
from waypost.space.metadata import METADATA_FILE, read_metadata
from waypost.space.place import DATABASE_FILE, space_directory


@dataclass(frozen=True, slots=True)
class Place:
    """A memory: of a person, or of a tree. `gone`: it has no tree that is still there, and why."""

    space: str
    name: str
    person: str | None = None
    root: Path | None = None
    gone: str = ""


def places(settings: Settings) -> tuple[Place, ...]:
    """Every memory that has something in it, by name. What cannot be opened says why."""
    try:
        names = sorted(path.parent.name for path in settings.memory_root.glob(f"*/{METADATA_FILE}"))
    except OSError:
        return ()
    return tuple(place for name in names if (place := _place(settings, name)) is not None)


def _place(settings: Settings, space: str) -> Place | None:
    name = space
    try:
        folder = space_directory(settings.memory_root, space)
        metadata = read_metadata(folder)
        name = metadata.name
        if not (folder / DATABASE_FILE).is_file():
            return None
        if metadata.kind == "person":
            return Place(space, name, person=name)
        return Place(space, name, root=_root(folder, space, settings))
    except WaypostError as error:
        return Place(space, name, gone=error.what)


def _root(folder: Path, space: str, settings: Settings) -> Path:
    """A tree of this space that is still there and still is its own: a folder can have become another project."""
    from waypost.store.sqlite.store import SqliteStore  # with the database, which only this needs

    store = SqliteStore(folder, clock=utc_now, busy_seconds=settings.busy_timeout_seconds)
    try:
        with store.read() as reader:
            roots = list(reader.checkouts().values())
    finally:
        store.close()
    for root in roots:
        if os.path.isdir(root) and identify(Path(root)).space_id == space:
            return Path(root)
    raise NotFound("Its tree is gone.", "")
