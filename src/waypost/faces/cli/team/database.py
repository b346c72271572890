"""Commands for the administrator of a team's database: set it up, show its state and its audit log."""

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from waypost import config
from waypost.errors import ConfigError, SecurityError
from waypost.faces.cli.framework import Json, app
from waypost.faces.cli.output.memories import print_json, print_notices, safe
from waypost.model.time import format_time, utc_now
from waypost.text.plural import counted

if TYPE_CHECKING:
    from psycopg import Connection as RawConnection

    from waypost.store.postgres.connection import ServerPool
    from waypost.store.postgres.directory.directory import Directory

team_app = typer.Typer(help="Manage a team's PostgreSQL database: people, roles, tokens.", no_args_is_help=True)
app.add_typer(team_app, name="team")

DatabaseUrl = Annotated[
    str,
    typer.Option(
        "--database",
        metavar="URL",
        envvar="WAYPOST_ADMIN_STORE",
        help="postgresql://… with the login to use (default: `store` in the settings).",
        show_default=False,
    ),
]
_PASSWORD_BYTES = 24
_NO_CONNECT = (
    "The team cannot connect yet. Ask the database owner to run"
    " GRANT CONNECT ON DATABASE {database} TO {names.team}, {names.server}."
)


def pool_of(database: str) -> "ServerPool":
    """The connections to the team's database."""
    dsn = database or config.load().store
    if not dsn:
        raise ConfigError(
            "No PostgreSQL database configured.", 'Set store = "postgresql://…" in config.toml, or WAYPOST_ADMIN_STORE.'
        )
    config.checked_store(dsn, "The value of --database or WAYPOST_ADMIN_STORE")
    try:
        from waypost.store.postgres.connection import connections
    except ImportError as error:
        raise ConfigError(
            "The PostgreSQL driver is missing.", "Install it: pip install 'waypost[postgres]'."
        ) from error
    return connections(dsn)


@contextmanager
def directory_in(database: str) -> Iterator["Directory"]:
    """The team's directory. Raises if its schema is from another version."""
    with pool_of(database).alone() as connection:
        from waypost.store.postgres.directory.directory import Directory
        from waypost.store.postgres.directory.schema import check_directory

        check_directory(connection.raw)
        yield Directory(connection.raw)


@team_app.command("init")
def init(
    database: DatabaseUrl = "",
    prefix: Annotated[str | None, typer.Option(help="Prefix of the role names.", show_default="waypost")] = None,
    server: Annotated[
        bool, typer.Option("--server", help="Set a new password for the server role and print it once.")
    ] = False,
    json: Json = False,
) -> None:
    """Set up or upgrade a team's database: tables, roles and grants. Safe to repeat."""
    pool = pool_of(database)
    notices = list[str]()
    with pool.alone() as connection:
        from waypost.store.postgres.directory.installation import set_up
        from waypost.store.postgres.role_admission import check_may_set_up, let_connect

        check_may_set_up(connection.raw)
        done = set_up(connection, pool.shown, utc_now(), prefix)
        names = done.names
        if names and not let_connect(connection.raw, names):
            notices.append(_NO_CONNECT.format(database=connection.raw.info.dbname, names=names))
        if not connection.vector_schema:
            notices.append(
                "pgvector is missing; memories need it. Ask the database owner to run CREATE EXTENSION vector."
            )
        password = _server_password(connection.raw, names.server, notices) if server and names else None
        logging_in = RoleLogin.by(connection.raw, pool.dsn, names.server, password) if names and password else None
    row = {"changed": done.changed, "spaces": done.spaces, "migrated": done.migrated, "prefix": names and names.prefix}
    if json:
        login = {"server": names and names.server} | ({"password": password} if password else {})
        print_json(row | login | {"notices": notices})
        return
    print(f"The directory is {'set up' if done.changed else 'up to date'}; {_memories(done.spaces)}.")
    if names is None:
        print(
            "This login cannot create roles, so nobody else can connect. For a team, grant it CREATEROLE and repeat this,\n"
            "or ask an administrator to run the output of `waypost team role print-sql`."
        )
    else:
        print(f"Role names begin with {names.prefix}_; `waypost serve` logs in as {names.server}.")
    if logging_in is not None:
        print(logging_in.instructions("Its password"))
    print_notices(tuple(notices))


def new_password() -> str:
    return secrets.token_urlsafe(_PASSWORD_BYTES)


def _memories(count: int) -> str:
    return counted(count, "memory", "memories")


def _server_password(connection: "RawConnection[Any]", role: str, notices: list[str]) -> str | None:
    """Set a new password for the server role. None, with a notice, if this login has no right to."""
    from waypost.store.postgres.roles import give_password

    password = new_password()
    try:
        give_password(connection, role, password, create=False)
    except SecurityError:
        notices.append(f"This login cannot set a password for {role}. Ask an administrator: \\password {role} in psql.")
        return None
    return password


@dataclass(frozen=True, slots=True)
class RoleLogin:
    """What a machine needs to log in with a role that has a new password."""

    role: str
    password: str
    pgpass: str  # a line for ~/.pgpass
    store: str

    @classmethod
    def by(cls, connection: "RawConnection[Any]", dsn: str, role: str, password: str) -> "RoleLogin":
        """Connection details of `dsn` for this role."""
        from urllib.parse import quote

        info = connection.info
        host = info.host or "localhost"
        line = ":".join(
            re.sub(r"([\\:])", r"\\\1", str(part)) for part in (host, info.port, info.dbname, role, password)
        )
        bare = re.sub(r"(?<=[?&])(?:user|password|passfile)=[^&]*&?", "", dsn).rstrip("?&")
        store = re.sub(r"^(\w+://)(?:[^@/]*@)?", lambda match: f"{match[1]}{quote(role, safe='')}@", bare)
        return cls(role, password, line, store)

    def instructions(self, what: str) -> str:
        return safe(
            f"{what}, shown only once: {self.password}\n"
            f"Line for ~/.pgpass there (mode 600): {self.pgpass}\n"
            f'Line for config.toml there: store = "{self.store}"'
        )


@team_app.command("status")
def status(database: DatabaseUrl = "", json: Json = False) -> None:
    """Show your login, your rights, and the number of memories and users."""
    with directory_in(database) as directory:
        row = directory.status()
    if json:
        print_json(row)
        return
    role = "an administrator" if row["admin"] else "not an administrator"
    print(f"You are {safe(row['user'] or 'not a user of the team')} ({safe(row['login'])}), {role}.")
    print(f"You can see {_memories(row['spaces'])} and {counted(row['users'], 'user')}.")
    if row["prefix"] is None:
        print("There are no roles: only the database owner can connect. See `waypost team role print-sql`.")


@team_app.command("audit")
def audit(
    database: DatabaseUrl = "",
    most: Annotated[int, typer.Option("-n", min=1, max=10_000, help="Maximum number of entries.")] = 50,
    json: Json = False,
) -> None:
    """Show changes to users, roles and tokens, newest first."""
    with directory_in(database) as directory:
        entries = directory.audit(most=most)
    rows: list[dict[str, Any]] = [
        {
            "at": format_time(entry.at), "actor": entry.actor, "action": entry.action, "subject": entry.subject,
            "space": entry.space_id, "details": dict(entry.details),
        }
        for entry in entries
    ]  # fmt: skip
    if json:
        print_json({"changes": rows})
        return
    for row in rows:
        more = "".join(f", {name} {value}" for name, value in row["details"].items())
        print(
            safe(f"{row['at']}  {row['actor']}: {row['action']} {row['subject']}{more}  {row['space'] or ''}".rstrip())
        )
