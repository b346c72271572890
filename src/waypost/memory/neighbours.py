"""The other memories of a home or a database, for what is shared between them."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from waypost.config import Settings
from waypost.errors import InvalidInput, NotFound, WaypostError
from waypost.flows.share_spaces import Neighbour
from waypost.memory.stores import opened, stored_ids, stored_space
from waypost.model.time import Clock
from waypost.space.identity import identify
from waypost.store.protocol import Store

PATIENCE_SECONDS = 1.0  # that an answer waits for a project that is locked
_ID = re.compile(r"[0-9a-f]{16}")
_MOST_TOLD = 5  # projects of one name that are listed


class StoredNeighbours:
    """Those that are kept where the space `own` is. Opened when asked for and closed again: nothing is held, so that a
    memory that is moved away or removed is gone at once."""

    def __init__(self, own: str, settings: Settings, clock: Clock) -> None:
        self._own, self._settings, self._clock = own, settings, clock

    def listed(self) -> list[Neighbour]:
        found = list[Neighbour]()
        for space_id in stored_ids(self._settings):
            if _ID.fullmatch(space_id) and space_id != self._own:
                try:
                    found.append(self._known(space_id))
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
            f"Give its path, its name or its id. Projects share within one home or database; this is {self._place}.",
        )

    @contextmanager
    def opened(self, space_id: str) -> Iterator[Store]:
        patience = min(PATIENCE_SECONDS, self._settings.busy_timeout_seconds)
        with opened(
            self._settings, stored_space(self._settings, space_id), self._clock, busy_seconds=patience
        ) as store:
            yield store

    @property
    def _place(self) -> str:
        return "the one of the settings" if self._settings.store else str(self._settings.home)

    def _of_path(self, told: str) -> Neighbour:
        identity = identify(Path(told), machine=self._settings.shared_machine)
        try:
            return self._known(identity.space_id)
        except NotFound as error:
            raise NotFound(
                f"Nothing of {identity.name[:60]!r} is remembered in this home ({self._place}).",
                "Projects share within one home or database: open it with the same WAYPOST_HOME or store first.",
            ) from error

    def _known(self, space_id: str) -> Neighbour:
        found = stored_space(self._settings, space_id)
        return Neighbour(found.space_id, found.kind, found.name)
