"""The memories that a memory can share with: those of the same data directory or database."""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from waypost.config import Settings
from waypost.errors import InvalidInput, NotFound
from waypost.flows.neighbours import Neighbour
from waypost.memory.storage import open_stored, stored_space, stored_spaces
from waypost.model.memory import StoredSpace
from waypost.model.share import ShareRow
from waypost.model.time import Clock
from waypost.space.alias import identify_here
from waypost.space.identity import SPACE_ID, Identity
from waypost.store.protocol import Store
from waypost.store.shares import GIVES, TAKES

if TYPE_CHECKING:
    from waypost.store.postgres.directory.rows import ShareHalf

PATIENCE_SECONDS = 1.0  # how long an answer waits for a locked project
_MOST_LISTED = 5  # projects of the same name in a message


class StoredNeighbours:
    """The other memories in the data directory of the space `own`.

    Each is opened on demand and closed again, so that a moved or removed memory is gone at once.
    """

    def __init__(self, own: str, settings: Settings, clock: Clock) -> None:
        self._own, self._settings, self._clock = own, settings, clock

    def listed(self) -> list[Neighbour]:
        others = (space for space in stored_spaces(self._settings) if space.space_id != self._own)
        return _by_name(Neighbour(space.space_id, space.kind, space.name) for space in others)

    def partners(self) -> list[Neighbour]:
        return self.listed()

    def name_of(self, space_id: str) -> str:
        return self._by_id(space_id).name

    def find(self, project: str) -> Neighbour:
        if os.sep in project or "/" in project or project.startswith("."):
            return self._at_path(project)
        if SPACE_ID.fullmatch(project):
            try:
                return self._by_id(project)
            except NotFound:  # the name of a project may look like an id
                pass
        matches = [space for space in self.listed() if space.name.casefold() == project.strip().casefold()]
        if len(matches) == 1:
            return matches[0]
        if matches:
            ids = ", ".join(space.space_id for space in matches[:_MOST_LISTED])
            raise InvalidInput(
                f"{len(matches)} projects here are called {project[:60]!r}.", f"Give the id of one: {ids}."
            )
        if os.path.isdir(project):
            return self._at_path(project)
        raise NotFound(f"There is no memory of a project {project[:60]!r} here.", self._where_to_look)

    def halves(self, space_id: str) -> Mapping[str, ShareRow]:
        with self.opened(space_id) as store, store.read() as reader:
            rows = [reader.shares.get(role, self._own) for role in (GIVES, TAKES)]
        return {row.role: row for row in rows if row is not None}

    @contextmanager
    def opened(self, space_id: str) -> Iterator[Store]:
        with self._open(stored_space(self._settings, space_id)) as store:
            yield store

    @contextmanager
    def note(self, space_id: str) -> Iterator[Store | None]:
        with self.opened(space_id) as store:
            yield store

    def _open(self, space: StoredSpace, guest_of: str | None = None) -> AbstractContextManager[Store]:
        timeout = min(PATIENCE_SECONDS, self._settings.busy_timeout_seconds)
        return open_stored(self._settings, space, self._clock, busy_seconds=timeout, guest_of=guest_of)

    @property
    def _where_to_look(self) -> str:
        home = self._settings.home
        return f"Give its path, name or id. Projects share within one data directory or database; this is {home}."

    def _at_path(self, path: str) -> Neighbour:
        identity = identify_here(Path(path), self._settings)
        try:
            return self._by_id(identity.space_id)
        except NotFound:
            return self._without_memory(identity)

    def _without_memory(self, identity: Identity) -> Neighbour:
        """For a project, given by its path, that has no memory here."""
        raise NotFound(
            f"There is no memory of {identity.name[:60]!r} in {self._settings.home}.",
            "Projects share within one data directory or database: open it with the same WAYPOST_HOME or store first.",
        )

    def _by_id(self, space_id: str) -> Neighbour:
        space = stored_space(self._settings, space_id)
        return Neighbour(space.space_id, space.kind, space.name)


class TeamNeighbours(StoredNeighbours):
    """The other memories of a team's database: those this login may open, and those that share with the own space.

    You can offer something to any other memory by id or path. Whether it exists is not disclosed.
    """

    def listed(self) -> list[Neighbour]:
        spaces = {space.space_id: space for space in (*self.partners(), *super().listed())}
        return _by_name(spaces.values())

    def partners(self) -> list[Neighbour]:
        spaces = {half.space_id: Neighbour(half.space_id, half.kind, half.name) for half in self._halves()}
        return _by_name(spaces.values())

    def find(self, project: str) -> Neighbour:
        try:
            return super().find(project)
        except NotFound:
            if SPACE_ID.fullmatch(project):
                return Neighbour(project, "", project)
            raise

    def halves(self, space_id: str) -> Mapping[str, ShareRow]:
        return {half.row.role: half.row for half in self._halves() if half.space_id == space_id}

    @contextmanager
    def opened(self, space_id: str) -> Iterator[Store]:
        other = self._by_id(space_id)
        # A guest's store uses only the id, and creates nothing.
        space = StoredSpace(space_id, other.kind, other.name, "", None, self._clock())
        with self._open(space, guest_of=self._own) as store:
            yield store

    @contextmanager
    def note(self, space_id: str) -> Iterator[Store | None]:
        try:
            space = stored_space(self._settings, space_id)
        except NotFound:
            yield None
            return
        with self._open(space) as store:
            yield store if store.may_write else None

    @property
    def _where_to_look(self) -> str:
        return "Give its path or its id. Names work for memories you are a member of and for those that offer you something."

    def _without_memory(self, identity: Identity) -> Neighbour:
        return Neighbour(identity.space_id, identity.kind, identity.name)

    def _by_id(self, space_id: str) -> Neighbour:
        try:
            return super()._by_id(space_id)
        except NotFound:
            for half in self._halves():
                if half.space_id == space_id and half.row.stands:
                    return Neighbour(half.space_id, half.kind, half.name)
            raise

    def _halves(self) -> "tuple[ShareHalf, ...]":
        from waypost.store.postgres.store import halves_about

        return halves_about(self._settings.store, self._own, self._clock)


def _by_name(spaces: Iterable[Neighbour]) -> list[Neighbour]:
    return sorted(spaces, key=lambda space: (space.name.lower(), space.space_id))
