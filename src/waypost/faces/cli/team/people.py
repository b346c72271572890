"""Commands for a team's users and their database logins."""

from typing import TYPE_CHECKING, Annotated

import typer

from waypost.errors import InvalidInput, NotFound
from waypost.faces.cli.framework import Json
from waypost.faces.cli.output.memories import print_json, safe
from waypost.faces.cli.team.database import DatabaseUrl, RoleLogin, directory_in, new_password, pool_of, team_app
from waypost.model.time import format_time

if TYPE_CHECKING:
    from waypost.store.postgres.directory.rows import User as TeamUser

user_app = typer.Typer(help="Users of the team.", no_args_is_help=True)
login_app = typer.Typer(help="Database roles that users' machines log in with.", no_args_is_help=True)
team_app.add_typer(user_app, name="user")
team_app.add_typer(login_app, name="login")

User = Annotated[str, typer.Argument(metavar="USER", help="The person's name in the team.")]
Login = Annotated[str, typer.Argument(metavar="ROLE", help="A database role that can log in.")]
Create = Annotated[bool, typer.Option("--create", help="Create the role and print its password once.")]


@user_app.command("add")
def add_user(name: User, database: DatabaseUrl = "", json: Json = False) -> None:
    """Add a user. They have no access until `team member add`."""
    with directory_in(database) as directory:
        if name in {user.name for user in directory.users()}:
            raise InvalidInput(f"User {name!r} already exists.", "Choose another name. See `waypost team user list`.")
        directory.add_user(name)
    if json:
        print_json({"user": name, "status": "added"})
        return
    print(
        f"Added {name}. Next: a login for each machine with the code, `waypost team login add {name} ROLE --create`,\n"
        f"and a role in a memory: run `waypost team member add {name} owner|writer|reader` in its project."
    )


@user_app.command("list")
def list_users(database: DatabaseUrl = "", json: Json = False) -> None:
    """List the users of the team."""
    with directory_in(database) as directory:
        users = directory.users()
    if json:
        rows = [
            {
                "user": user.name,
                "added": format_time(user.added_at),
                "logins": user.logins,
                "disabled": bool(user.disabled_at),
            }
            for user in users
        ]
        print_json({"users": rows})
        return
    for user in users:
        logins = f", logs in as {', '.join(user.logins)}" if user.logins else ""
        print(safe(f"{user.name}{logins}{' (disabled)' if user.disabled_at else ''}"))
    if not users:
        print("No users yet. Add one: waypost team user add NAME")


@user_app.command("disable")
def disable_user(name: User, database: DatabaseUrl = "", json: Json = False) -> None:
    """Disable a user. Their tokens, sessions and logins stop working."""
    with directory_in(database) as directory:
        directory.disable_user(name)
    print_json({"user": name, "status": "disabled"}) if json else print(f"Disabled {name}.")


@user_app.command("enable")
def enable_user(name: User, database: DatabaseUrl = "", json: Json = False) -> None:
    """Enable a disabled user with their earlier rights."""
    with directory_in(database) as directory:
        directory.enable_user(name)
    print_json({"user": name, "status": "enabled"}) if json else print(f"Enabled {name}.")


@login_app.command("add")
def add_login(user: User, role: Login, create: Create = False, database: DatabaseUrl = "", json: Json = False) -> None:
    """Link a database role to a user. Anyone who logs in with it acts as this user."""
    from waypost.store.postgres.roles import give_password

    password = new_password() if create else None
    with directory_in(database) as directory, directory.connection.transaction():
        users = {member.name: member for member in directory.users()}
        if directory.is_admin():  # for others the database itself reports the missing right
            _check_login(users, user, role)
        if password:
            give_password(directory.connection, role, password, create=True)
        try:
            directory.add_login(user, role)
        except NotFound as error:
            raise NotFound(error.what, "Add --create to create it, or run CREATE ROLE … LOGIN.") from error
        dsn = pool_of(database).dsn
        logging_in = RoleLogin.by(directory.connection, dsn, role, password) if password else None
    row = {"user": user, "login": role, "status": "added"}
    if json:
        login = {"password": password, "store": logging_in.store} if logging_in else {}
        print_json(row | login)
        return
    print(safe(f"{user} logs in as {role}."))
    if logging_in:
        print(logging_in.instructions("The password"))


def _check_login(users: "dict[str, TeamUser]", user: str, role: str) -> None:
    if user not in users:
        raise NotFound(f"Unknown user {user[:80]!r}.", "Add them first: waypost team user add NAME.")
    for member in users.values():
        if role in member.logins:
            raise InvalidInput(
                f"{member.name} already logs in as {role}.",
                "Use another role, or remove it first: waypost team login remove.",
            )


@login_app.command("remove")
def remove_login(user: User, role: Login, database: DatabaseUrl = "", json: Json = False) -> None:
    """Unlink a database role from a user. The role stays in the database."""
    with directory_in(database) as directory:
        directory.remove_login(user, role)
    print_json({"user": user, "login": role, "status": "removed"}) if json else print(safe(f"Removed {role}."))
