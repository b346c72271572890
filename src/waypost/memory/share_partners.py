"""The other memories of a home or a database, for what is shared between them."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from waypost.config import Settings
from waypost.errors import InvalidInput, NotFound
from waypost.flows.share.spaces import Neighbour
from waypost.memory.storage import StoredSpace, open_stored, stored_space, stored_spaces
from waypost.model.share import ShareRow
from waypost.model.time import Clock
from waypost.space.alias import identify_here
from waypost.space.identity import Identity
from waypost.store.protocol import Store
from waypost.store.share_protocol import GIVES, TAKES

if TYPE_CHECKING:
    from waypost.store.postgres.directory.rows import ShareHalf

PATIENCE_SECONDS = 1.0  # that an answer waits for a project that is locked
_ID = re.compile(r"[0-9a-f]{16}")
_MOST_TOLD = 5  # projects of one name that are listed


class StoredNeighbours:
    """Those that are kept in the home where the space `own` is. Opened when asked for and closed again: nothing is held, so that a
    memory that is moved away or removed is gone at once."""

    def __init__(self, own: str, settings: Settings, clock: Clock) -> None:
        self._own, self._settings, self._clock = own, settings, clock

    def listed(self) -> list[Neighbour]:
        found = (stored_space for stored_space in stored_spaces(self._settings) if stored_space.space_id != self._own)
        return _by_name(Neighbour(one.space_id, one.kind, one.name) for one in found)

    def partners(self) -> list[Neighbour]:
        return self.listed()

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
        raise NotFound(f"No project {told[:60]!r} is remembered here.", self._where_to_look)

    def halves(self, space_id: str) -> Mapping[str, ShareRow]:
        with self.opened(space_id) as store, store.read() as reader:
            found = [reader.share(role, self._own) for role in (GIVES, TAKES)]
        return {row.role: row for row in found if row is not None}

    @contextmanager
    def opened(self, space_id: str) -> Iterator[Store]:
        with self._open(stored_space(self._settings, space_id)) as store:
            yield store

    @contextmanager
    def note(self, space_id: str) -> Iterator[Store | None]:
        with self.opened(space_id) as store:
            yield store

    def _open(self, found: StoredSpace, guest_of: str | None = None) -> AbstractContextManager[Store]:
        patience = min(PATIENCE_SECONDS, self._settings.busy_timeout_seconds)
        return open_stored(self._settings, found, self._clock, busy_seconds=patience, guest_of=guest_of)

    @property
    def _where_to_look(self) -> str:
        home = self._settings.home
        return f"Give its path, its name or its id. Projects share within one home or database; this is {home}."

    def _of_path(self, told: str) -> Neighbour:
        identity = identify_here(Path(told), self._settings)
        try:
            return self._known(identity.space_id)
        except NotFound:
            return self._unknown(identity)

    def _unknown(self, identity: Identity) -> Neighbour:
        """A project that was told by its path, and that nothing is remembered of."""
        raise NotFound(
            f"Nothing of {identity.name[:60]!r} is remembered in this home ({self._settings.home}).",
            "Projects share within one home or database: open it with the same WAYPOST_HOME or store first.",
        )

    def _known(self, space_id: str) -> Neighbour:
        found = stored_space(self._settings, space_id)
        return Neighbour(found.space_id, found.kind, found.name)


class TeamNeighbours(StoredNeighbours):
    """Those of a database: what this login may open, and what was offered to the own space or is read by it. Others can be
    offered something by their id or path without being known: whether they are there is none of the giver's business."""

    def listed(self) -> list[Neighbour]:
        known = {one.space_id: one for one in (*self.partners(), *super().listed())}
        return _by_name(known.values())

    def partners(self) -> list[Neighbour]:
        known = {half.space_id: Neighbour(half.space_id, half.kind, half.name) for half in self._halves()}
        return _by_name(known.values())

    def find(self, told: str) -> Neighbour:
        try:
            return super().find(told)
        except NotFound:
            if _ID.fullmatch(told):
                return Neighbour(told, "", told)
            raise

    def halves(self, space_id: str) -> Mapping[str, ShareRow]:
        return {half.row.role: half.row for half in self._halves() if half.space_id == space_id}

    @contextmanager
    def opened(self, space_id: str) -> Iterator[Store]:
        known = self._known(space_id)
        # Only the id counts: nothing is made of what is told here.
        found = StoredSpace(space_id, known.kind, known.name, "", None, self._clock())
        with self._open(found, guest_of=self._own) as store:
            yield store

    @contextmanager
    def note(self, space_id: str) -> Iterator[Store | None]:
        try:
            found = stored_space(self._settings, space_id)
        except NotFound:
            yield None
            return
        with self._open(found) as store:
            yield store if store.may_write else None

    @property
    def _where_to_look(self) -> str:
        return "Give its path or its id; by its name are known those that you are a member of, and that offer you something."

    def _unknown(self, identity: Identity) -> Neighbour:
        return Neighbour(identity.space_id, identity.kind, identity.name)

    def _known(self, space_id: str) -> Neighbour:
        try:
            return super()._known(space_id)
        except NotFound:
            for half in self._halves():
                if half.space_id == space_id and half.row.stands:
                    return Neighbour(half.space_id, half.kind, half.name)
            raise

    def _halves(self) -> "tuple[ShareHalf, ...]":
        from waypost.store.postgres.store import halves_about

        return halves_about(self._settings.store, self._own, self._clock)


def _by_name(found: Iterable[Neighbour]) -> list[Neighbour]:
    return sorted(found, key=lambda one: (one.name.lower(), one.space_id))
