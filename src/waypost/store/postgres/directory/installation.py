"""Sets up a database for a team and brings it up to date. An administrator can repeat it at any time."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from waypost.store.postgres.connection import ServerConnection
from waypost.store.postgres.directory.directory import Directory
from waypost.store.postgres.directory.execute import run
from waypost.store.postgres.directory.schema import migrate_directory
from waypost.store.postgres.roles import RoleNames, ensure_roles, schema_of
from waypost.store.postgres.schema import migrate, missing
from waypost.store.postgres.security import protect_space


@dataclass(frozen=True, slots=True)
class SetUp:
    changed: bool  # whether the directory was created or changed now
    names: RoleNames | None  # of the roles; None: nobody may create them
    spaces: int
    migrated: int  # spaces that were older than this version


def set_up(
    connection: ServerConnection,
    place: str,
    now: datetime,
    prefix: str | None = None,
    report: Callable[[int, int], None] = lambda _done, _all: None,
) -> SetUp:
    """Create tables, roles and rights: of the directory, then of each space in its own transaction.

    If it is interrupted, the next run continues.
    """
    raw = connection.raw
    changed = migrate_directory(raw, now)
    names = ensure_roles(raw, prefix)
    spaces = [space.space_id for space in Directory(raw).spaces()]
    migrated = 0
    for done, space_id in enumerate(spaces):
        report(done, len(spaces))
        with raw.transaction():
            migrated += bring_up_to_date(connection, place, space_id, names, now)
    return SetUp(changed, names, len(spaces), migrated)


def bring_up_to_date(
    connection: ServerConnection, place: str, space_id: str, names: RoleNames | None, now: datetime
) -> bool:
    """In a transaction: migrate the tables of a space, and grant its groups their rights.

    Returns whether it was outdated.
    """
    schema = schema_of(space_id)
    key = int.from_bytes(bytes.fromhex(space_id), "big", signed=True)  # the writers' lock
    run(connection.raw, "SELECT pg_advisory_xact_lock(%s)", (key,))
    is_behind = bool(missing(connection, schema, place))
    if is_behind:
        path = [schema, *([connection.vector_schema] if connection.vector_schema else []), "pg_temp"]
        run(connection.raw, f"SET LOCAL search_path = {', '.join(path)}")
        migrate(connection, schema, place, now)
    protect_space(connection.raw, space_id, names)
    return is_behind
