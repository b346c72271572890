"""The memories of a data directory or a database: how a server lists them and opens one by its id."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waypost.config import Settings, is_everything
from waypost.errors import InvalidInput, NotFound, StoreCorrupt, WaypostError
from waypost.flows.checkouts.treeless import checkouts_of
from waypost.memory.spaces import open_spaces
from waypost.memory.storage import open_stored, stored_space, stored_spaces
from waypost.model.checkout import Checkout
from waypost.model.memory import Caller, StoredSpace
from waypost.model.time import Clock, format_time, utc_now
from waypost.space.alias import aliases, first_step, identify_here
from waypost.space.identity import Identity, identify, identify_away, identify_person, tree_here

if TYPE_CHECKING:
    from waypost.memory import Memory

_RECENT_SECONDS, _MOST_RECENT = 2.0, 1000


@dataclass(frozen=True, slots=True)
class SpaceEntry:
    """One memory of the catalog.

    `roots` are its checkouts on this machine, latest first. `checkouts` are those on any machine, the one compared with
    it last first.
    """

    space_id: str
    kind: str
    name: str
    created: datetime
    roots: tuple[Path, ...]
    checkouts: tuple[Checkout, ...] = ()
    source: str = ""
    origin: str | None = None
    machine: str = ""  # name of this machine if the store is shared
    aliases: Mapping[str, str] = field(default_factory=dict)  # folder ids that lead to another memory
    damage: str = ""  # why it can't be opened, and what to do

    @property
    def identity(self) -> Identity:
        """The identity from a checkout on this machine that still belongs to it; else from the last known checkout."""
        if self.kind == "person":
            return identify_person(self.name)
        return self._here() or self.away()

    def away(self, checkout: str | None = None) -> Identity:
        """The identity from the last known state of a checkout on any machine. Raises NotFound for an unknown checkout."""
        ids = [used.id for used in self.checkouts]
        if checkout is not None and checkout not in ids:
            raise NotFound(f"{self.name!r} has no checkout {checkout[:40]!r}.", "Look at the space for their ids.")
        return identify_away(self.space_id, self.name, self.source, self.origin, checkout or next(iter(ids), ""))

    def _here(self) -> Identity | None:
        for root in self.roots:
            try:
                identity = identify(root, machine=self.machine)
            except InvalidInput:  # the checkout is gone or unreadable
                continue
            if self.aliases.get(first_step(identity, self.aliases) or "", identity.space_id) == self.space_id:
                return replace(identity, space_id=self.space_id)
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


def space_entries(settings: Settings, clock: Clock = utc_now) -> list[SpaceEntry]:
    """All memories by name. The entry of a damaged one has what is known without its database."""
    entries = list[SpaceEntry]()
    for stored in stored_spaces(settings):
        try:
            entries.append(_entry(settings, stored, clock))
        except StoreCorrupt as error:
            about = (stored.space_id, stored.kind, stored.name, stored.created, (), (), stored.source, stored.origin)
            entries.append(SpaceEntry(*about, damage=f"{error.what} {error.remedy}"))
        except WaypostError:  # removed meanwhile
            continue
    return sorted(entries, key=lambda entry: (entry.name.lower(), entry.space_id))


def space_entry(settings: Settings, space_id: str, clock: Clock = utc_now) -> SpaceEntry:
    """The memory of this id. Raises NotFound if it does not exist."""
    return _entry(settings, stored_space(settings, space_id), clock)


def _entry(settings: Settings, stored: StoredSpace, clock: Clock) -> SpaceEntry:
    with open_stored(settings, stored, clock) as store, store.read() as reader:
        paths = [tree_here(root, settings.shared_machine) for root in reversed(reader.code.checkouts().values())]
        checkouts = checkouts_of(reader, clock())
    roots = tuple(root for root in paths if root is not None)
    kind, name, source, origin = stored.kind, stored.name, stored.source, stored.origin
    machine = settings.shared_machine
    ids = aliases(settings.home)
    return SpaceEntry(stored.space_id, kind, name, stored.created, roots, checkouts, source, origin, machine, ids)


def is_outside(settings: Settings, directory: Path) -> bool:
    """Whether a server started in this directory serves no project of its own.

    True if it is in no repository and has no memory, and it can't be a project or projects exist.
    """
    try:
        identity = identify_here(directory, settings)
        if identity.source == "directory":
            space_entry(settings, identity.space_id)
    except InvalidInput:
        return True
    except NotFound:
        here = directory.resolve()
        no_place = is_everything(here) or here.is_relative_to(settings.home.resolve())
        return no_place or any(space_entry.kind == "project" for space_entry in space_entries(settings))
    return False


def open_by_id(
    settings: Settings, caller: Caller, space_id: str, clock: Clock = utc_now, *, checkout: str | None = None
) -> "Memory":
    """A memory by its id, for this caller.

    Without a checkout on this machine, it shows the code of the checkout compared with it last. `checkout`: show the
    code of that one, even if there is one on this machine.
    """
    from waypost.memory import Memory

    entry = space_entry(settings, space_id, clock)
    return Memory(entry.identity if checkout is None else entry.away(checkout), settings, caller, clock)


class Spaces:
    """The memories that a server offers. `here` is the one it was started in."""

    here_is_callers = False  # whether `here` depends on the caller and needs a database query

    def __init__(self, here: "Memory", settings: Settings, clock: Clock = utc_now) -> None:
        self._here, self._settings, self._clock = here, settings, clock

    @property
    def here(self) -> str:
        """The id of the memory that the server was started in."""
        return self._here.identity.space_id

    @property
    def home(self) -> Path:
        return self._settings.home

    @property
    def settings(self) -> Settings:
        return self._settings

    @property
    def store(self) -> str:
        """URL of the database that holds all of them; empty if each has its own files."""
        return self._settings.store

    def now(self) -> datetime:
        return self._clock()

    def entries(self) -> list[SpaceEntry]:
        """All memories, by name."""
        return space_entries(self._settings, self._clock)

    def menu(self) -> list[SpaceEntry]:
        """The same with names and kinds only. A team's database needs one query and opens no memory."""
        return self.entries()

    def entry(self, space_id: str) -> SpaceEntry:
        """The memory of this id. Raises NotFound if it does not exist."""
        return space_entry(self._settings, space_id, self._clock)

    def memory(self, caller: Caller, space_id: str | None = None, checkout: str | None = None) -> "Memory":
        """The memory of this id, by default the one that the server was started in; see `open_by_id`."""
        from waypost.memory import Memory

        identity = self._here.identity
        is_here = space_id is None or space_id == self.here
        if is_here and checkout is None and (identity.root is None or identity.root.is_dir()):
            return Memory(identity, self._settings, caller, self._clock)
        chosen = self.here if space_id is None else space_id
        return open_by_id(self._settings, caller, chosen, self._clock, checkout=checkout)

    def create_person(self, caller: Caller, name: str) -> tuple[SpaceEntry, bool]:
        """The memory of a person, and whether it is new."""
        from waypost.memory import Memory

        identity = identify_person(name)
        try:
            return self.entry(identity.space_id), False
        except NotFound:
            Memory(identity, self._settings, caller, self._clock).status()  # creates its files
            return self.entry(identity.space_id), True

    def forget(self, space_id: str | None = None) -> None:
        """Close this memory, or all: another process has changed it."""
        open_spaces.forget(space_id)


class TeamSpaces(Spaces):
    """The memories of a team. Each request sees those of its sender."""

    here_is_callers = True

    def __init__(self, settings: Settings, clock: Clock = utc_now) -> None:
        # A worker would connect as the server role, which has no rights.
        self._settings, self._clock = replace(settings, background=False), clock
        self._recent: dict[str, tuple[Identity, float]] = {}  # identity by id, and until when it may be used

    @property
    def here(self) -> str:
        """The oldest project that the caller may see, else the oldest memory. Raises NotFound if the caller may see no memory."""
        from waypost.store.postgres.store import spaces_in

        spaces = sorted(spaces_in(self._settings.store), key=lambda space: (space.kind != "project", space.created))
        if not spaces:
            raise NotFound(
                "You are a member of no memory here.",
                "Ask an owner of one, or an administrator, to add you: `waypost team member add`.",
            )
        return spaces[0].space_id

    def menu(self) -> list[SpaceEntry]:
        entries = (
            SpaceEntry(stored.space_id, stored.kind, stored.name, stored.created, ())
            for stored in stored_spaces(self._settings)
        )
        return sorted(entries, key=lambda entry: (entry.name.lower(), entry.space_id))

    def memory(self, caller: Caller, space_id: str | None = None, checkout: str | None = None) -> "Memory":
        from waypost.memory import Memory

        chosen = self.here if space_id is None else space_id
        if checkout is not None:
            return open_by_id(self._settings, caller, chosen, self._clock, checkout=checkout)
        return Memory(self._identity(chosen), self._settings, caller, self._clock)

    def forget(self, space_id: str | None = None) -> None:
        self._recent.clear()
        super().forget(space_id)

    def _identity(self, space_id: str) -> Identity:
        """The identity, looked up every few seconds. It grants no rights: each transaction checks them."""
        identity, until = self._recent.get(space_id, (None, 0.0))
        if identity is None or time.monotonic() > until:
            identity = self.entry(space_id).identity
            if len(self._recent) >= _MOST_RECENT:
                self._recent.clear()
            self._recent[space_id] = (identity, time.monotonic() + _RECENT_SECONDS)
        return identity
