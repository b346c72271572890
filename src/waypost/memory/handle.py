"""What `Memory` and its groups share: the open space, the settings, the caller and the clock."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from waypost import config, flows
from waypost.config import Settings
from waypost.errors import InvalidInput, NotFound, StoreCorrupt, UnknownCheckout, WaypostError
from waypost.flows.open_space import OpenSpace
from waypost.memory.location import identify_memory, locate_again
from waypost.memory.spaces import open_spaces
from waypost.model.ids import id_beginning
from waypost.model.kinds import scope_of
from waypost.model.memory import Caller
from waypost.model.recall import View
from waypost.model.time import Clock, Moment, parse_time, utc_now
from waypost.space.identity import Identity
from waypost.space.place import check_claimed_id
from waypost.store.protocol import Reader
from waypost.system.config_file import keeps_memories

LIBRARY = Caller("agent", "library")  # code that calls the library is an agent, whatever its texts claim

When = datetime | str | None
TIMES = ("time", "valid_from", "valid_until")
_IDS = ("replaces", "parent")


@dataclass(frozen=True, slots=True)
class MemoryHandle:
    """One memory as one caller uses it. Handles of the same space share one open database."""

    identity: Identity
    settings: Settings
    caller: Caller
    clock: Clock

    @property
    def space(self) -> OpenSpace:
        """The open space. A space that was closed after an idle hour opens again."""
        return open_spaces.get(self.identity, self.settings, self.clock)

    @property
    def current(self) -> OpenSpace:
        """The open space, after changes that people made in journal files were read.

        Get it before `view` and `moment`: it may wait for a writer, and the answer must include what was written.
        """
        space = self.space
        flows.journal_files.changes.sync_if_changed(space)
        return space

    def close(self) -> None:
        open_spaces.drop(self.identity, self.settings)

    def moment(self, as_of: When, known_at: When) -> Moment:
        instant = self.time(as_of, "as_of")
        now = self.clock()
        return Moment(instant or now, self.time(known_at, "known_at"), explicit=instant is not None, asked_at=now)

    def time(self, value: When, field: str) -> datetime | None:
        """The instant that an argument names, or None: ISO 8601, words such as "last Tuesday", or `3d`.

        Raises InvalidInput, naming the field, for anything else.
        """
        if value is None:
            return None
        if not isinstance(value, str):
            return parse_time(value.isoformat(), field)
        try:
            return parse_time(value, field)
        except InvalidInput:
            from waypost.flows.journal.entry_time import parse_words  # only for a time in words

            return parse_words(self.space, value, field)

    def resolved(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of a draft, with times in words as instants and short ids as whole ones."""
        times = {name: self.time(fields[name], name) for name in TIMES if isinstance(fields.get(name), str)}
        ids = {name: self.full_id(fields[name]) for name in _IDS if isinstance(fields.get(name), str)}
        return {**fields, **times, **ids}

    def view(self, scope: str, as_of: When, known_at: When, *, archived: bool = False) -> View:
        with self.space.store.read() as reader:
            return self.view_in(reader, scope, as_of, known_at, archived=archived)

    def view_in(self, reader: Reader, scope: str, as_of: When, known_at: When, *, archived: bool = False) -> View:
        """The same inside a transaction."""
        moment, checkout = self.moment(as_of, known_at), self.identity.checkout_id
        journal = flows.journal_files.known_files.tree_seen(self.space, reader)
        return View(moment, scope_of(scope), checkout, archived, journal=journal)

    def full_id(self, text: str) -> str:
        """The id that begins so; anything else as it is. Raises InvalidInput if several ids begin so."""
        if not id_beginning(text):
            return text
        with self.current.store.read() as reader:
            return flows.versions.short_ids.full_id(reader, text)

    def id_or_text(self, text: str) -> str:
        """The id that begins so, or the text as it is if none does."""
        try:
            return self.full_id(text)
        except NotFound:
            return text

    def short_ids(self, ids: Iterable[str]) -> dict[str, str]:
        """The shortest unique forms of these ids; none for ids of no memory here."""
        with self.space.store.read() as reader:
            return flows.versions.short_ids.short_ids(reader, ids)

    @contextmanager
    def own_memories(self, *ids: object) -> Iterator[None]:
        """For a block that changes memories, these among them: raises Refused, with the owner's name, if another project shares one."""
        try:
            yield
            self._renew_agents_file()
        except (NotFound, InvalidInput):
            flows.share.owner.refuse_shared(self.space, [memory_id for memory_id in ids if isinstance(memory_id, str)])
            raise

    def _renew_agents_file(self) -> None:
        """Renew the block of memories in AGENTS.md, if there is one. A failure does not fail the write: maintenance tries again."""
        root = self.identity.root
        if root is not None and keeps_memories(self.settings.home, root):
            with suppress(WaypostError, OSError):
                flows.context.agents_file.renew(self.space)


def open_handle(
    path: str | Path,
    *,
    person: str | None = None,
    space_id: str | None = None,
    caller: Caller = LIBRARY,
    settings: Settings | None = None,
    clock: Clock = utc_now,
    for_repair: bool = False,
) -> MemoryHandle:
    """Open the memory that `path` belongs to, or a person's. `Memory.open` documents the arguments."""
    settings = settings or config.load()
    identity = identify_memory(Path(path), person, settings, clock)
    if space_id is not None:
        check_claimed_id(identity, space_id)
    handle = MemoryHandle(identity, settings, caller, clock)
    try:
        handle.space  # noqa: B018  reports an unusable place now, not with the first write
    except UnknownCheckout as refused:
        handle = replace(handle, identity=locate_again(identity, refused, settings, clock))
        if space_id is not None:
            check_claimed_id(handle.identity, space_id)
        handle.space  # noqa: B018
    except StoreCorrupt:
        if not for_repair:
            raise
    return handle
