"""The open spaces of this process. The only module that wires store, engines and workers together."""

import atexit
import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waypost import flows
from waypost.config import Settings
from waypost.context.cache import ContextCache
from waypost.embed.protocol import Engine
from waypost.embed.registry import open_engine
from waypost.errors import StoreCorrupt, StoreUnavailable
from waypost.flows.engines.choice import EngineChoice
from waypost.flows.open_space import OpenSpace, is_known_checkout
from waypost.memory.storage import open_store
from waypost.model.ids import IdMaker
from waypost.model.memory import StoredSpace
from waypost.model.time import Clock
from waypost.space.identity import Identity
from waypost.space.metadata import read_metadata, update_metadata
from waypost.space.place import open_space as make_space
from waypost.store.protocol import Store

if TYPE_CHECKING:
    from waypost.flows.neighbours import Neighbours

IDLE_SECONDS = 3600  # a space unused for this long is closed


class OpenSpaces:
    """The open spaces of this process: one instance each, closed after an idle hour."""

    def __init__(self) -> None:
        self._open: dict[_Key, tuple[OpenSpace, datetime]] = {}
        self._openings: dict[_Key, _Opening] = {}
        self._lock = threading.Lock()  # guards both; never held while waiting for a database

    def get(self, identity: Identity, settings: Settings, clock: Clock) -> OpenSpace:
        """The space, opened if needed. Only callers that want the same space wait: a database may be slow or down."""
        key = _key(identity, settings)
        space = self._open_space(key, settings, clock())
        if space is not None:
            return space
        with self._opening(key) as opening:
            space = self._open_space(key, settings, clock())  # another thread may have opened it
            if space is not None:
                return space
            if opening.error is not None:
                raise StoreUnavailable(opening.error.what, opening.error.remedy, undone=opening.error.undone)
            return self._wire_once(opening, key, lambda: _wire(identity, settings, clock), clock)

    def drop(self, identity: Identity, settings: Settings) -> None:
        self._close([_key(identity, settings)])

    def forget(self, space_id: str | None = None) -> None:
        """Close this space for all its checkouts, or close all spaces: another process has changed it.

        For spaces in a database server, where running work can go on.
        """
        with self._lock:
            keys = [key for key in (*self._open, *self._openings) if space_id in (None, key[1])]
        self._close(keys)

    def is_open(self, space_id: str) -> bool:
        """Whether this process has the space open, for any checkout."""
        with self._lock:
            return any(key[1] == space_id for key in self._open)

    def start_afresh(self) -> None:
        """In a forked child: drop all state, since the parent's threads may be using it."""
        self._open, self._openings, self._lock = {}, {}, threading.Lock()

    def drop_all(self) -> None:
        with self._lock:
            keys = [*self._open, *self._openings]
        self._close(keys)

    def _open_space(self, key: "_Key", settings: Settings, now: datetime) -> OpenSpace | None:
        """The space, if it is open with these settings. Idle spaces are closed on the way."""
        with self._lock:
            space, _ = self._open.get(key, (None, now))
            if space is not None and space.settings == settings:
                self._open[key] = (space, now)
            stale = [each for each, (_, used) in self._open.items() if (now - used).total_seconds() > IDLE_SECONDS]
        if space is not None and space.settings != settings:  # open it again: its engine may be another one
            stale.append(key)
            space = None
        self._close(stale)
        return space

    @contextmanager
    def _opening(self, key: "_Key") -> Iterator["_Opening"]:
        with self._lock:
            opening = self._openings.setdefault(key, _Opening())
            opening.waiting += 1
        try:
            with opening.lock:
                yield opening
        finally:
            with self._lock:
                opening.waiting -= 1
                if not opening.waiting and self._openings.get(key) is opening:
                    del self._openings[key]

    def _wire_once(self, opening: "_Opening", key: "_Key", wire: Callable[[], OpenSpace], clock: Clock) -> OpenSpace:
        opening.is_dropped = False
        try:
            space = wire()
        except StoreUnavailable as error:
            with self._lock:  # later callers try again
                opening.error = error
                if self._openings.get(key) is opening:
                    del self._openings[key]
            raise
        with self._lock:
            if not opening.is_dropped:
                self._open[key] = (space, clock())
        return space

    def _close(self, keys: "Iterable[_Key]") -> None:
        """Close these spaces. One that is being opened serves its callers, but isn't kept."""
        with self._lock:
            spaces = [self._open.pop(key)[0] for key in dict.fromkeys(keys) if key in self._open]
            for key in keys:
                if key in self._openings:
                    self._openings[key].is_dropped = True
        for space in spaces:
            space.store.close()


class _Opening:
    """A space that is being opened: one caller opens it, the others wait.

    If its server can't be reached, waiting callers get the same error instead of trying one after another.
    """

    __slots__ = ("error", "is_dropped", "lock", "waiting")

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.waiting = 0
        self.error: StoreUnavailable | None = None
        self.is_dropped = False


_Key = tuple[Path, str, str, Path | None]


def _key(identity: Identity, settings: Settings) -> _Key:
    return settings.home, identity.space_id, identity.checkout_id, identity.root


def space_on(store: Store, identity: Identity, settings: Settings, clock: Clock, folder: Path) -> OpenSpace:
    engines = EngineChoice(lambda name: _shared_engine(name, settings), settings.engine, settings.multilingual)
    contexts = ContextCache[Any](clock)
    return OpenSpace(
        identity, folder, settings, store, engines, clock, IdMaker(clock), _start_worker, contexts, _neighbours
    )


def _wire(identity: Identity, settings: Settings, clock: Clock) -> OpenSpace:
    folder = make_space(settings.memory_root, identity, clock=clock, model=settings.engine)
    origin, created = identity.origin, read_metadata(folder).created
    stored = StoredSpace(identity.space_id, identity.kind, identity.name, identity.source, origin, created)
    store = open_store(settings, stored, folder, clock)
    space = space_on(store, identity, settings, clock, folder)
    try:
        _admit(space)
    except BaseException:
        store.close()
        raise
    update_metadata(folder, space.engines.main.name, store.schema_version)
    if store.may_write:
        with suppress(StoreCorrupt):  # reading still works; a write would raise with the remedy
            flows.engines.pending_vectors.adopt_engine(space)
            flows.erase.cleanup.finish_forgetting(space)
            flows.admin.maintenance_trigger.start_if_overdue(space)
    return space


def _admit(space: OpenSpace) -> None:
    """Check that a new checkout belongs to this memory, and look for other memories of the same repository."""
    if not is_known_checkout(space):
        flows.checkouts.admission.admit(space, flows.checkouts.relatives.look_for_relatives)


def _start_worker(space: OpenSpace) -> None:
    flows.admin.worker.start_worker(space)  # imported when one is needed


def _neighbours(space: OpenSpace) -> "Neighbours":
    from waypost.memory.share_partners import StoredNeighbours, TeamNeighbours  # only for sharing

    neighbours = TeamNeighbours if space.settings.store else StoredNeighbours
    return neighbours(space.identity.space_id, space.settings, space.clock)


def _shared_engine(name: str, settings: Settings) -> Engine:
    """The engine of this name. All spaces of the process share it, so its weights are loaded once."""
    key = (open_engine, name, settings.models, settings.ollama, settings.openai)
    with _engines_lock:
        if key not in _engines:
            _engines[key] = open_engine(name, settings)
        return _engines[key]


_engines: dict[object, Engine] = {}
_inherited: dict[object, Engine] = {}  # engines of the parent process
_engines_lock = threading.Lock()
open_spaces = OpenSpaces()
atexit.register(open_spaces.drop_all)


def _start_afresh() -> None:
    global _engines_lock  # noqa: PLW0603  a thread of the parent may hold it forever
    _engines_lock = threading.Lock()
    _inherited.update(_engines)  # kept alive: closing them would wait forever for threads that were not forked
    _engines.clear()
    open_spaces.start_afresh()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_afresh)
