"""Commands for the administrator of a team's database: set it up, show its state and its audit log."""

from typing import Annotated, Any

from typer import Option

from waypost.faces.cli.framework import Json, app, command_group
from waypost.faces.cli.output.memories import print_json, print_notices, safe
from waypost.memory.team_admin import RoleLogin, directory_in, set_up_team
from waypost.model.time import format_time
from waypost.text.plural import counted

team_app = command_group("Manage a team's PostgreSQL database: people, roles, tokens.")
app.add_typer(team_app, name="team")

DatabaseUrl = Annotated[
    str,
    Option(
        "--database",
        metavar="URL",
        envvar="WAYPOST_ADMIN_STORE",
        help="postgresql://… with the login to use (default: `store` in the settings).",
        show_default=False,
    ),
]


@team_app.command("init")
def init(
    database: DatabaseUrl = "",
    prefix: Annotated[str | None, Option(help="Prefix of the role names.", show_default="waypost")] = None,
    server: Annotated[
        bool, Option("--server", help="Set a new password for the server role and print it once.")
    ] = False,
    json: Json = False,
) -> None:
    """Set up or upgrade a team's database: tables, roles and grants. Safe to repeat."""
    done = set_up_team(database, prefix, server_password=server)
    if json:
        row = {"changed": done.changed, "spaces": done.spaces, "migrated": done.migrated, "prefix": done.prefix}
        login = {"server": done.server} | ({"password": done.login.password} if done.login else {})
        print_json(row | login | {"notices": list(done.notices)})
        return
    print(f"The directory is {'set up' if done.changed else 'up to date'}; {_memories(done.spaces)}.")
    if done.server is None:
        print(
            "This login cannot create roles, so nobody else can connect. For a team, grant it CREATEROLE and repeat this,\n"
            "or ask an administrator to run the output of `waypost team role print-sql`."
        )
    else:
        print(f"Role names begin with {done.prefix}_; `waypost serve` logs in as {done.server}.")
    if done.login is not None:
        print_login("Its password", done.login)
    print_notices(done.notices)


def print_login(what: str, login: RoleLogin) -> None:
    print(
        safe(
            f"{what}, shown only once: {login.password}\n"
            f"Line for ~/.pgpass there (mode 600): {login.pgpass}\n"
            f'Line for config.toml there: store = "{login.store}"'
        )
    )


def _memories(count: int) -> str:
    return counted(count, "memory", "memories")


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
    most: Annotated[int, Option("-n", min=1, max=10_000, help="Maximum number of entries.")] = 50,
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
