"""Diagnosis, repair and export of a memory whose database is damaged."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from waypost import flows
from waypost.config import Settings
from waypost.errors import StoreCorrupt
from waypost.flows.findings import Finding
from waypost.flows.open_space import OpenSpace
from waypost.memory.spaces import open_spaces, space_on
from waypost.model.time import Clock
from waypost.space.identity import Identity
from waypost.space.place import DATABASE_FILE, space_directory
from waypost.store.salvaged import Salvaged


def damage_findings(identity: Identity, settings: Settings, clock: Clock, error: StoreCorrupt) -> Sequence[Finding]:
    """The findings of `doctor` for a database that can't be opened."""
    from waypost.store.sqlite.damage import damage_of

    path = _database(identity, settings, error)
    if flows.admin.empty_database.is_emptied(path.parent):
        return [flows.admin.empty_database.emptied_finding(path.parent)]
    problems = list(damage_of(path, clock()))
    return flows.admin.recovery.damage_findings(problems or ["database: its header is damaged"])


def repair_damaged(identity: Identity, settings: Settings, clock: Clock, error: StoreCorrupt) -> Salvaged | None:
    """Repair a database that can't be opened. None if it is empty and a snapshot has more than could be salvaged."""
    from waypost.store.sqlite.repair import repair

    path = _database(identity, settings, error)
    if flows.admin.empty_database.is_emptied(path.parent) and flows.admin.empty_database.has_snapshots(path.parent):
        return None
    with flows.admin.recovery.repair_lock(path.parent):
        return repair(path, flows.admin.recovery.index_all, clock(), settings.busy_timeout_seconds)


def _database(identity: Identity, settings: Settings, error: StoreCorrupt) -> Path:
    if settings.store:
        raise error  # a database server: its administrator repairs it
    open_spaces.forget(identity.space_id)  # an open connection of this process would block the repair
    return space_directory(settings.memory_root, identity.space_id) / DATABASE_FILE


@contextmanager
def salvaged_space(
    identity: Identity, settings: Settings, clock: Clock, error: StoreCorrupt
) -> Iterator[tuple[OpenSpace, Sequence[str]]]:
    """A temporary copy of everything readable in a damaged memory, and the ids of unreadable memories."""
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
                raise error  # whether this folder belongs to the memory is unknown until the repair
            yield space, lost
        finally:
            store.close()
