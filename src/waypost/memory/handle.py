"""What every part of the façade stands on: an open space, and the moment that a question is about."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Self

from waypost import config, flows
from waypost.config import Settings
from waypost.errors import InvalidInput, NotFound, SecurityError, StoreCorrupt, UnknownCheckout
from waypost.flows.open_space import OpenSpace
from waypost.memory.location import locate, locate_again
from waypost.memory.spaces import open_spaces
from waypost.model.checkout import Checkout
from waypost.model.kinds import scope_of
from waypost.model.memory import Caller
from waypost.model.recall import View
from waypost.model.time import Clock, Moment, parse_time, utc_now
from waypost.space.identity import Identity, identify_person
from waypost.space.place import check_claimed_id

LIBRARY = Caller("agent", "library")  # code that calls us is an agent, whatever its texts say

When = datetime | str | None


class OpenMemoryBase:
    """An open memory: which space, by which settings, for whom.

    Several objects of one space share one open database. One that was closed for idleness opens again by itself on the
    next call.
    """

    def __init__(self, identity: Identity, settings: Settings, caller: Caller, clock: Clock) -> None:
        self._identity = identity
        self._settings = settings
        self._caller = caller
        self._clock = clock

    @classmethod
    def open(
        cls,
        path: str | Path = ".",
        *,
        person: str | None = None,
        space_id: str | None = None,
        settings: Settings | None = None,
        clock: Clock = utc_now,
    ) -> Self:
        """The memory of the project that `path` belongs to, or of a person. The id is always computed; naming another
        one raises SecurityError."""
        return cls.open_as(LIBRARY, path, person=person, space_id=space_id, settings=settings, clock=clock)

    @classmethod
    def open_as(
        cls,
        caller: Caller,
        path: str | Path = ".",
        *,
        person: str | None = None,
        space_id: str | None = None,
        settings: Settings | None = None,
        clock: Clock = utc_now,
        for_repair: bool = False,
    ) -> Self:
        """For faces, which know who is calling. `for_repair`: a damaged database is no reason to fail, for `doctor` and
        `export` can work with it."""
        memory = cls._identified(caller, path, person=person, space_id=space_id, settings=settings, clock=clock)
        try:
            memory._space  # noqa: B018  an unusable place is reported now, not with the first write
        except UnknownCheckout as refused:
            identity = locate_again(memory._identity, refused, memory._settings, clock)
            if space_id is not None:
                check_claimed_id(identity, space_id)
            memory = cls(identity, memory._settings, caller, clock)
            memory._space  # noqa: B018
        except StoreCorrupt:
            if not for_repair:
                raise
        return memory

    @classmethod
    def _identified(
        cls,
        caller: Caller,
        path: str | Path = ".",
        *,
        person: str | None = None,
        space_id: str | None = None,
        settings: Settings | None = None,
        clock: Clock = utc_now,
    ) -> Self:
        """The same without opening the database: for what repairs it."""
        settings = settings or config.load()
        identity = identify_person(person) if person is not None else locate(Path(path), settings, clock)
        if space_id is not None:
            check_claimed_id(identity, space_id)
        return cls(identity, settings, caller, clock)

    def at(self, path: str | Path) -> Self:
        """The same memory as seen from another of its trees: the one that `path` is in, which may be a clone or a worktree.

        A relative path is seen from this tree's root. One in another project raises SecurityError (CG-3).
        """
        root = self.root
        identity = locate(root / path, self._settings, self._clock)
        inside = identity.root is not None and self.has_tree and identity.root.is_relative_to(root)
        if identity.source == "directory" and inside:
            return self  # a folder of this tree that is no repository of its own
        if identity.space_id != self.space_id:
            raise SecurityError(
                f"{str(path)[:200]!r} is not in this project.", "Name a folder of this project, or open the other one."
            )
        return type(self)(identity, self._settings, self._caller, self._clock)

    @property
    def _space(self) -> OpenSpace:
        return open_spaces.get(self._identity, self._settings, self._clock)

    @property
    def _current(self) -> OpenSpace:
        """The space, up to what people have changed in the journal's files. Ask for it before `_view` and `_moment`: it may
        wait for a writer, and what was written by then is to be seen."""
        space = self._space
        flows.journal.files.changes.look(space)
        return space

    @property
    def space_id(self) -> str:
        return self._identity.space_id

    @property
    def folder(self) -> Path:
        """Where this memory's files are."""
        return self._space.folder

    @property
    def root(self) -> Path:
        """The root of the tree that this memory was opened in; `Path()` where it has none."""
        return self._identity.root or Path()

    @property
    def has_tree(self) -> bool:
        """Whether its tree is at hand: not with a person's memory, nor with a project's whose tree is elsewhere."""
        return self._identity.has_tree

    @property
    def checkouts(self) -> tuple[Checkout, ...]:
        """The trees that this memory was used in, on any machine; the one that was compared with it last first."""
        with self._space.store.read() as reader:
            return flows.index.treeless.checkouts_of(reader, self._clock())

    @property
    def seen(self) -> Checkout | None:
        """The checkout as of which this memory tells of code, where its tree is not at hand; None where it is."""
        space = self._space
        with space.store.read() as reader:
            return flows.index.treeless.seen_elsewhere(space, reader)

    def seen_in(self, checkout: str) -> Self:
        """The same memory as it was seen last in another of its checkouts, named by its id, where its tree is not at hand."""
        if self._identity.is_away and checkout in {checkout.id for checkout in self.checkouts}:
            return type(self)(replace(self._identity, checkout_id=checkout), self._settings, self._caller, self._clock)
        remedy = "Name one of its checkouts by its id." if self._identity.is_away else "Its own tree is looked at."
        raise NotFound(f"{checkout[:40]!r} is no checkout that this memory can be seen in.", remedy)

    @contextmanager
    def _own(self, *ids: object) -> Iterator[None]:
        """Something is done with these memories, which must be this one's own: Refused names the project that shares one."""
        try:
            yield
        except (NotFound, InvalidInput):
            flows.share.owner.refuse_shared(self._space, [one for one in ids if isinstance(one, str)])
            raise

    def close(self) -> None:
        """Close the database now. The object can still be used: it opens again."""
        open_spaces.drop(self._identity, self._settings)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _moment(self, as_of: When, known_at: When) -> Moment:
        at = when(as_of, "as_of")
        now = self._clock()
        return Moment(at or now, when(known_at, "known_at"), explicit=at is not None, asked_at=now)

    def _view(self, scope: str, as_of: When, known_at: When, *, archived: bool = False) -> View:
        moment, checkout = self._moment(as_of, known_at), self._identity.checkout_id
        return View(
            moment, scope_of(scope), checkout, archived, journal=flows.journal.files.changes.tree_seen(self._space)
        )


def when(value: When, field: str) -> datetime | None:
    if value is None:
        return None
    return parse_time(value if isinstance(value, str) else value.isoformat(), field)
