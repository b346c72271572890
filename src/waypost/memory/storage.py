"""Where memories are stored: each in its own SQLite file, or all in one PostgreSQL database."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, closing
from pathlib import Path

from waypost import flows
from waypost.config import Settings
from waypost.errors import NotFound, WaypostError
from waypost.model.memory import StoredSpace
from waypost.model.time import Clock
from waypost.space.metadata import read_metadata
from waypost.space.place import DATABASE_FILE, space_directory
from waypost.store.protocol import Store


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
    """Open the store of a memory, and create it if needed.

    `folder` has its files on this machine. A memory that was moved away opens only with `for_moving`. `guest_of`: open
    only what it shares with that memory, in PostgreSQL.
    """
    timeout = settings.busy_timeout_seconds if busy_seconds is None else busy_seconds
    if settings.store:
        need_driver()
        from waypost.store.postgres.store import PostgresStore

        return PostgresStore(
            settings.store,
            space,
            clock=clock,
            busy_seconds=timeout,
            statement_seconds=settings.statement_timeout_seconds,
            for_moving=for_moving,
            guest_of=guest_of,
        )
    from waypost.store.sqlite.store import SqliteStore

    database = folder / DATABASE_FILE
    if not database.exists() or not database.stat().st_size:
        flows.admin.empty_database.refuse_emptied(folder)
    return SqliteStore(folder, clock=clock, busy_seconds=timeout, for_moving=for_moving)


def open_stored(
    settings: Settings,
    space: StoredSpace,
    clock: Clock,
    *,
    busy_seconds: float | None = None,
    guest_of: str | None = None,
) -> AbstractContextManager[Store]:
    """The store of an existing memory, to close with a block."""
    folder = space_directory(settings.memory_root, space.space_id)
    return closing(open_store(settings, space, folder, clock, busy_seconds=busy_seconds, guest_of=guest_of))


def stored_ids(settings: Settings) -> list[str]:
    """Ids of possible memories: the folders of the data directory, or what this login may see in the database."""
    if settings.store:
        from waypost.store.postgres.store import spaces_in

        return [space.space_id for space in spaces_in(settings.store)]
    root = settings.memory_root
    return [folder.name for folder in root.iterdir()] if root.is_dir() else []


def stored_spaces(settings: Settings) -> Iterator[StoredSpace]:
    """The readable memories of the data directory, or those that this login may see in the database."""
    if settings.store:
        from waypost.store.postgres.store import spaces_in

        yield from spaces_in(settings.store)
        return
    for space_id in stored_ids(settings):
        try:
            yield stored_space(settings, space_id)
        except WaypostError:  # not a memory, or damaged: `doctor` reports it in its own project
            continue


def stored_space(settings: Settings, space_id: str) -> StoredSpace:
    """The memory of this id. Raises NotFound if it does not exist."""
    folder = space_directory(settings.memory_root, space_id)
    if settings.store:
        from waypost.store.postgres.store import spaces_in

        for space in spaces_in(settings.store):
            if space.space_id == space_id:
                return space
        raise _not_found(space_id)
    if not (folder / DATABASE_FILE).is_file():
        raise _not_found(space_id)
    metadata = read_metadata(folder)
    return StoredSpace(space_id, metadata.kind, metadata.name, metadata.source, metadata.origin, metadata.created)


def need_driver() -> None:
    """Raise ConfigError if the PostgreSQL driver is not installed."""
    try:
        import psycopg  # noqa: F401
    except ModuleNotFoundError as error:
        from waypost.errors import ConfigError

        raise ConfigError(
            "The driver for PostgreSQL is not installed.", "Install it: pip install 'waypost[postgres]'."
        ) from error


def _not_found(space_id: str) -> NotFound:
    return NotFound(f"There is no memory {space_id[:40]!r} here.", "List the spaces to see their ids.")
