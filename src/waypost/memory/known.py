"""The memories that there are in a home: what a server lists, and how it opens one by its id (CG-3)."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waypost.config import Settings
from waypost.errors import InvalidInput, NotFound, WaypostError
from waypost.model.memory import Caller
from waypost.model.time import Clock, format_time, utc_now
from waypost.space.identity import Identity, identify, identify_person
from waypost.space.metadata import read_metadata
from waypost.space.place import DATABASE_FILE, space_directory
from waypost.store.sqlite.store import SqliteStore

if TYPE_CHECKING:
    from waypost.memory import Memory


@dataclass(frozen=True, slots=True)
class KnownSpace:
    """A memory on this machine. `roots` are the trees in which it was used, the latest first."""

    space_id: str
    kind: str
    name: str
    created: datetime
    roots: tuple[Path, ...]

    @property
    def identity(self) -> Identity | None:
        """As it is known from a tree that is still there and still its own; None where there is none."""
        if self.kind == "person":
            return identify_person(self.name)
        for root in self.roots:
            try:
                found = identify(root)
            except InvalidInput:  # the tree is gone, or cannot be read
                continue
            if found.space_id == self.space_id:
                return found
        return None

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.space_id,
            "kind": self.kind,
            "name": self.name,
            "created": format_time(self.created),
            "roots": [str(root) for root in self.roots],
        }


class Spaces:
    """The memories of one home, as a server gives them out. `here` is the one that it was started in."""

    def __init__(self, here: "Memory", settings: Settings, clock: Clock = utc_now) -> None:
        self._here, self._settings, self._clock = here, settings, clock

    @property
    def here(self) -> str:
        """The id of the memory that the server was started in."""
        return self._here.space_id

    @property
    def home(self) -> Path:
        return self._settings.home

    def now(self) -> datetime:
        return self._clock()

    def listed(self) -> list[KnownSpace]:
        """All memories of this home that can be read, by name."""
        return sorted(self._known(), key=lambda one: (one.name.lower(), one.space_id))

    def known(self, space_id: str) -> KnownSpace:
        """Raises NotFound when there is no such memory."""
        folder = space_directory(self._settings.memory_root, space_id)
        if not (folder / DATABASE_FILE).is_file():
            raise _not_here(space_id)
        return self._read(folder)

    def memory(self, caller: Caller, space_id: str | None = None) -> "Memory":
        """The memory of this id, else the one that the server was started in, in this caller's hands."""
        from waypost.memory import Memory

        if space_id is None or space_id == self.here:
            return Memory(self._here._identity, self._settings, caller, self._clock)
        known = self.known(space_id)
        identity = known.identity
        if identity is None:
            raise NotFound(
                f"No tree of {known.name!r} is on this machine any more.", "Clone the project again, and index it."
            )
        return Memory(identity, self._settings, caller, self._clock)

    def _known(self) -> Iterator[KnownSpace]:
        root = self._settings.memory_root
        for folder in root.iterdir() if root.is_dir() else ():
            try:
                if (space_directory(root, folder.name) / DATABASE_FILE).is_file():
                    yield self._read(folder)
            except WaypostError:  # something else that lies there, or damaged: `doctor` names it in its own project
                continue

    def _read(self, folder: Path) -> KnownSpace:
        metadata = read_metadata(folder)
        return KnownSpace(folder.name, metadata.kind, metadata.name, metadata.created, self._roots(folder))

    def _roots(self, folder: Path) -> tuple[Path, ...]:
        store = SqliteStore(folder, clock=self._clock, busy_seconds=self._settings.busy_timeout_seconds)
        try:
            with store.read() as reader:
                return tuple(Path(root) for root in reversed(reader.checkouts().values()))
        finally:
            store.close()


def _not_here(space_id: str) -> NotFound:
    return NotFound(f"There is no memory {space_id[:40]!r} here.", "List the spaces to see their ids.")
