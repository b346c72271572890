"""Which database a home's memories are in: a file for each of them, or PostgreSQL for all (ALL-3)."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from waypost import flows
from waypost.config import Settings
from waypost.errors import NotFound, WaypostError
from waypost.model.time import Clock
from waypost.space.metadata import read_metadata
from waypost.space.place import DATABASE_FILE, space_directory
from waypost.store.protocol import Store

if TYPE_CHECKING:
    from waypost.store.postgres.directory.rows import Space
    from waypost.store.postgres.store import PostgresStore


@dataclass(frozen=True, slots=True)
class StoredSpace:
    """A memory as its store knows it, before it is opened."""

    space_id: str
    kind: str
    name: str
    source: str
    origin: str | None
    created: datetime


def open_store(
    settings: Settings,
    space: StoredSpace,
    folder: Path,
    clock: Clock,
    *,
    busy_seconds: float | None = None,
    for_moving: bool = False,
    guest_of: str | None = None,
) -> Store:
    """The store of a memory, made where there is none. `folder` is where its files are on this machine. One that was moved
    elsewhere is opened `for_moving` alone. `guest_of`: for what it shares with that memory, in PostgreSQL."""
    patience = settings.busy_timeout_seconds if busy_seconds is None else busy_seconds
    if settings.store:
        return _on_postgres(settings, space, clock, patience, for_moving=for_moving, guest_of=guest_of)
    from waypost.store.sqlite.store import SqliteStore

    database = folder / DATABASE_FILE
    if not database.exists() or not database.stat().st_size:
        flows.admin.empty_database.refuse_emptied(folder)
    return SqliteStore(folder, clock=clock, busy_seconds=patience, for_moving=for_moving)


@contextmanager
def open_stored(
    settings: Settings,
    space: StoredSpace,
    clock: Clock,
    *,
    busy_seconds: float | None = None,
    guest_of: str | None = None,
) -> Iterator[Store]:
    """The store of a memory that there is, for a look at it."""
    folder = space_directory(settings.memory_root, space.space_id)
    store = open_store(settings, space, folder, clock, busy_seconds=busy_seconds, guest_of=guest_of)
    try:
        yield store
    finally:
        store.close()


def stored_ids(settings: Settings) -> list[str]:
    """The ids of what may be memories: those of the folders of this home, or of all that this login may see."""
    if settings.store:
        from waypost.store.postgres.store import spaces_in

        return [one.space_id for one in spaces_in(settings.store)]
    root = settings.memory_root
    return [folder.name for folder in root.iterdir()] if root.is_dir() else []


def stored_spaces(settings: Settings) -> Iterator[StoredSpace]:
    """The memories of this home, or all that this login may see, as far as they can be read."""
    if settings.store:
        from waypost.store.postgres.store import spaces_in

        for one in spaces_in(settings.store):
            yield StoredSpace(one.space_id, one.kind, one.name, one.source, one.origin, one.created)
        return
    for space_id in stored_ids(settings):
        try:
            found = stored_space(settings, space_id)
        except WaypostError:  # something else that lies there, or damaged: `doctor` names it in its own project
            continue
        yield found


def stored_space(settings: Settings, space_id: str) -> StoredSpace:
    """Raises NotFound when there is no memory of this id."""
    folder = space_directory(settings.memory_root, space_id)
    if settings.store:
        from waypost.store.postgres.store import spaces_in

        found = [one for one in spaces_in(settings.store) if one.space_id == space_id]
        if not found:
            raise _not_here(space_id)
        one = found[0]
        return StoredSpace(one.space_id, one.kind, one.name, one.source, one.origin, one.created)
    if not (folder / DATABASE_FILE).is_file():
        raise _not_here(space_id)
    metadata = read_metadata(folder)
    return StoredSpace(space_id, metadata.kind, metadata.name, metadata.source, metadata.origin, metadata.created)


def need_driver() -> None:
    """Raise ConfigError where PostgreSQL cannot be spoken to."""
    try:
        import psycopg  # noqa: F401
    except ModuleNotFoundError as error:
        from waypost.errors import ConfigError

        raise ConfigError(
            "The driver for PostgreSQL is not installed.", "Install it: pip install 'waypost[postgres]'."
        ) from error


def team_space(space: StoredSpace) -> "Space":
    """As the directory of a database has it."""
    from waypost.store.postgres.directory.rows import Space

    return Space(space.space_id, space.kind, space.name, space.source, space.origin, space.created)


def _on_postgres(
    settings: Settings,
    space: StoredSpace,
    clock: Clock,
    busy_seconds: float,
    *,
    for_moving: bool,
    guest_of: str | None,
) -> "PostgresStore":
    need_driver()
    from waypost.store.postgres.store import PostgresStore

    return PostgresStore(
        settings.store,
        team_space(space),
        clock=clock,
        busy_seconds=busy_seconds,
        statement_seconds=settings.statement_timeout_seconds,
        for_moving=for_moving,
        guest_of=guest_of,
    )


def _not_here(space_id: str) -> NotFound:
    return NotFound(f"There is no memory {space_id[:40]!r} here.", "List the spaces to see their ids.")
