"""Commands on who may do what in a memory of a team, and on people's tokens. An owner of the memory can use them too."""

from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from waypost import config
from waypost.errors import InvalidInput, NotFound
from waypost.faces.cli.arguments import MYSELF
from waypost.faces.cli.framework import Ctx, Json, session_of
from waypost.faces.cli.output.memories import print_json, safe
from waypost.faces.cli.session import interactive
from waypost.faces.cli.team.database import Store, directory_in, team_app
from waypost.faces.cli.team.people import User
from waypost.faces.cli.team.spaces import chosen_space
from waypost.model.time import format_time, utc_now

if TYPE_CHECKING:
    from waypost.faces.guard.identity import Kind, Rights
    from waypost.space.identity import Identity
    from waypost.store.postgres.directory.directory import Directory
    from waypost.store.postgres.directory.rows import Space
    from waypost.store.postgres.roles import Role

member_app = typer.Typer(help="Who may do what in a memory.", no_args_is_help=True)
token_app = typer.Typer(help="Tokens by which people and their agents reach a team's server.", no_args_is_help=True)
team_app.add_typer(member_app, name="member")
team_app.add_typer(token_app, name="token")

In = Annotated[str, typer.Option("--space", metavar="SPACE", help="Its id or name; else this project's.")]
As = Annotated[str, typer.Argument(metavar="ROLE", help="owner, writer or reader.")]
TokenName = Annotated[str, typer.Argument(metavar="NAME", help="What has it: an agent, a device.")]


def _space(context: Ctx, directory: "Directory", given: str) -> "Space":
    """The memory that is meant, which has to be there for whoever asks."""
    from waypost.space.alias import with_alias
    from waypost.space.identity import identify, identify_person

    if given:
        return chosen_space(directory, given)
    session, settings = session_of(context), config.load()
    if session.person is None:
        wanted = with_alias(identify(session.directory, machine=settings.machine), settings)
    else:
        wanted = identify_person(settings.person if session.person == MYSELF else session.person)
    for one in directory.spaces():
        if one.space_id == wanted.space_id:
            return one
    raise NotFound(
        f"{wanted.name!r} has no memory in this database, or none that you are a member of.",
        f"An administrator makes it: {_making(wanted)}. Its owners add people. `waypost team space list` has yours.",
    )


def _making(wanted: "Identity") -> str:
    command = "waypost init" if wanted.kind == "project" else f"waypost --person {wanted.name} status"
    return f"`WAYPOST_STORE=$WAYPOST_ADMIN_STORE {command}`"


def _role(given: str) -> "Role":
    from waypost.store.postgres.roles import ROLES

    for role in ROLES:
        if role == given:
            return role
    raise InvalidInput(f"{given[:80]!r} is no role.", f"Take one of {', '.join(ROLES)}.")


@member_app.command("add")
def add(context: Ctx, user: User, role: As, space: In = "", database: Store = "", json: Json = False) -> None:
    """Let a person read a memory, write to it, or own it. For its owners."""
    with directory_in(database) as directory:
        where = _space(context, directory, space)
        known = {one.user: one.role for one in directory.members(where.space_id)}
        if user in known:
            raise InvalidInput(
                f"{user} is {known[user]} of {where.name} already.", f"Change it: waypost team member role {user} ROLE."
            )
        directory.add_member(where.space_id, user, _role(role))
    row = {"space": where.space_id, "user": user, "role": role}
    print_json(row) if json else print(safe(f"{user} is {role} of {where.name} ({where.space_id})."))


@member_app.command("role")
def change(context: Ctx, user: User, role: As, space: In = "", database: Store = "", json: Json = False) -> None:
    """Change what a member may. For the memory's owners, of whom one has to stay."""
    with directory_in(database) as directory:
        where = _space(context, directory, space)
        directory.change_role(where.space_id, user, _role(role))
    row = {"space": where.space_id, "user": user, "role": role}
    print_json(row) if json else print(safe(f"{user} is {role} of {where.name} ({where.space_id})."))


@member_app.command("remove")
def remove(context: Ctx, user: User, space: In = "", database: Store = "", json: Json = False) -> None:
    """This person may nothing there any more, nor may their agents. For the memory's owners, and for oneself."""
    with directory_in(database) as directory:
        where = _space(context, directory, space)
        directory.remove_member(where.space_id, user)
    row = {"space": where.space_id, "user": user, "status": "removed"}
    print_json(row) if json else print(safe(f"{user} is no member of {where.name} ({where.space_id}) any more."))


@member_app.command("list")
def members(context: Ctx, space: In = "", database: Store = "", json: Json = False) -> None:
    """Who may do what in a memory that you are a member of."""
    with directory_in(database) as directory:
        found = directory.members(_space(context, directory, space).space_id)
    if json:
        rows = [{"user": one.user, "role": one.role, "since": format_time(one.added_at)} for one in found]
        print_json({"members": rows})
        return
    for one in found:
        print(f"{one.user}  {one.role}, since {one.added_at:%Y-%m-%d}, by {safe(one.added_by)}")
    if not found:
        print("Nobody yet. Add an owner: waypost team member add USER owner")


@token_app.command("make")
def make(
    context: Ctx,
    user: User,
    name: TokenName,
    person: Annotated[
        bool, typer.Option("--person", help="What it says is the person's word, not an agent's.")
    ] = False,
    read_only: Annotated[bool, typer.Option("--read-only", help="It may ask, and change nothing.")] = False,
    space: In = "",
    everywhere: Annotated[bool, typer.Option("--everywhere", help="For every memory of this person.")] = False,
    days: Annotated[int | None, typer.Option(min=1, max=3650, help="It opens nothing after so many.")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="With --person: where nobody is at a terminal.")] = False,
    database: Store = "",
    json: Json = False,
) -> None:
    """Make a token for a person or one of their agents and print it, this once: only its hash is kept."""
    from waypost.faces.guard.team_tokens import make_token

    if person and not yes and not interactive():
        raise InvalidInput(
            "A token for a person is made by a person: nobody is at a terminal.", "Run it there, or add --yes."
        )
    kind: Kind = "person" if person else "agent"
    rights: Rights = "read" if read_only else "write"
    expires = None if days is None else utc_now() + timedelta(days=days)
    with directory_in(database) as directory:
        where = None if everywhere else _space(context, directory, space).space_id
        if any(one.name == name and one.revoked_at is None for one in directory.tokens(user)):
            raise InvalidInput(
                f"{user} has a token {name!r} already.",
                f"Take another name, or: waypost team token revoke {user} {name}.",
            )
        made = make_token(directory, user, name, kind=kind, rights=rights, space_id=where, expires=expires)
    row = {"user": user, "name": name, "kind": kind, "rights": rights, "space": where, "token": made}
    print_json(row | {"expires": expires and format_time(expires)}) if json else print(made)


@token_app.command("list")
def tokens(
    user: Annotated[str | None, typer.Argument(metavar="USER", help="Whose; else all that you can see.")] = None,
    database: Store = "",
    json: Json = False,
) -> None:
    """Which tokens open something, and what."""
    with directory_in(database) as directory:
        found = [one for one in directory.tokens(user) if one.revoked_at is None]
        names = {one.space_id: one.name for one in directory.spaces()}
    if json:
        rows = [
            {
                "user": one.user, "name": one.name, "kind": one.kind, "rights": one.rights, "space": one.space_id,
                "created": format_time(one.created), "expires": one.expires and format_time(one.expires),
            }
            for one in found
        ]  # fmt: skip
        print_json({"tokens": rows})
        return
    for one in found:
        rights = "may write" if one.rights == "write" else "may only ask"
        end = f", until {one.expires:%Y-%m-%d}" if one.expires else ""
        where = "everywhere" if one.space_id is None else f"in {names.get(one.space_id, one.space_id)}"
        print(safe(f"{one.user}  {one.name}  {one.kind}, {rights}, {where}, since {one.created:%Y-%m-%d}{end}"))
    if not found:
        print("There are none. Make one: waypost team token make USER NAME")


@token_app.command("revoke")
def revoke(user: User, name: TokenName, database: Store = "", json: Json = False) -> None:
    """From now on this token opens nothing, in no server."""
    with directory_in(database) as directory:
        try:
            directory.revoke_token(user, name)
        except NotFound as error:
            raise NotFound(error.what, "`waypost team token list` has those that open something.") from error
    print_json({"user": user, "name": name, "status": "revoked"}) if json else print(f"Revoked {name} of {user}.")
