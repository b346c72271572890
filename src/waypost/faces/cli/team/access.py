"""Commands for members and tokens of a team's memory. Administrators and the memory's owners can use them."""

from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from waypost import config
from waypost.errors import InvalidInput, NotFound
from waypost.faces.cli.arguments import MYSELF
from waypost.faces.cli.commands.tokens import AllowPerson, ForPerson, Name, ReadOnly, kind_and_rights
from waypost.faces.cli.framework import Ctx, Json, command_group, session_of
from waypost.faces.cli.output.memories import print_json, safe
from waypost.faces.cli.team.database import DatabaseUrl, team_app
from waypost.faces.cli.team.people import User
from waypost.memory.team_admin import checked_role, directory_in, select_space
from waypost.model.time import format_time, utc_now
from waypost.space.alias import with_alias
from waypost.space.identity import identify, identify_person

if TYPE_CHECKING:
    from waypost.space.identity import Identity

member_app = command_group("Members of a memory and their roles.")
token_app = command_group("Access tokens for a team's server.")
team_app.add_typer(member_app, name="member")
team_app.add_typer(token_app, name="token")

SpaceOption = Annotated[str, Option("--space", metavar="SPACE", help="Memory id or name (default: this project's).")]
RoleName = Annotated[str, Argument(metavar="ROLE", help="owner, writer or reader.")]


def _current(context: Ctx) -> "Identity":
    """The project or person that the command was called for."""
    session, settings = session_of(context), config.load()
    if session.person is None:
        return with_alias(identify(session.directory, machine=settings.machine), settings)
    return identify_person(settings.person if session.person == MYSELF else session.person)


@member_app.command("add")
def add(
    context: Ctx, user: User, role: RoleName, space: SpaceOption = "", database: DatabaseUrl = "", json: Json = False
) -> None:
    """Add a member to a memory as reader, writer or owner. Owners only."""
    with directory_in(database) as directory:
        where = select_space(directory, space, lambda: _current(context))
        roles = {member.user: member.role for member in directory.members(where.space_id)}
        if user in roles:
            raise InvalidInput(
                f"{user} is already {roles[user]} of {where.name}.", f"Change it: waypost team member role {user} ROLE."
            )
        directory.add_member(where.space_id, user, checked_role(role))
    row = {"space": where.space_id, "user": user, "role": role}
    print_json(row) if json else print(safe(f"{user} is now {role} of {where.name} ({where.space_id})."))


@member_app.command("role")
def change(
    context: Ctx, user: User, role: RoleName, space: SpaceOption = "", database: DatabaseUrl = "", json: Json = False
) -> None:
    """Change a member's role. Owners only; a memory keeps at least one owner."""
    with directory_in(database) as directory:
        where = select_space(directory, space, lambda: _current(context))
        directory.change_role(where.space_id, user, checked_role(role))
    row = {"space": where.space_id, "user": user, "role": role}
    print_json(row) if json else print(safe(f"{user} is now {role} of {where.name} ({where.space_id})."))


@member_app.command("remove")
def remove(context: Ctx, user: User, space: SpaceOption = "", database: DatabaseUrl = "", json: Json = False) -> None:
    """Remove a member. They and their agents lose access. Owners only, or to leave yourself."""
    with directory_in(database) as directory:
        where = select_space(directory, space, lambda: _current(context))
        directory.remove_member(where.space_id, user)
    row = {"space": where.space_id, "user": user, "status": "removed"}
    print_json(row) if json else print(safe(f"Removed {user} from {where.name} ({where.space_id})."))


@member_app.command("list")
def members(context: Ctx, space: SpaceOption = "", database: DatabaseUrl = "", json: Json = False) -> None:
    """List the members of a memory and their roles."""
    with directory_in(database) as directory:
        memberships = directory.members(select_space(directory, space, lambda: _current(context)).space_id)
    if json:
        rows = [
            {"user": member.user, "role": member.role, "since": format_time(member.added_at)} for member in memberships
        ]
        print_json({"members": rows})
        return
    for member in memberships:
        print(f"{member.user}  {member.role}, since {member.added_at:%Y-%m-%d}, by {safe(member.added_by)}")
    if not memberships:
        print("No members yet. Add an owner: waypost team member add USER owner")


@token_app.command("make")
def make(
    context: Ctx,
    user: User,
    name: Name,
    person: ForPerson = False,
    read_only: ReadOnly = False,
    space: SpaceOption = "",
    everywhere: Annotated[bool, Option("--everywhere", help="Valid for all memories of this person.")] = False,
    days: Annotated[int | None, Option(min=1, max=3650, help="Expire after this many days.")] = None,
    yes: AllowPerson = False,
    database: DatabaseUrl = "",
    json: Json = False,
) -> None:
    """Create a token for a person or an agent and print it once. Only its hash is stored."""
    from waypost.faces.guard.team_tokens import make_token

    kind, rights = kind_and_rights(person=person, read_only=read_only, yes=yes)
    expires = None if days is None else utc_now() + timedelta(days=days)
    with directory_in(database) as directory:
        where = None if everywhere else select_space(directory, space, lambda: _current(context)).space_id
        if any(existing.name == name and existing.revoked_at is None for existing in directory.tokens(user)):
            raise InvalidInput(
                f"{user} already has a token {name!r}.",
                f"Choose another name, or run: waypost team token revoke {user} {name}.",
            )
        token = make_token(directory, user, name, kind=kind, rights=rights, space_id=where, expires=expires)
    row = {"user": user, "name": name, "kind": kind, "rights": rights, "space": where, "token": token}
    print_json(row | {"expires": expires and format_time(expires)}) if json else print(token)


@token_app.command("list")
def tokens(
    user: Annotated[str | None, Argument(metavar="USER", help="Only this person's (default: all you can see).")] = None,
    database: DatabaseUrl = "",
    json: Json = False,
) -> None:
    """List valid tokens and what they give access to."""
    with directory_in(database) as directory:
        listed = [token for token in directory.tokens(user) if token.revoked_at is None]
        names = {token.space_id: token.name for token in directory.spaces()}
    if json:
        rows = [
            {
                "user": token.user, "name": token.name, "kind": token.kind, "rights": token.rights, "space": token.space_id,
                "created": format_time(token.created), "expires": token.expires and format_time(token.expires),
            }
            for token in listed
        ]  # fmt: skip
        print_json({"tokens": rows})
        return
    for token in listed:
        rights = "read and write" if token.rights == "write" else "read only"
        end = f", until {token.expires:%Y-%m-%d}" if token.expires else ""
        where = "everywhere" if token.space_id is None else f"in {names.get(token.space_id, token.space_id)}"
        print(safe(f"{token.user}  {token.name}  {token.kind}, {rights}, {where}, since {token.created:%Y-%m-%d}{end}"))
    if not listed:
        print("No tokens. Create one: waypost team token make USER NAME")


@token_app.command("revoke")
def revoke(user: User, name: Name, database: DatabaseUrl = "", json: Json = False) -> None:
    """Revoke a token. Every server refuses it from now on."""
    with directory_in(database) as directory:
        try:
            directory.revoke_token(user, name)
        except NotFound as error:
            raise NotFound(error.what, "See valid tokens with `waypost team token list`.") from error
    print_json({"user": user, "name": name, "status": "revoked"}) if json else print(f"Revoked {name} of {user}.")
