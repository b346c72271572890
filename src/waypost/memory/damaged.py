"""A memory whose database is damaged: what can be done with it before it is repaired."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from waypost import flows
from waypost.config import Settings
from waypost.errors import StoreCorrupt
from waypost.flows.admin.finding import Finding
from waypost.flows.open_space import OpenSpace
from waypost.memory.spaces import open_spaces, space_on
from waypost.model.time import Clock
from waypost.space.identity import Identity
from waypost.space.place import DATABASE_FILE, space_directory
from waypost.store.salvaged import Salvaged


def damage_findings(identity: Identity, settings: Settings, clock: Clock, error: StoreCorrupt) -> Sequence[Finding]:
    """What `doctor` says of a database that cannot be opened for use."""
    from waypost.store.sqlite.damage import damage_of

    path = _database(identity, settings, error)
    if flows.admin.empty_database.is_emptied(path.parent):
        return [flows.admin.empty_database.emptied_finding(path.parent)]
    problems = list(damage_of(path, clock()))
    return flows.admin.recovery.damage_findings(problems or ["database: its header is damaged"])


def repair_damaged(identity: Identity, settings: Settings, clock: Clock, error: StoreCorrupt) -> Salvaged | None:
    """Repair a database that cannot be opened for use. None: it is empty, and a snapshot has more than could be saved."""
    from waypost.store.sqlite.repair import repair

    path = _database(identity, settings, error)
    if flows.admin.empty_database.is_emptied(path.parent) and flows.admin.empty_database.has_snapshots(path.parent):
        return None
    with flows.admin.recovery.repair_lock(path.parent):
        return repair(path, flows.admin.recovery.index_all, clock(), settings.busy_timeout_seconds)


def _database(identity: Identity, settings: Settings, error: StoreCorrupt) -> Path:
    if settings.store:
        raise error  # a server's database: its administrator repairs it
    open_spaces.forget(identity.space_id)  # what this process has open would be in its own way
    return space_directory(settings.memory_root, identity.space_id) / DATABASE_FILE


@contextmanager
def salvaged_space(
    identity: Identity, settings: Settings, clock: Clock, error: StoreCorrupt
) -> Iterator[tuple[OpenSpace, Sequence[str]]]:
    """All that can be read of a damaged memory, for as long as the block runs, and the ids of memories that cannot."""
    from waypost.store.sqlite.repair import salvaged_copy
    from waypost.store.sqlite.store import SqliteStore

    path = _database(identity, settings, error)
    if flows.admin.empty_database.is_emptied(path.parent):
        raise error
    with (
        flows.admin.recovery.repair_lock(path.parent),
        salvaged_copy(path, clock(), settings.busy_timeout_seconds) as (copy, lost),
    ):
        store = SqliteStore(copy, clock=clock)
        space = space_on(store, identity, settings, clock, path.parent)
        try:
            with store.read() as reader:
                refused = flows.checkouts.admission.why_refused(reader, identity, settings.shared_machine)
            if refused is not None:
                raise error  # whether this folder belongs to the memory is only known once it is repaired
            yield space, lost
        finally:
            store.close()
