"""The other memories of a home, for what is shared between them."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from waypost.config import Settings
from waypost.errors import InvalidInput, NotFound, WaypostError
from waypost.flows.share_spaces import Neighbour
from waypost.model.time import Clock
from waypost.space.identity import identify
from waypost.space.metadata import read_metadata
from waypost.space.place import DATABASE_FILE, space_directory
from waypost.store.protocol import Store
from waypost.store.sqlite.store import SqliteStore

PATIENCE_SECONDS = 1.0  # that an answer waits for a project that is locked
_ID = re.compile(r"[0-9a-f]{16}")
_MOST_TOLD = 5  # projects of one name that are listed


class HomeNeighbours:
    """Those that lie in the same home as the space `own`. Opened when asked for and closed again: nothing is kept open, so
    that a memory that is moved away or removed is gone at once."""

    def __init__(self, own: str, settings: Settings, clock: Clock) -> None:
        self._own, self._settings, self._clock = own, settings, clock

    def listed(self) -> list[Neighbour]:
        root, found = self._settings.memory_root, list[Neighbour]()
        for folder in root.iterdir() if root.is_dir() else ():
            if _ID.fullmatch(folder.name) and folder.name != self._own:
                try:
                    found.append(self._known(folder.name))
                except WaypostError:  # something else that lies there, or damaged: `doctor` names it in its own project
                    continue
        return sorted(found, key=lambda one: (one.name.lower(), one.space_id))

    def name_of(self, space_id: str) -> str:
        return self._known(space_id).name

    def find(self, told: str) -> Neighbour:
        if os.sep in told or "/" in told or told.startswith("."):
            return self._of_path(told)
        if _ID.fullmatch(told):
            try:
                return self._known(told)
            except NotFound:  # a project may be called like an id
                pass
        named = [one for one in self.listed() if one.name.casefold() == told.strip().casefold()]
        if len(named) == 1:
            return named[0]
        if named:
            ids = ", ".join(one.space_id for one in named[:_MOST_TOLD])
            raise InvalidInput(f"{len(named)} projects here are called {told[:60]!r}.", f"Give the id of one: {ids}.")
        if os.path.isdir(told):
            return self._of_path(told)
        raise NotFound(
            f"No project {told[:60]!r} is remembered here.",
            f"Give its path, its name or its id. Projects share within one home; this one is {self._settings.home}.",
        )

    @contextmanager
    def opened(self, space_id: str) -> Iterator[Store]:
        folder = self._folder(space_id)
        patience = min(PATIENCE_SECONDS, self._settings.busy_timeout_seconds)
        store: Store = SqliteStore(folder, clock=self._clock, busy_seconds=patience)
        try:
            yield store
        finally:
            store.close()

    def _of_path(self, told: str) -> Neighbour:
        identity = identify(Path(told), machine=self._settings.shared_machine)
        try:
            return self._known(identity.space_id)
        except NotFound as error:
            raise NotFound(
                f"Nothing of {identity.name[:60]!r} is remembered in this home ({self._settings.home}).",
                "Projects share within one home: open it there with the same WAYPOST_HOME (waypost -C PATH status).",
            ) from error

    def _known(self, space_id: str) -> Neighbour:
        metadata = read_metadata(self._folder(space_id))
        return Neighbour(space_id, metadata.kind, metadata.name)

    def _folder(self, space_id: str) -> Path:
        folder = space_directory(self._settings.memory_root, space_id)
        if not (folder / DATABASE_FILE).is_file():
            raise NotFound("its memory is not here any more.", "`waypost share list` shows who shares.")
        return folder
