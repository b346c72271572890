"""Administration of a team's PostgreSQL database. Light to import: functions import the store and its optional driver."""

import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from waypost import config
from waypost.errors import ConfigError, InvalidInput, NotFound, SecurityError
from waypost.model.time import Clock, utc_now

if TYPE_CHECKING:
    from psycopg import Connection

    from waypost.model.memory import StoredSpace
    from waypost.space.identity import Identity
    from waypost.store.postgres.connection import ServerPool
    from waypost.store.postgres.directory.directory import Directory
    from waypost.store.postgres.directory.rows import User
    from waypost.store.postgres.role_admission import RolesToMake
    from waypost.store.postgres.roles import Role

_PASSWORD_BYTES = 24
_NO_CONNECT = (
    "The team cannot connect yet. Ask the database owner to run"
    " GRANT CONNECT ON DATABASE {database} TO {team}, {server}."
)
_NO_VECTORS = "pgvector is missing; memories need it. Ask the database owner to run CREATE EXTENSION vector."


@dataclass(frozen=True, slots=True)
class RoleLogin:
    """What a machine needs to log in with a role that has a new password."""

    role: str
    password: str
    pgpass: str  # a line for ~/.pgpass
    store: str


@dataclass(frozen=True, slots=True)
class TeamSetup:
    changed: bool  # whether the directory was created or upgraded
    spaces: int
    migrated: int
    prefix: str | None  # of the role names; None if this login cannot create roles
    server: str | None  # the server role
    login: RoleLogin | None = None  # of the server role, if it got a new password
    notices: tuple[str, ...] = ()


@contextmanager
def directory_in(database: str) -> Iterator["Directory"]:
    """The team's directory in this database, or in the configured one. Raises if its schema is from another version."""
    with _pool(database).alone() as connection:
        from waypost.store.postgres.directory.directory import Directory
        from waypost.store.postgres.directory.schema import check_directory

        check_directory(connection.raw)
        yield Directory(connection.raw)


def set_up_team(
    database: str, prefix: str | None = None, *, server_password: bool = False, clock: Clock = utc_now
) -> TeamSetup:
    """Create or upgrade tables, roles and grants. `server_password`: give the server role a new password."""
    pool, notices = _pool(database), list[str]()
    with pool.alone() as connection:
        from waypost.store.postgres.directory.installation import set_up
        from waypost.store.postgres.role_admission import check_may_set_up, let_connect

        check_may_set_up(connection.raw)
        done = set_up(connection, pool.shown, clock(), prefix)
        names = done.names
        if names and not let_connect(connection.raw, names):
            database_name = connection.raw.info.dbname
            notices.append(_NO_CONNECT.format(database=database_name, team=names.team, server=names.server))
        if not connection.vector_schema:
            notices.append(_NO_VECTORS)
        login = None
        if server_password and names:
            login = _server_login(connection.raw, pool.dsn, names.server, notices)
    prefix, server = (names.prefix, names.server) if names else (None, None)
    return TeamSetup(done.changed, done.spaces, done.migrated, prefix, server, login, tuple(notices))


def find_space(directory: "Directory", given: str) -> "StoredSpace":
    """The memory with this id or name. Raises InvalidInput unless exactly one matches."""
    matches = [space for space in directory.spaces() if given in (space.space_id, space.name)]
    if len(matches) != 1:
        what = "Several memories are" if matches else "No memory that you can see is"
        raise InvalidInput(f"{what} named {given[:80]!r}.", "Use its id: `waypost team space list`.")
    return matches[0]


def select_space(directory: "Directory", given: str, current: "Callable[[], Identity]") -> "StoredSpace":
    """The memory with this id or name, or the current one. Raises NotFound if you are not a member of it."""
    if given:
        return find_space(directory, given)
    identity = current()
    for space in directory.spaces():
        if space.space_id == identity.space_id:
            return space
    command = "waypost init" if identity.kind == "project" else f"waypost --person {identity.name} status"
    raise NotFound(
        f"{identity.name!r} has no memory in this database, or you are not a member of it.",
        f"An administrator creates it: `WAYPOST_STORE=$WAYPOST_ADMIN_STORE {command}`. Its owners add members."
        " See yours with `waypost team space list`.",
    )


def checked_role(given: str) -> "Role":
    from waypost.store.postgres.roles import ROLES

    for role in ROLES:
        if role == given:
            return role
    raise InvalidInput(f"Unknown role {given[:80]!r}.", f"Use {', '.join(ROLES)}.")


def add_login(database: str, user: str, role: str, *, create: bool) -> RoleLogin | None:
    """Link a database role to a user. With `create`, create the role and return its login."""
    from waypost.store.postgres.roles import give_password

    pool = _pool(database)
    password = secrets.token_urlsafe(_PASSWORD_BYTES) if create else None
    with directory_in(database) as directory, directory.connection.transaction():
        if directory.is_admin():  # for others the database itself reports the missing right
            _check_login({member.name: member for member in directory.users()}, user, role)
        if password:
            give_password(directory.connection, role, password, create=True)
        try:
            directory.add_login(user, role)
        except NotFound as error:
            raise NotFound(error.what, "Add --create to create it, or run CREATE ROLE … LOGIN.") from error
        return _login(directory.connection, pool.dsn, role, password) if password else None


def missing_roles(directory: "Directory", spaces: Mapping[str, str], prefix: str | None) -> "RolesToMake":
    """The SQL that creates the roles of these memories, as far as they are missing."""
    from waypost.store.postgres.role_admission import roles_to_make

    return roles_to_make(directory.connection, spaces, directory.owner(), prefix)


def _pool(database: str) -> "ServerPool":
    dsn = database or config.load().store
    if not dsn:
        raise ConfigError(
            "No PostgreSQL database configured.", 'Set store = "postgresql://…" in config.toml, or WAYPOST_ADMIN_STORE.'
        )
    config.checked_store(dsn, "The value of --database or WAYPOST_ADMIN_STORE")
    from waypost.memory.storage import need_driver  # needs much more than the command line at its start
    from waypost.store.postgres.connection import connections

    need_driver()
    return connections(dsn)


def _server_login(connection: "Connection[Any]", dsn: str, role: str, notices: list[str]) -> RoleLogin | None:
    """Set a new password for the server role. None, with a notice, if this login has no right to."""
    from waypost.store.postgres.roles import give_password

    password = secrets.token_urlsafe(_PASSWORD_BYTES)
    try:
        give_password(connection, role, password, create=False)
    except SecurityError:
        notices.append(f"This login cannot set a password for {role}. Ask an administrator: \\password {role} in psql.")
        return None
    return _login(connection, dsn, role, password)


def _login(connection: "Connection[Any]", dsn: str, role: str, password: str) -> RoleLogin:
    info = connection.info
    fields = (info.host or "localhost", info.port, info.dbname, role, password)
    line = ":".join(re.sub(r"([\\:])", r"\\\1", str(field)) for field in fields)
    bare = re.sub(r"(?<=[?&])(?:user|password|passfile)=[^&]*&?", "", dsn).rstrip("?&")
    store = re.sub(r"^(\w+://)(?:[^@/]*@)?", lambda match: f"{match[1]}{quote(role, safe='')}@", bare)
    return RoleLogin(role, password, line, store)


def _check_login(users: "Mapping[str, User]", user: str, role: str) -> None:
    if user not in users:
        raise NotFound(f"Unknown user {user[:80]!r}.", "Add them first: waypost team user add NAME.")
    for member in users.values():
        if role in member.logins:
            raise InvalidInput(
                f"{member.name} already logs in as {role}.",
                "Use another role, or remove it first: waypost team login remove.",
            )
