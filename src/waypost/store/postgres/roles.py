"""The database roles of a team, and their rights in the shared schema.

    <prefix>_team                    every user, also through a server: may read the directory
    <prefix>_server                  the login of `waypost serve`; assumes the role of a group for each transaction
    <prefix>_<space>_reader          may read one space
    <prefix>_<space>_writer          is a reader, and may write
    <prefix>_<space>_owner           is a writer, and may erase
    <prefix>_<space>_guest           may see what is offered to the memory of its members

Roles belong to the whole PostgreSQL server: the prefix separates those of two databases. Without the right to create
roles, only the owner of the database has access.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from waypost.errors import InvalidInput, NotFound, SecurityError, StoreError
from waypost.store.postgres.directory.execute import is_true, lock_directory, run

if TYPE_CHECKING:
    from psycopg import Connection

Role = Literal["owner", "writer", "reader"]
ROLES: tuple[Role, ...] = get_args(Role)
PREFIX = "waypost"
_PREFIX = re.compile(r"[a-z][a-z0-9_]{0,30}")
_SPACE = re.compile(r"[0-9a-f]{16}")
# Functions that a user may call; each checks who acts.
_FOR_ALL = (
    "acting_user()",
    "role_in(text)",
    "may_read(text)",
    "may_write(text)",
    "may_own(text)",
    "my_spaces()",
    "owned_spaces()",
    "is_admin()",
    "keep_space(text, text, integer)",
    "forget_space(text)",
    "add_member(text, text, text)",
    "change_role(text, text, text)",
    "remove_member(text, text)",
    "make_token(text, text, text, text, text, text, timestamptz)",
    "revoke_token(text, text)",
    "offered(text)",
)
_SEEN_BY_ALL = ("migrations", "settings", "spaces", "users", "logins", "members", "halves", "audit", "servers")
_TOKEN_COLUMNS = "user_name, name, kind, rights, space_id, created, expires, revoked_at"  # noqa: S105  not the digest
_FOR_SERVERS = ("sessions", "replies", "secrets")


@dataclass(frozen=True, slots=True)
class RoleNames:
    """The names of the roles of one database."""

    prefix: str = PREFIX

    def __post_init__(self) -> None:
        if not _PREFIX.fullmatch(self.prefix):
            raise InvalidInput(
                f"{self.prefix[:80]!r} is not a valid prefix for roles.",
                "Use up to 31 lower-case letters, digits and underscores.",
            )

    @property
    def team(self) -> str:
        return f"{self.prefix}_team"

    @property
    def server(self) -> str:
        return f"{self.prefix}_server"

    def group(self, space_id: str, role: Role) -> str:
        return f"{self.prefix}_{checked_space(space_id)}_{role}"

    def guests(self, space_id: str) -> str:
        """The group of those who read what this memory offers to theirs."""
        return f"{self.prefix}_{checked_space(space_id)}_guest"


def checked_space(space_id: str) -> str:
    """The id, now safe inside SQL. Raises SecurityError if it is invalid."""
    if not _SPACE.fullmatch(space_id):
        raise SecurityError(f"{space_id[:80]!r} is not the id of a memory.", "`waypost team space list` lists the ids.")
    return space_id


def schema_of(space_id: str) -> str:
    return f"waypost_{checked_space(space_id)}"


def team_statements(names: RoleNames) -> Iterator[str]:
    """Statements that create the roles of a team. The server's cannot log in until it has a password or a certificate."""
    yield f"CREATE ROLE {names.team} NOLOGIN"
    yield f"CREATE ROLE {names.server} LOGIN NOINHERIT"


def group_statements(names: RoleNames, space_id: str) -> Iterator[str]:
    """Statements that create the roles of one space. Each includes the one before."""
    reader, writer, owner = (names.group(space_id, role) for role in reversed(ROLES))
    for role, includes in ((reader, names.team), (writer, reader), (owner, writer)):
        yield f"CREATE ROLE {role} NOLOGIN"
        yield f"GRANT {includes} TO {role}"
    yield f"GRANT {owner} TO {names.server}"
    yield f"CREATE ROLE {names.guests(space_id)} NOLOGIN"


def directory_statements(names: RoleNames) -> Iterator[str]:
    """Statements that grant rights in the shared schema. They can be run again."""
    both = f"{names.team}, {names.server}"
    yield f"GRANT USAGE ON SCHEMA waypost TO {both}"
    yield f"GRANT SELECT ON {', '.join(f'waypost.{table}' for table in _SEEN_BY_ALL)} TO {both}"
    yield f"GRANT SELECT ({_TOKEN_COLUMNS}) ON waypost.tokens TO {both}"
    yield f"GRANT EXECUTE ON FUNCTION {', '.join(f'waypost.{function}' for function in _FOR_ALL)} TO {both}"
    yield f"GRANT EXECUTE ON FUNCTION waypost.holder(text, text) TO {names.server}"
    kept = ", ".join(f"waypost.{table}" for table in _FOR_SERVERS)
    yield f"GRANT SELECT, INSERT, UPDATE, DELETE ON {kept} TO {names.server}"


def sql_for_admins(names: RoleNames, spaces: Iterable[str], owner: str) -> list[str]:
    """Statements for someone who may create roles, if the owner of the database may not.

    Afterwards the owner can grant and revoke membership. Names are quoted.
    """
    quoted = '"' + owner.replace('"', '""') + '"'
    statements = [*team_statements(names)]
    for space_id in spaces:
        statements += group_statements(names, space_id)
    made = [statement.split()[2] for statement in statements if statement.startswith("CREATE ROLE")]
    return [*statements, *(f"GRANT {role} TO {quoted} WITH ADMIN OPTION" for role in made)]


def known_names(connection: "Connection[Any]") -> RoleNames | None:
    """The names of this database's roles, or None without roles."""
    row = run(connection, "SELECT value FROM waypost.settings WHERE key = 'role_prefix'").fetchone()
    return RoleNames(row[0]) if row else None


def ensure_roles(connection: "Connection[Any]", prefix: str | None = None) -> RoleNames | None:
    """Create missing roles of all spaces, grant their rights, and make logins members as the directory says.

    Also for a restore on another server. For an administrator. None: this database has no roles, because nobody may
    create them.
    """
    with connection.transaction():
        lock_directory(connection)
        names = known_names(connection) or _choose_names(connection, prefix)
        if names is None:
            return None
        if prefix not in (None, names.prefix):
            raise InvalidInput(
                f"The roles of this database begin with {names.prefix}.", "Leave the prefix out: it stays."
            )
        spaces = run(connection, "SELECT space_id FROM waypost.spaces ORDER BY space_id").fetchall()
        groups = (statement for (space_id,) in spaces for statement in group_statements(names, space_id))
        _run_missing(connection, names.prefix, (*team_statements(names), *groups))
        run(
            connection,
            "INSERT INTO waypost.settings VALUES ('role_prefix', %s) ON CONFLICT DO NOTHING",
            (names.prefix,),
        )
        run(connection, "INSERT INTO waypost.servers VALUES (%s) ON CONFLICT DO NOTHING", (names.server,))
        for statement in directory_statements(names):
            run(connection, statement)
        run(connection, "SELECT waypost.grant_all_groups(name) FROM waypost.users")
        run(connection, "SELECT waypost.grant_guests(space_id, other) FROM waypost.halves WHERE role = 'gives'")
    return names


def ensure_groups(connection: "Connection[Any]", names: RoleNames, space_id: str) -> None:
    """Create missing roles of a space. `protect_space` grants their rights."""
    _run_missing(connection, f"{names.prefix}_{checked_space(space_id)}", group_statements(names, space_id))


def may_create_roles(connection: "Connection[Any]") -> bool:
    return is_true(connection, "SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user")


def _choose_names(connection: "Connection[Any]", prefix: str | None) -> RoleNames | None:
    """A prefix that no other database of this server uses: else its roles would open both."""
    names = RoleNames(prefix or PREFIX)
    taken = _has_role(connection, names.team)
    if taken and _may_give(connection, names.team) and not may_create_roles(connection):
        return names  # an administrator has created them
    if not may_create_roles(connection):
        return None
    if not taken:
        return names
    if prefix is not None:
        raise InvalidInput(f"There are roles that begin with {prefix}.", "Take another prefix.")
    row = run(connection, "SELECT oid FROM pg_database WHERE datname = current_database()").fetchone()
    other = RoleNames(f"{PREFIX}_{row[0] if row else 0}")
    if _has_role(connection, other.team):
        raise StoreError(f"There are roles that begin with {other.prefix}.", "Name another prefix.")
    return other


def _run_missing(connection: "Connection[Any]", begin: str, statements: Iterable[str]) -> None:
    """Create missing roles and memberships. All statements are about roles that begin with `begin`."""
    like = begin.replace("_", "\\_") + "\\_%"
    roles = {name for (name,) in run(connection, "SELECT rolname FROM pg_roles WHERE rolname LIKE %s", (like,))}
    given = set(
        run(
            connection,
            "SELECT g.rolname, m.rolname FROM pg_auth_members a JOIN pg_roles g ON g.oid = a.roleid"
            " JOIN pg_roles m ON m.oid = a.member WHERE g.rolname LIKE %s OR m.rolname LIKE %s",
            (like, like),
        )
    )
    missing: list[str] = []
    for statement in statements:
        verb, *words = statement.split()
        if verb == "CREATE" and words[1] not in roles:
            _check_may_create(connection, words[1])
            missing.append(statement)
        elif verb == "GRANT" and (words[0], words[2]) not in given:
            missing.append(statement)
    if missing:
        run(connection, ";\n".join(missing))


def _check_may_create(connection: "Connection[Any]", role: str) -> None:
    if not may_create_roles(connection):
        raise StoreError(
            f"The role {role} is missing, and this login may not create roles.",
            "Give it CREATEROLE, or have somebody run what `waypost team role print-sql` prints.",
        )


def _has_role(connection: "Connection[Any]", role: str) -> bool:
    return bool(run(connection, "SELECT FROM pg_roles WHERE rolname = %s", (role,)).fetchall())


def _may_give(connection: "Connection[Any]", group: str) -> bool:
    return is_true(connection, "SELECT pg_has_role(%s, 'MEMBER WITH ADMIN OPTION')", (group,))


def give_password(connection: "Connection[Any]", role: str, password: str, *, create: bool) -> None:
    """Let a role log in with this password; `create` creates it first. Only a hash is sent. For administrators."""
    from psycopg import errors, sql

    named = sql.Identifier(role).as_string(connection)
    hashed = connection.pgconn.encrypt_password(password.encode(), role.encode(), b"scram-sha-256").decode()
    try:
        with connection.transaction():
            if create:
                run(connection, f"CREATE ROLE {named} LOGIN")
            run(connection, f"ALTER ROLE {named} PASSWORD {sql.Literal(hashed).as_string(connection)}")
    except errors.DuplicateObject as error:
        raise InvalidInput(f"There is a role {role[:80]!r}.", "Name it without --create, or take another.") from error
    except errors.UndefinedObject as error:
        raise NotFound(f"There is no role {role[:80]!r}.", "Add --create to have it made.") from error
    except errors.InsufficientPrivilege as error:
        raise SecurityError(
            f"This login may not make the role {role[:80]!r}.", "Give it CREATEROLE, or have somebody make the role."
        ) from error
