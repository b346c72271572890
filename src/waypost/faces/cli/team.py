"""Commands of a team's database, for whoever administers it: set it up, add people and the logins of their machines."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from waypost import config
from waypost.errors import ConfigError, InvalidInput
from waypost.faces.cli.framework import Ctx, Json, Yes, app
from waypost.faces.cli.output import print_json, safe
from waypost.faces.cli.session import confirm
from waypost.model.time import format_time, utc_now

if TYPE_CHECKING:
    from waypost.store.postgres.connection import Connections
    from waypost.store.postgres.directory import Directory
    from waypost.store.postgres.directory_rows import Space

team_app = typer.Typer(help="A team's PostgreSQL: people, their roles, their tokens.", no_args_is_help=True)
user_app = typer.Typer(help="People.", no_args_is_help=True)
login_app = typer.Typer(help="The database roles that people's machines log in with.", no_args_is_help=True)
space_app = typer.Typer(help="The memories in this database.", no_args_is_help=True)
role_app = typer.Typer(help="The database roles of the team itself.", no_args_is_help=True)
for _name, _group in (("user", user_app), ("login", login_app), ("space", space_app), ("role", role_app)):
    team_app.add_typer(_group, name=_name)
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
User = Annotated[str, typer.Argument(metavar="USER", help="The person's name in the team.")]
Login = Annotated[str, typer.Argument(metavar="ROLE", help="A database role that can log in.")]
Create = Annotated[bool, typer.Option("--create", help="Make the role, and print its password, this once.")]
_PASSWORD_BYTES = 24


def _pool(database: str) -> "Connections":
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
    with _pool(database).alone() as connection:
        from waypost.store.postgres.directory import Directory
        from waypost.store.postgres.directory_schema import check_directory

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
    password = secrets.token_urlsafe(_PASSWORD_BYTES) if server else None
    pool = _pool(database)
    with pool.alone() as connection:
        from waypost.store.postgres.directory_upkeep import set_up
        from waypost.store.postgres.roles import give_password

        done = set_up(connection, pool.shown, utc_now(), prefix)
        names = done.names
        if password and names:
            give_password(connection.raw, names.server, password, create=False)
    row = {"changed": done.changed, "spaces": done.spaces, "migrated": done.migrated, "prefix": names and names.prefix}
    if json:
        told = {"server": names and names.server} | ({"password": password} if names and password else {})
        print_json(row | told)
        return
    print(f"The directory is {'set up' if done.changed else 'up to date'}; {done.spaces} memories.")
    if names is None:
        print(
            "This login may not create roles: only it comes in. For a team, give it CREATEROLE and repeat this,\n"
            "or have somebody run what `waypost team role print-sql` prints."
        )
        return
    print(f"Roles begin with {names.prefix}_; `waypost serve` logs in as {names.server}.")
    if password:
        print(f"Its password, shown this once: {password}")


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
    print(f"{row['spaces']} memories, {row['users']} users that you can see.")
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


# -- people and their logins ---------------------------------------------------------------------------------------


@user_app.command("add")
def add_user(name: User, database: Store = "", json: Json = False) -> None:
    """Add a person. They may nothing yet: see `team member add`."""
    with directory_in(database) as directory:
        directory.add_user(name)
    print_json({"user": name, "status": "added"}) if json else print(f"Added {name}.")


@user_app.command("list")
def list_users(database: Store = "", json: Json = False) -> None:
    """Who is in the team."""
    with directory_in(database) as directory:
        users = directory.users()
    if json:
        rows = [
            {
                "user": one.name,
                "added": format_time(one.added_at),
                "logins": one.logins,
                "disabled": bool(one.disabled_at),
            }
            for one in users
        ]
        print_json({"users": rows})
        return
    for one in users:
        logins = f", logs in as {', '.join(one.logins)}" if one.logins else ""
        print(safe(f"{one.name}{logins}{' (disabled)' if one.disabled_at else ''}"))
    if not users:
        print("Nobody yet. Add somebody: waypost team user add NAME")


@user_app.command("disable")
def disable_user(name: User, database: Store = "", json: Json = False) -> None:
    """From now on this person's tokens, sessions and logins open nothing."""
    with directory_in(database) as directory:
        directory.disable_user(name)
    print_json({"user": name, "status": "disabled"}) if json else print(f"Disabled {name}.")


@user_app.command("enable")
def enable_user(name: User, database: Store = "", json: Json = False) -> None:
    """Give a person back what they could before."""
    with directory_in(database) as directory:
        directory.enable_user(name)
    print_json({"user": name, "status": "enabled"}) if json else print(f"Enabled {name}.")


@login_app.command("add")
def add_login(user: User, role: Login, create: Create = False, database: Store = "", json: Json = False) -> None:
    """From now on whoever logs in to the database with this role is this person."""
    from waypost.store.postgres.roles import give_password

    password = secrets.token_urlsafe(_PASSWORD_BYTES) if create else None
    with directory_in(database) as directory, directory.connection.transaction():
        if password:
            give_password(directory.connection, role, password, create=True)
        directory.add_login(user, role)
    row = {"user": user, "login": role, "status": "added"}
    if json:
        print_json(row | ({"password": password} if password else {}))
        return
    print(safe(f"{user} logs in as {role}."))
    if password:
        print(f"The password, shown this once: {password}")


@login_app.command("remove")
def remove_login(user: User, role: Login, database: Store = "", json: Json = False) -> None:
    """This role is nobody's any more. It stays in the database."""
    with directory_in(database) as directory:
        directory.remove_login(user, role)
    print_json({"user": user, "login": role, "status": "removed"}) if json else print(safe(f"Removed {role}."))


# -- memories ------------------------------------------------------------------------------------------------------


def chosen_space(directory: "Directory", given: str) -> "Space":
    """The memory of this id or name, which has to be one."""
    found = [one for one in directory.spaces() if given in (one.space_id, one.name)]
    if len(found) != 1:
        what = "There are several memories" if found else "There is no memory that you can see"
        raise InvalidInput(f"{what} named {given[:80]!r}.", "Name it by its id: `waypost team space list`.")
    return found[0]


@space_app.command("list")
def list_spaces(database: Store = "", json: Json = False) -> None:
    """The memories that you can see, and your role in each."""
    with directory_in(database) as directory:
        spaces = directory.spaces()
        roles = directory.spaces_of(user) if (user := directory.acting_user()) else {}
    if json:
        rows = [
            {"space": one.space_id, "name": one.name, "kind": one.kind, "role": roles.get(one.space_id)}
            for one in spaces
        ]
        print_json({"spaces": rows})
        return
    for one in spaces:
        role = f", you are {roles[one.space_id]}" if one.space_id in roles else ""
        print(safe(f"{one.space_id}  {one.name}{role}"))


@space_app.command("forget")
def forget_space(
    space: Annotated[str, typer.Argument(metavar="SPACE", help="Its id or name.")],
    database: Store = "",
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Erase a memory with everything in it, for everybody. For its owners."""
    with directory_in(database) as directory:
        found = chosen_space(directory, space)
        confirm(safe(f"Erase {found.name} ({found.space_id}) for everybody?"), yes=yes)
        directory.forget_space(found.space_id)
    print_json({"space": found.space_id, "status": "forgotten"}) if json else print(safe(f"Forgot {found.name}."))


@role_app.command("print-sql")
def print_sql(
    context: Ctx,
    database: Store = "",
    prefix: Annotated[str, typer.Option(help="What the names of the roles begin with.")] = "waypost",
) -> None:
    """Print the SQL that makes the roles, for somebody who may create roles. Run `team init` afterwards."""
    from waypost.store.postgres.roles import Names, known_names, sql_for_admins

    del context
    with directory_in(database) as directory:
        names = known_names(directory.connection) or Names(prefix)
        owner = directory.owner()
        for statement in sql_for_admins(names, [one.space_id for one in directory.spaces()], owner):
            print(f"{statement};")
