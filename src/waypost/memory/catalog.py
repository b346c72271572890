"""The memories that there are in a home: what a server lists, and how it opens one by its id (CG-3)."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waypost.config import Settings, user_home
from waypost.errors import InvalidInput, NotFound, StoreCorrupt, WaypostError
from waypost.flows.index.treeless import checkouts_of
from waypost.memory.spaces import open_spaces
from waypost.memory.storage import StoredSpace, opened, stored_space, stored_spaces
from waypost.model.checkout import Checkout
from waypost.model.memory import Caller
from waypost.model.time import Clock, format_time, utc_now
from waypost.space.alias import aliases, first_step, identify_here
from waypost.space.identity import Identity, identify, identify_away, identify_person, tree_here

if TYPE_CHECKING:
    from waypost.memory import Memory

_RECENT_SECONDS, _MOST_RECENT = 2.0, 1000


@dataclass(frozen=True, slots=True)
class KnownSpace:
    """A memory of this home. `roots` are the trees in which it was used, the latest first; `checkouts` the same, the one
    that it was compared with last first."""

    space_id: str
    kind: str
    name: str
    created: datetime
    roots: tuple[Path, ...]
    checkouts: tuple[Checkout, ...] = ()
    source: str = ""
    origin: str | None = None
    machine: str = ""  # the name of this one, where the store is shared
    aliases: Mapping[str, str] = field(default_factory=dict)  # ids of folders that stand for another memory
    damage: str = ""  # why it cannot be opened, and what to do

    @property
    def identity(self) -> Identity:
        """As it is known from a tree that is still there and still its own; where there is none, as it was seen last."""
        if self.kind == "person":
            return identify_person(self.name)
        return self._here() or self.away()

    def away(self, checkout: str | None = None) -> Identity:
        """As it was seen last in one of its checkouts, wherever that is. Raises NotFound for what is none of them."""
        ids = [checkout.id for checkout in self.checkouts]
        if checkout is not None and checkout not in ids:
            raise NotFound(f"{self.name!r} has no checkout {checkout[:40]!r}.", "Look at the space for their ids.")
        return identify_away(self.space_id, self.name, self.source, self.origin, checkout or next(iter(ids), ""))

    def _here(self) -> Identity | None:
        for root in self.roots:
            try:
                found = identify(root, machine=self.machine)
            except InvalidInput:  # the tree is gone, or cannot be read
                continue
            if self.aliases.get(first_step(found, self.aliases) or "", found.space_id) == self.space_id:
                return replace(found, space_id=self.space_id)
        return None

    def to_json(self) -> dict[str, Any]:
        damage = {"damage": self.damage} if self.damage else {}
        return {
            "id": self.space_id,
            "kind": self.kind,
            "name": self.name,
            "created": format_time(self.created),
            "roots": [str(root) for root in self.roots],
            "has_tree": self.kind == "project" and self._here() is not None,
            "checkouts": [checkout.to_json() for checkout in self.checkouts],
            **damage,
        }


def known_spaces(settings: Settings, clock: Clock = utc_now) -> list[KnownSpace]:
    """All memories of a home, by name; of one whose database is damaged, what can be known without it."""
    found = list[KnownSpace]()
    for stored in stored_spaces(settings):
        try:
            found.append(_known(settings, stored, clock))
        except StoreCorrupt as error:
            about = (stored.space_id, stored.kind, stored.name, stored.created, (), (), stored.source, stored.origin)
            found.append(KnownSpace(*about, damage=f"{error.what} {error.remedy}"))
        except WaypostError:  # taken away meanwhile
            continue
    return sorted(found, key=lambda one: (one.name.lower(), one.space_id))


def known_space(settings: Settings, space_id: str, clock: Clock = utc_now) -> KnownSpace:
    """The memory of this id. Raises NotFound when there is no such memory."""
    return _known(settings, stored_space(settings, space_id), clock)


def _known(settings: Settings, stored: StoredSpace, clock: Clock) -> KnownSpace:
    with opened(settings, stored, clock) as store, store.read() as reader:
        told = [tree_here(root, settings.shared_machine) for root in reversed(reader.checkouts().values())]
        checkouts = checkouts_of(reader, clock())
    roots = tuple(root for root in told if root is not None)
    kind, name, source, origin = stored.kind, stored.name, stored.source, stored.origin
    machine = settings.shared_machine
    ids = aliases(settings.home)
    return KnownSpace(stored.space_id, kind, name, stored.created, roots, checkouts, source, origin, machine, ids)


def is_outside(settings: Settings, directory: Path) -> bool:
    """Whether who serves in a directory means no project by it: it is in no repository and has no memory of its own, and
    there are projects to serve, or it is no place for one."""
    try:
        identity = identify_here(directory, settings)
        if identity.source == "directory":
            known_space(settings, identity.space_id)
    except InvalidInput:
        return True
    except NotFound:
        here = directory.resolve()
        no_place = here in (Path(here.anchor), user_home().resolve()) or here.is_relative_to(settings.home.resolve())
        return no_place or any(known_space.kind == "project" for known_space in known_spaces(settings))
    return False


def open_known(
    settings: Settings, caller: Caller, space_id: str, clock: Clock = utc_now, *, checkout: str | None = None
) -> "Memory":
    """A memory by its id, in this caller's hands, for what serves or keeps all of a home.

    One whose tree is not on this machine is shown as it was seen in the checkout that it was compared with last.
    `checkout`: as it was seen last in that one, whether or not there is a tree here.
    """
    from waypost.memory import Memory

    known = known_space(settings, space_id, clock)
    return Memory(known.identity if checkout is None else known.away(checkout), settings, caller, clock)


class Spaces:
    """The memories of one home, as a server gives them out. `here` is the one that it was started in."""

    here_is_callers = False  # whether `here` is another one for each caller, and has to be asked of a database

    def __init__(self, here: "Memory", settings: Settings, clock: Clock = utc_now) -> None:
        self._here, self._settings, self._clock = here, settings, clock

    @property
    def here(self) -> str:
        """The id of the memory that the server was started in."""
        return self._here.space_id

    @property
    def home(self) -> Path:
        return self._settings.home

    @property
    def settings(self) -> Settings:
        return self._settings

    @property
    def store(self) -> str:
        """The address of the database that they are all in; empty: each has files of its own."""
        return self._settings.store

    def now(self) -> datetime:
        return self._clock()

    def listed(self) -> list[KnownSpace]:
        """All memories of this home, by name."""
        return known_spaces(self._settings, self._clock)

    def named(self) -> list[KnownSpace]:
        """The same for who needs no more than their names and kinds: a menu. Of a database, by one question, and without
        looking into any of them."""
        return self.listed()

    def known(self, space_id: str) -> KnownSpace:
        """Raises NotFound when there is no such memory."""
        return known_space(self._settings, space_id, self._clock)

    def memory(self, caller: Caller, space_id: str | None = None, checkout: str | None = None) -> "Memory":
        """The memory of this id, else the one that the server was started in; see `open_known`."""
        from waypost.memory import Memory

        identity = self._here._identity
        is_here = space_id is None or space_id == self.here
        if is_here and checkout is None and (identity.root is None or identity.root.is_dir()):
            return Memory(identity, self._settings, caller, self._clock)
        wanted = self.here if space_id is None else space_id
        return open_known(self._settings, caller, wanted, self._clock, checkout=checkout)

    def forget(self, space_id: str | None = None) -> None:
        """Keep nothing in memory of this one, or of all: another process has changed it."""
        open_spaces.forget(space_id)


class TeamSpaces(Spaces):
    """The memories of a team, as its server gives them out: each request sees those of whoever sends it."""

    here_is_callers = True

    def __init__(self, settings: Settings, clock: Clock = utc_now) -> None:
        # A worker would log in as the server, for nobody: it may nothing.
        self._settings, self._clock = replace(settings, background=False), clock
        self._recent: dict[str, tuple[Identity, float]] = {}  # as which each was opened, until when that is good

    @property
    def here(self) -> str:
        """The oldest project that the caller may see, else the oldest memory. Raises NotFound where there is none."""
        from waypost.store.postgres.store import spaces_in

        found = sorted(spaces_in(self._settings.store), key=lambda one: (one.kind != "project", one.created))
        if not found:
            raise NotFound(
                "You are a member of no memory here.",
                "Ask an owner of one, or an administrator, to add you: `waypost team member add`.",
            )
        return found[0].space_id

    def named(self) -> list[KnownSpace]:
        found = (
            KnownSpace(stored_space.space_id, stored_space.kind, stored_space.name, stored_space.created, ())
            for stored_space in stored_spaces(self._settings)
        )
        return sorted(found, key=lambda one: (one.name.lower(), one.space_id))

    def memory(self, caller: Caller, space_id: str | None = None, checkout: str | None = None) -> "Memory":
        from waypost.memory import Memory

        wanted = self.here if space_id is None else space_id
        if checkout is not None:
            return open_known(self._settings, caller, wanted, self._clock, checkout=checkout)
        return Memory(self._identity(wanted), self._settings, caller, self._clock)

    def forget(self, space_id: str | None = None) -> None:
        self._recent.clear()
        super().forget(space_id)

    def _identity(self, space_id: str) -> Identity:
        """As which it is opened, looked up every few seconds. That gives nobody a right: each transaction asks for them."""
        identity, until = self._recent.get(space_id, (None, 0.0))
        if identity is None or time.monotonic() > until:
            identity = self.known(space_id).identity
            if len(self._recent) >= _MOST_RECENT:
                self._recent.clear()
            self._recent[space_id] = (identity, time.monotonic() + _RECENT_SECONDS)
        return identity
