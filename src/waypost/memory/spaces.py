"""The spaces that this process has open. The only place that wires parts together."""

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
from waypost.memory.storage import StoredSpace, open_store
from waypost.model.ids import IdMaker
from waypost.model.time import Clock
from waypost.space.identity import Identity
from waypost.space.metadata import keep_metadata, read_metadata
from waypost.space.place import open_space as make_space
from waypost.store.protocol import Store

if TYPE_CHECKING:
    from waypost.flows.share.spaces import Neighbours

IDLE_SECONDS = 3600  # an open space that nobody used for this long is closed


class OpenSpaces:
    """The spaces that this process has open, one instance each, closed after an hour without use."""

    def __init__(self) -> None:
        self._open: dict[_Key, tuple[OpenSpace, datetime]] = {}
        self._turns: dict[_Key, _Turn] = {}
        self._lock = threading.Lock()  # of these two; never held while a database is waited for

    def get(self, identity: Identity, settings: Settings, clock: Clock) -> OpenSpace:
        """Whoever else wants the same space waits while it is opened, nobody else does: a database may be slow, or dead."""
        key = _key(identity, settings)
        known = self._known(key, settings, clock())
        if known is not None:
            return known
        with self._turn(key) as turn:
            known = self._known(key, settings, clock())  # opened by another meanwhile
            if known is not None:
                return known
            if turn.failed is not None:
                raise StoreUnavailable(turn.failed.what, turn.failed.remedy, undone=turn.failed.undone)
            return self._wired(turn, key, lambda: _wire(identity, settings, clock), clock)

    def drop(self, identity: Identity, settings: Settings) -> None:
        self._close([_key(identity, settings)])

    def forget(self, space_id: str | None = None) -> None:
        """Keep nothing in memory of this space in any of its trees, or of all: another process has changed it. For spaces
        in a database server, where whoever is at work with one can go on."""
        with self._lock:
            keys = [key for key in (*self._open, *self._turns) if space_id in (None, key[1])]
        self._close(keys)

    def start_afresh(self) -> None:
        """In a forked child: every space is opened anew, whatever the parent's threads were doing with theirs."""
        self._open, self._turns, self._lock = {}, {}, threading.Lock()

    def drop_all(self) -> None:
        with self._lock:
            keys = [*self._open, *self._turns]
        self._close(keys)

    def _known(self, key: "_Key", settings: Settings, now: datetime) -> OpenSpace | None:
        """The space, if it is open with these settings. What nobody used for long is closed on the way."""
        with self._lock:
            known = self._open.get(key)
            if known and known[0].settings == settings:
                self._open[key] = (known[0], now)
            idle = [one for one, (_, used) in self._open.items() if (now - used).total_seconds() > IDLE_SECONDS]
        if known and known[0].settings != settings:  # wired anew: another engine has to be noticed
            idle.append(key)
            known = None
        self._close(idle)
        return known[0] if known else None

    @contextmanager
    def _turn(self, key: "_Key") -> Iterator["_Turn"]:
        with self._lock:
            turn = self._turns.setdefault(key, _Turn())
            turn.asked += 1
        try:
            with turn.lock:
                yield turn
        finally:
            with self._lock:
                turn.asked -= 1
                if not turn.asked and self._turns.get(key) is turn:
                    del self._turns[key]

    def _wired(self, turn: "_Turn", key: "_Key", wire: Callable[[], OpenSpace], clock: Clock) -> OpenSpace:
        turn.is_dropped = False
        try:
            space = wire()
        except StoreUnavailable as error:
            with self._lock:  # who comes from now on tries again
                turn.failed = error
                if self._turns.get(key) is turn:
                    del self._turns[key]
            raise
        with self._lock:
            if not turn.is_dropped:
                self._open[key] = (space, clock())
        return space

    def _close(self, keys: "Iterable[_Key]") -> None:
        """What is just being opened is for those who asked for it, and not kept."""
        with self._lock:
            spaces = [self._open.pop(key)[0] for key in dict.fromkeys(keys) if key in self._open]
            for key in keys:
                if key in self._turns:
                    self._turns[key].is_dropped = True
        for space in spaces:
            space.store.close()


class _Turn:
    """Of those who want the same space: one opens it, the others wait. Where its server cannot be reached, those who have
    waited are told so too, instead of trying one after another."""

    __slots__ = ("asked", "failed", "is_dropped", "lock")

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.asked = 0
        self.failed: StoreUnavailable | None = None
        self.is_dropped = False


_Key = tuple[Path, str, str, Path | None]


def _key(identity: Identity, settings: Settings) -> _Key:
    return settings.home, identity.space_id, identity.checkout_id, identity.root


def space_on(store: Store, identity: Identity, settings: Settings, clock: Clock, folder: Path) -> OpenSpace:
    """A space that is in this store."""
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
        _let_in(space)
    except BaseException:
        store.close()
        raise
    keep_metadata(folder, space.engines.main.name, store.schema_version)
    if store.may_write:
        with suppress(StoreCorrupt):  # what can be read is read; a write would fail, and say what to do
            flows.engines.pending_vectors.adopt_engine(space)
            flows.write.scrub.finish_forgetting(space)
            flows.admin.neglect.call_if_neglected(space)
    return space


def _let_in(space: OpenSpace) -> None:
    """A checkout that is seen for the first time must belong to this memory. Whether another one was made for the same
    repository is looked for then."""
    if not is_known_checkout(space):
        flows.checkouts.admission.admit(space, flows.checkouts.relatives.look_for_relatives)


def _start_worker(space: OpenSpace) -> None:
    flows.admin.worker.start_worker(space)  # imported when one is needed


def _neighbours(space: OpenSpace) -> "Neighbours":
    from waypost.memory.share_partners import StoredNeighbours, TeamNeighbours  # only where something is shared

    kept = TeamNeighbours if space.settings.store else StoredNeighbours
    return kept(space.identity.space_id, space.settings, space.clock)


def _shared_engine(name: str, settings: Settings) -> Engine:
    """Spaces of one process share an engine: its weights are in memory once."""
    key = (open_engine, name, settings.models, settings.ollama, settings.openai)
    with _engines_lock:
        if key not in _engines:
            _engines[key] = open_engine(name, settings)
        return _engines[key]


_engines: dict[object, Engine] = {}
_left: dict[object, Engine] = {}  # by a parent process
_engines_lock = threading.Lock()
open_spaces = OpenSpaces()
atexit.register(open_spaces.drop_all)


def _start_afresh() -> None:
    global _engines_lock  # noqa: PLW0603  a thread of the parent may hold it for ever
    _engines_lock = threading.Lock()
    _left.update(_engines)  # their threads did not come along: whoever ended them here would wait for these for ever
    _engines.clear()
    open_spaces.start_afresh()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_afresh)
