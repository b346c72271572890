"""Commands for a team's users and their database logins."""

from typing import Annotated

from typer import Argument, Option

from waypost.errors import InvalidInput
from waypost.faces.cli.framework import Json, command_group
from waypost.faces.cli.output.memories import print_json, safe
from waypost.faces.cli.team.database import DatabaseUrl, print_login, team_app
from waypost.memory.team_admin import add_login as link_login
from waypost.memory.team_admin import directory_in
from waypost.model.time import format_time

user_app = command_group("Users of the team.")
login_app = command_group("Database roles that users' machines log in with.")
team_app.add_typer(user_app, name="user")
team_app.add_typer(login_app, name="login")

User = Annotated[str, Argument(metavar="USER", help="The person's name in the team.")]
Login = Annotated[str, Argument(metavar="ROLE", help="A database role that can log in.")]
Create = Annotated[bool, Option("--create", help="Create the role and print its password once.")]


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
    login = link_login(database, user, role, create=create)
    if json:
        secret = {"password": login.password, "store": login.store} if login else {}
        print_json({"user": user, "login": role, "status": "added"} | secret)
        return
    print(safe(f"{user} logs in as {role}."))
    if login:
        print_login("The password", login)


@login_app.command("remove")
def remove_login(user: User, role: Login, database: DatabaseUrl = "", json: Json = False) -> None:
    """Unlink a database role from a user. The role stays in the database."""
    with directory_in(database) as directory:
        directory.remove_login(user, role)
    print_json({"user": user, "login": role, "status": "removed"}) if json else print(safe(f"Removed {role}."))
