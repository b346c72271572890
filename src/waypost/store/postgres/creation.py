"""Checks whether a login may create the memory of a space in a database."""

import shlex

from waypost.errors import SecurityError
from waypost.model.memory import StoredSpace
from waypost.store.postgres.connection import connections
from waypost.store.postgres.directory.directory import Directory


def check_known_or_admin(directory: Directory, space: StoredSpace) -> bool:
    """Whether the directory already lists this space for the caller. Raises SecurityError if not and they may not add
    it.
    """
    if any(known_space.space_id == space.space_id for known_space in directory.spaces()):
        return True
    if not directory.is_admin():
        once = "`waypost init` in it once"
        if space.kind == "person":
            once = f"`waypost --person {shlex.quote(space.name)} status` once"
        raise SecurityError(
            f"{space.name!r} is not a memory of this team that you are a member of.",
            f"Ask an owner to add you (waypost team member add), or an administrator to run {once}.",
        )
    return False


def check_makeable(dsn: str, space: StoredSpace) -> None:
    """Raises SecurityError if this login may not create the memory of this space there. Changes nothing."""
    pool = connections(dsn)
    with pool.alone() as connection:
        has_directory, may_create = connection.execute(
            "SELECT to_regclass('waypost.spaces') IS NOT NULL, has_database_privilege(current_database(), 'CREATE')"
        ).fetchall()[0]
        if has_directory:
            check_known_or_admin(Directory(connection.raw), space)
    if not may_create:
        raise SecurityError(
            f"This login may not create a memory in {pool.shown}.",
            "Log in as the owner of the database, or ask them for the right to create schemas.",
        )
