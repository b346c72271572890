"""Admits the roles of a team: statements for an administrator to run, and the right to connect."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from waypost.errors import InvalidInput, SecurityError
from waypost.store.postgres.directory.execute import is_true, run
from waypost.store.postgres.roles import PREFIX, RoleNames, known_names, may_create_roles, sql_for_admins

if TYPE_CHECKING:
    from psycopg import Connection


@dataclass(frozen=True, slots=True)
class RolesToMake:
    """Statements for someone who may create roles, without those that are done."""

    names: RoleNames
    statements: tuple[str, ...]
    is_known: bool  # whether the database uses these names already; else `team init` needs the prefix


def roles_to_make(
    connection: "Connection[Any]", spaces: Iterable[str], owner: str, prefix: str | None = None
) -> RolesToMake:
    """Raises InvalidInput for a prefix that another database of this server uses: its roles would open both."""
    existing = known_names(connection)
    if existing is not None and prefix not in (None, existing.prefix):
        raise InvalidInput(
            f"The roles of this database begin with {existing.prefix}.", "Leave the prefix out: it stays."
        )
    names = existing or _free(connection, prefix)
    there = _existing_roles(connection, names.prefix)
    return RolesToMake(
        names,
        tuple(statement for statement in sql_for_admins(names, spaces, owner) if not _is_done(statement, there, owner)),
        is_known=existing is not None or names.prefix == PREFIX,
    )


def check_may_set_up(connection: "Connection[Any]") -> None:
    """Raises SecurityError for a login that administers neither the team nor an empty database."""
    login, database, is_owner, may_create = run(
        connection,
        "SELECT current_user::text, current_database()::text,"
        " (SELECT pg_has_role(nspowner, 'USAGE') FROM pg_namespace WHERE nspname = 'waypost'),"
        " has_database_privilege(current_database(), 'CREATE')",
    ).fetchall()[0]
    if is_owner is False:
        raise SecurityError(
            f"{login!r} does not administer this team.",
            "Name who does in WAYPOST_ADMIN_STORE or by --database: the owner of the schema `waypost`.",
        )
    if is_owner is None and not may_create:
        raise SecurityError(
            f"{login!r} may not set up anything in the database {database!r}.",
            "Name its owner in WAYPOST_ADMIN_STORE or by --database, or have them GRANT CREATE ON DATABASE.",
        )


def let_connect(connection: "Connection[Any]", names: RoleNames) -> bool:
    """Let the team connect, even if others may not. False: only the owner of the database can allow it."""
    from psycopg import errors, sql

    if _may_connect(connection, names):
        return True
    database = sql.Identifier(connection.info.dbname).as_string(connection)
    try:
        run(connection, f"GRANT CONNECT ON DATABASE {database} TO {names.team}, {names.server}")
    except errors.InsufficientPrivilege:
        return False
    return _may_connect(connection, names)  # without the right to grant it there is only a warning


def _may_connect(connection: "Connection[Any]", names: RoleNames) -> bool:
    return is_true(
        connection,
        "SELECT bool_and(has_database_privilege(name, current_database(), 'CONNECT')) FROM unnest(%s::name[]) name",
        ([names.team, names.server],),
    )


def _free(connection: "Connection[Any]", prefix: str | None) -> RoleNames:
    """The names that `ensure_roles` will choose."""
    names = RoleNames(prefix or PREFIX)
    row = run(
        connection,
        "SELECT pg_has_role(oid, 'MEMBER WITH ADMIN OPTION') FROM pg_roles WHERE rolname = %s",
        (names.team,),
    ).fetchone()
    if row is None or (row[0] and not may_create_roles(connection)):  # an administrator has created them
        return names
    if prefix is not None:
        raise InvalidInput(f"There are roles that begin with {prefix}.", "Take another prefix.")
    number = run(connection, "SELECT oid FROM pg_database WHERE datname = current_database()").fetchall()[0][0]
    return RoleNames(f"{PREFIX}_{number}")


def _existing_roles(connection: "Connection[Any]", prefix: str) -> set[tuple[str, ...]]:
    """Roles as (name,), memberships as (group, member), and as (group, member, "admin") if it may be passed on."""
    like = prefix.replace("_", "\\_") + "\\_%"
    rows = run(connection, "SELECT rolname::text FROM pg_roles WHERE rolname LIKE %s", (like,)).fetchall()
    members = run(
        connection,
        "SELECT g.rolname::text, m.rolname::text, a.admin_option FROM pg_auth_members a"
        " JOIN pg_roles g ON g.oid = a.roleid JOIN pg_roles m ON m.oid = a.member WHERE g.rolname LIKE %s",
        (like,),
    ).fetchall()
    there: set[tuple[str, ...]] = {(name,) for (name,) in rows}
    for group, member, may_give in members:
        there |= {(group, member), (group, member, "admin")} if may_give else {(group, member)}
    return there


def _is_done(statement: str, there: set[tuple[str, ...]], owner: str) -> bool:
    verb, *words = statement.split()
    if verb == "CREATE":
        return (words[1],) in there
    if statement.endswith("WITH ADMIN OPTION"):
        return (words[0], owner, "admin") in there
    return (words[0], words[2]) in there
