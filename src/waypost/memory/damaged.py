"""A memory whose database is damaged: what can be done with it before it is repaired."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from waypost import flows
from waypost.config import Settings
from waypost.errors import StoreCorrupt
from waypost.flows.finding import Finding
from waypost.flows.open_space import OpenSpace
from waypost.memory.spaces import open_spaces, space_on
from waypost.model.time import Clock
from waypost.space.identity import Identity
from waypost.space.place import DATABASE_FILE, space_directory


def doctor_damaged(
    identity: Identity, settings: Settings, clock: Clock, error: StoreCorrupt, *, fix: bool
) -> Sequence[Finding]:
    """What `doctor` says of a database that cannot be opened for use; with `fix`, it is repaired."""
    if settings.store:
        raise error  # a server's database: its administrator repairs it
    from waypost.store.sqlite.damage import damage_of
    from waypost.store.sqlite.repair import repair

    folder = space_directory(settings.memory_root, identity.space_id)
    path = folder / DATABASE_FILE
    open_spaces.forget(identity.space_id)  # what this process has open would be in its own way
    if not fix:
        problems = list(damage_of(path, clock()))
        return flows.recovery.damage_findings(problems or ["database: its header is damaged"])
    patience = settings.busy_timeout_seconds
    done = flows.recovery.repair_database(folder, lambda: repair(path, flows.recovery.index_all, clock(), patience))
    return done or ()


@contextmanager
def salvaged_space(
    identity: Identity, settings: Settings, clock: Clock, error: StoreCorrupt
) -> Iterator[tuple[OpenSpace, Sequence[str]]]:
    """All that can be read of a damaged memory, for as long as the block runs, and the ids of memories that cannot."""
    if settings.store:
        raise error
    from waypost.store.sqlite.repair import salvaged_copy
    from waypost.store.sqlite.store import SqliteStore

    folder = space_directory(settings.memory_root, identity.space_id)
    with flows.recovery.repair_lock(folder), salvaged_copy(folder / DATABASE_FILE, clock()) as (copy, lost):
        store = SqliteStore(copy, clock=clock)
        try:
            yield space_on(store, identity, settings, clock, folder), lost
        finally:
            store.close()
