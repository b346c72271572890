"""Commands for the memories in a team's database and the roles that open them."""

from typing import Annotated

from typer import Argument, Option

from waypost import config
from waypost.faces.cli.framework import Ctx, Json, Yes, command_group, session_of
from waypost.faces.cli.output.memories import print_json, safe
from waypost.faces.cli.session import confirm
from waypost.faces.cli.team.database import DatabaseUrl, team_app
from waypost.memory.team_admin import directory_in, find_space, missing_roles
from waypost.space.identity import identify

space_app = command_group("Memories in this database.")
role_app = command_group("Database roles that Waypost itself uses.")
team_app.add_typer(space_app, name="space")
team_app.add_typer(role_app, name="role")


@space_app.command("list")
def list_spaces(database: DatabaseUrl = "", json: Json = False) -> None:
    """List the memories you can see, and your role in each."""
    with directory_in(database) as directory:
        spaces = directory.spaces()
        roles = directory.spaces_of(user) if (user := directory.acting_user()) else {}
    if json:
        rows = [
            {"space": space.space_id, "name": space.name, "kind": space.kind, "role": roles.get(space.space_id)}
            for space in spaces
        ]
        print_json({"spaces": rows})
        return
    for space in spaces:
        role = f", you are {roles[space.space_id]}" if space.space_id in roles else ""
        print(safe(f"{space.space_id}  {space.name}{role}"))
    if not spaces:
        print("You can see no memories. An administrator creates one with `waypost init`; its owners add members.")


@space_app.command("forget")
def forget_space(
    space: Annotated[str, Argument(metavar="SPACE", help="Its id or name.")],
    database: DatabaseUrl = "",
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Erase a memory with all its content for everyone. Owners only."""
    with directory_in(database) as directory:
        target = find_space(directory, space)
        confirm(safe(f"Erase {target.name} ({target.space_id}) for everyone?"), yes=yes)
        directory.forget_space(target.space_id)
    print_json({"space": target.space_id, "status": "forgotten"}) if json else print(safe(f"Forgot {target.name}."))


@role_app.command("print-sql")
def print_sql(
    context: Ctx,
    database: DatabaseUrl = "",
    prefix: Annotated[str | None, Option(help="Prefix of the role names.", show_default="waypost")] = None,
) -> None:
    """Print SQL that creates missing roles, for a login with CREATEROLE. Run `team init` afterwards.

    In a project without a memory yet, also print the roles of that memory.
    """
    here = identify(session_of(context).directory, machine=config.load().machine)
    with directory_in(database) as directory:
        spaces = {space.space_id: space.name for space in directory.spaces()}
        if here.source != "directory":  # a folder outside a repository is unlikely to be meant
            spaces.setdefault(here.space_id, here.name)
        missing = missing_roles(directory, spaces, prefix)
    if not missing.statements:
        print("-- All roles exist.")
        return
    for statement in missing.statements:
        print(f"{statement};")
    if f"CREATE ROLE {missing.names.server} LOGIN NOINHERIT" in missing.statements:
        print(f"-- Set a password for `waypost serve`, in psql: \\password {missing.names.server}")
    print(f"-- Then: waypost team init{'' if missing.is_known else f' --prefix {missing.names.prefix}'}")
