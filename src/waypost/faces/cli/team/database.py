"""Commands of a team's database, for whoever administers it: set it up, look at who is there and what was changed."""

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

team_app = typer.Typer(help="A team's PostgreSQL: people, their roles, their tokens.", no_args_is_help=True)
app.add_typer(team_app, name="team")

Store = Annotated[
    str,
    typer.Option(
        "--database",
        metavar="URL",
        envvar="WAYPOST_ADMIN_STORE",
        help="As whom and where, as postgresql://…; `store` of the settings else.",
        show_default=False,
    ),
]
_PASSWORD_BYTES = 24
_NO_CONNECT = (
    "The team may not connect yet: have the owner of the database run"
    " GRANT CONNECT ON DATABASE {database} TO {names.team}, {names.server}."
)


def pool_of(database: str) -> "ServerPool":
    """The connections to the team's database."""
    dsn = database or config.load().store
    if not dsn:
        raise ConfigError(
            "No PostgreSQL is named.", 'Set store = "postgresql://…" in config.toml, or WAYPOST_ADMIN_STORE.'
        )
    config.checked_store(dsn, "What --database or WAYPOST_ADMIN_STORE says")
    try:
        from waypost.store.postgres.connection import connections
    except ImportError as error:
        raise ConfigError(
            "The driver of PostgreSQL is missing.", "Install it: pip install 'waypost[postgres]'."
        ) from error
    return connections(dsn)


@contextmanager
def directory_in(database: str) -> Iterator["Directory"]:
    """The directory of the team's database, which has to be that of this version."""
    with pool_of(database).alone() as connection:
        from waypost.store.postgres.directory.directory import Directory
        from waypost.store.postgres.directory.schema import check_directory

        check_directory(connection.raw)
        yield Directory(connection.raw)


@team_app.command("init")
def init(
    database: Store = "",
    prefix: Annotated[
        str | None, typer.Option(help="What the names of the roles begin with.", show_default="waypost")
    ] = None,
    server: Annotated[
        bool, typer.Option("--server", help="Also give the server's role a new password, and print it, this once.")
    ] = False,
    json: Json = False,
) -> None:
    """Set up the database for a team, or bring it up to date: tables, roles, and what they may. Can be repeated."""
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
                "pgvector is missing, and no memory can be made without it: have CREATE EXTENSION vector run."
            )
        password = _server_password(connection.raw, names.server, notices) if server and names else None
        logging_in = LoggingIn.by(connection.raw, pool.dsn, names.server, password) if names and password else None
    row = {"changed": done.changed, "spaces": done.spaces, "migrated": done.migrated, "prefix": names and names.prefix}
    if json:
        told = {"server": names and names.server} | ({"password": password} if password else {})
        print_json(row | told | {"notices": notices})
        return
    print(f"The directory is {'set up' if done.changed else 'up to date'}; {_memories(done.spaces)}.")
    if names is None:
        print(
            "This login may not create roles: only it comes in. For a team, give it CREATEROLE and repeat this,\n"
            "or have somebody run what `waypost team role print-sql` prints."
        )
    else:
        print(f"Roles begin with {names.prefix}_; `waypost serve` logs in as {names.server}.")
    if logging_in is not None:
        print(logging_in.told("Its password"))
    print_notices(tuple(notices))


def new_password() -> str:
    return secrets.token_urlsafe(_PASSWORD_BYTES)


def _memories(count: int) -> str:
    return counted(count, "memory", "memories")


def _server_password(connection: "RawConnection[Any]", role: str, notices: list[str]) -> str | None:
    """A new password of the server's role. None, with a notice, where this login may give none."""
    from waypost.store.postgres.roles import give_password

    password = new_password()
    try:
        give_password(connection, role, password, create=False)
    except SecurityError:
        notices.append(f"This login may give {role} no password: have somebody who may run \\password {role} in psql.")
        return None
    return password


@dataclass(frozen=True, slots=True)
class LoggingIn:
    """What somebody needs to log in with a role whose password is new."""

    role: str
    password: str
    pgpass: str  # the line of that file
    store: str

    @classmethod
    def by(cls, connection: "RawConnection[Any]", dsn: str, role: str, password: str) -> "LoggingIn":
        """Where `dsn` leads, for this role."""
        from urllib.parse import quote

        info = connection.info
        host = info.host or "localhost"
        line = ":".join(
            re.sub(r"([\\:])", r"\\\1", str(part)) for part in (host, info.port, info.dbname, role, password)
        )
        bare = re.sub(r"(?<=[?&])(?:user|password|passfile)=[^&]*&?", "", dsn).rstrip("?&")
        store = re.sub(r"^(\w+://)(?:[^@/]*@)?", lambda found: f"{found[1]}{quote(role, safe='')}@", bare)
        return cls(role, password, line, store)

    def told(self, what: str) -> str:
        return safe(
            f"{what}, shown this once: {self.password}\n"
            f"For ~/.pgpass there (mode 600): {self.pgpass}\n"
            f'For config.toml there: store = "{self.store}"'
        )


@team_app.command("status")
def status(database: Store = "", json: Json = False) -> None:
    """Who you are there, and what there is."""
    with directory_in(database) as directory:
        row = directory.status()
    if json:
        print_json(row)
        return
    role = "an administrator" if row["admin"] else "no administrator"
    print(f"You are {safe(row['user'] or 'no user of the team')} ({safe(row['login'])}), {role}.")
    print(f"{_memories(row['spaces'])} and {counted(row['users'], 'user')} that you can see.")
    if row["prefix"] is None:
        print("There are no roles: only the owner of the database comes in. See `waypost team role print-sql`.")


@team_app.command("audit")
def audit(
    database: Store = "",
    most: Annotated[int, typer.Option("-n", min=1, max=10_000, help="How many.")] = 50,
    json: Json = False,
) -> None:
    """Who changed the team, the latest first."""
    with directory_in(database) as directory:
        noted = directory.audit(most=most)
    rows: list[dict[str, Any]] = [
        {
            "at": format_time(one.at), "actor": one.actor, "action": one.action, "subject": one.subject,
            "space": one.space_id, "details": dict(one.details),
        }
        for one in noted
    ]  # fmt: skip
    if json:
        print_json({"changes": rows})
        return
    for row in rows:
        more = "".join(f", {name} {value}" for name, value in row["details"].items())
        print(
            safe(f"{row['at']}  {row['actor']}: {row['action']} {row['subject']}{more}  {row['space'] or ''}".rstrip())
        )
