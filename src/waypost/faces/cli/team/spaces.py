"""Commands on the memories of a team's database, and on the roles that open them."""

from typing import TYPE_CHECKING, Annotated

import typer

from waypost import config
from waypost.errors import InvalidInput
from waypost.faces.cli.framework import Ctx, Json, Yes, session_of
from waypost.faces.cli.output.memories import print_json, safe
from waypost.faces.cli.session import confirm
from waypost.faces.cli.team.database import Store, directory_in, team_app

if TYPE_CHECKING:
    from waypost.store.postgres.directory.directory import Directory
    from waypost.store.postgres.directory.rows import Space

space_app = typer.Typer(help="The memories in this database.", no_args_is_help=True)
role_app = typer.Typer(help="The database roles of the team itself.", no_args_is_help=True)
team_app.add_typer(space_app, name="space")
team_app.add_typer(role_app, name="role")


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
    if not spaces:
        print(
            "None that you can see. An administrator makes one: `waypost init` in the project; its owners add people."
        )


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
    prefix: Annotated[
        str | None, typer.Option(help="What the names of the roles begin with.", show_default="waypost")
    ] = None,
) -> None:
    """Print the SQL that makes the roles, for somebody who may create roles. Run `team init` afterwards.

    What is there already is left out. In a project without a memory yet, that memory's roles are printed too.
    """
    from waypost.space.identity import identify
    from waypost.store.postgres.role_admission import roles_to_make

    here = identify(session_of(context).directory, machine=config.load().machine)
    with directory_in(database) as directory:
        spaces = {one.space_id: one.name for one in directory.spaces()}
        if here.source != "directory":  # a folder that is no repository is hardly meant
            spaces.setdefault(here.space_id, here.name)
        found = roles_to_make(directory.connection, spaces, directory.owner(), prefix)
    if not found.statements:
        print("-- All roles are there.")
        return
    for statement in found.statements:
        print(f"{statement};")
    if f"CREATE ROLE {found.names.server} LOGIN NOINHERIT" in found.statements:
        print(f"-- For `waypost serve` give it a password, in psql: \\password {found.names.server}")
    print(f"-- Then: waypost team init{'' if found.is_known else f' --prefix {found.names.prefix}'}")
