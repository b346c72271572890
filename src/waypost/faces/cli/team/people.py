"""Commands on the people of a team, and on the database roles that their machines log in with."""

from typing import TYPE_CHECKING, Annotated

import typer

from waypost.errors import InvalidInput, NotFound
from waypost.faces.cli.framework import Json
from waypost.faces.cli.output.memories import print_json, safe
from waypost.faces.cli.team.database import LoggingIn, Store, directory_in, new_password, pool_of, team_app
from waypost.model.time import format_time

if TYPE_CHECKING:
    from waypost.store.postgres.directory.rows import User as TeamUser

user_app = typer.Typer(help="People.", no_args_is_help=True)
login_app = typer.Typer(help="The database roles that people's machines log in with.", no_args_is_help=True)
team_app.add_typer(user_app, name="user")
team_app.add_typer(login_app, name="login")

User = Annotated[str, typer.Argument(metavar="USER", help="The person's name in the team.")]
Login = Annotated[str, typer.Argument(metavar="ROLE", help="A database role that can log in.")]
Create = Annotated[bool, typer.Option("--create", help="Make the role, and print its password, this once.")]


@user_app.command("add")
def add_user(name: User, database: Store = "", json: Json = False) -> None:
    """Add a person. They may nothing yet: see `team member add`."""
    with directory_in(database) as directory:
        if name in {one.name for one in directory.users()}:
            raise InvalidInput(
                f"There is a user {name!r} already.", "Take another name. `waypost team user list` has all."
            )
        directory.add_user(name)
    if json:
        print_json({"user": name, "status": "added"})
        return
    print(
        f"Added {name}. Next: a login for each machine with the code, `waypost team login add {name} ROLE --create`,\n"
        f"and a role in a memory, `waypost team member add {name} owner|writer|reader` in its project."
    )


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

    password = new_password() if create else None
    with directory_in(database) as directory, directory.connection.transaction():
        users = {one.name: one for one in directory.users()}
        if directory.is_admin():  # who is none is told so by the database
            _check_login(users, user, role)
        if password:
            give_password(directory.connection, role, password, create=True)
        try:
            directory.add_login(user, role)
        except NotFound as error:
            raise NotFound(error.what, "Add --create to have it made, or make it: CREATE ROLE … LOGIN.") from error
        dsn = pool_of(database).dsn
        logging_in = LoggingIn.by(directory.connection, dsn, role, password) if password else None
    row = {"user": user, "login": role, "status": "added"}
    if json:
        told = {"password": password, "store": logging_in.store} if logging_in else {}
        print_json(row | told)
        return
    print(safe(f"{user} logs in as {role}."))
    if logging_in:
        print(logging_in.told("The password"))


def _check_login(users: "dict[str, TeamUser]", user: str, role: str) -> None:
    if user not in users:
        raise NotFound(f"There is no user {user[:80]!r}.", "Add them first: waypost team user add NAME.")
    for one in users.values():
        if role in one.logins:
            raise InvalidInput(
                f"{one.name} logs in as {role} already.",
                "Take another role, or take it from them first: waypost team login remove.",
            )


@login_app.command("remove")
def remove_login(user: User, role: Login, database: Store = "", json: Json = False) -> None:
    """This role is nobody's any more. It stays in the database."""
    with directory_in(database) as directory:
        directory.remove_login(user, role)
    print_json({"user": user, "login": role, "status": "removed"}) if json else print(safe(f"Removed {role}."))
