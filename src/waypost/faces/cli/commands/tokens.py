"""Commands for access tokens. Each agent has its own and can be revoked alone."""

from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from waypost import config
from waypost.errors import InvalidInput
from waypost.faces.cli.framework import Ctx, Json, app, command_group, session_of
from waypost.faces.cli.output.memories import print_json
from waypost.faces.cli.session import interactive
from waypost.model.time import utc_now

if TYPE_CHECKING:
    from waypost.faces.guard.identity import Kind, Rights
    from waypost.faces.guard.tokens import TokenFile

token_app = command_group("Access tokens for the HTTP server.")
app.add_typer(token_app, name="token")

Name = Annotated[str, Argument(metavar="NAME", help="The agent or device that uses the token.")]
ForPerson = Annotated[bool, Option("--person", help="Record what it writes under the person, not an agent.")]
ReadOnly = Annotated[bool, Option("--read-only", help="Allow reading only.")]
AllowPerson = Annotated[bool, Option("--yes", "-y", help="Allow --person without a terminal.")]


def kind_and_rights(*, person: bool, read_only: bool, yes: bool) -> "tuple[Kind, Rights]":
    """What a token is for. Raises InvalidInput for a person's token if no person is at the terminal."""
    if person and not yes and not interactive():
        raise InvalidInput(
            "Only a person at a terminal can create a person's token.", "Run it in a terminal, or add --yes."
        )
    return "person" if person else "agent", "read" if read_only else "write"


@token_app.command("make")
def make(
    context: Ctx,
    name: Name,
    person: ForPerson = False,
    read_only: ReadOnly = False,
    everywhere: Annotated[
        bool, Option("--everywhere", help="Valid for all memories on this machine, not only this project's.")
    ] = False,
    yes: AllowPerson = False,
    json: Json = False,
) -> None:
    """Create a token for this project's memory and print it once. Only its hash is stored."""
    kind, rights = kind_and_rights(person=person, read_only=read_only, yes=yes)
    space = "" if everywhere else session_of(context).memory().identity.space_id
    token = _tokens().make(name, kind=kind, rights=rights, space=space, clock=utc_now)
    row = {"name": name, "kind": kind, "rights": rights, "space": space, "token": token}
    print_json(row) if json else print(token)


@token_app.command("list")
def list_(json: Json = False) -> None:
    """List tokens and their rights. The owner's token is in a file that `waypost serve` names."""
    tokens = _tokens().named()
    if json:
        print_json({"tokens": [token.to_json() for token in tokens]})
        return
    for token in tokens:
        rights = "read and write" if token.rights == "write" else "read only"
        print(f"{token.name}  {token.kind}, {rights}, {token.space or 'everywhere'}, since {token.created}")
    if not tokens:
        print("No tokens. Create one: waypost token make NAME")


@token_app.command("revoke")
def revoke(name: Name, json: Json = False) -> None:
    """Revoke a token. Running servers refuse it immediately."""
    _tokens().revoke(name)
    print_json({"name": name, "status": "revoked"}) if json else print(f"Revoked {name}.")


def _tokens() -> "TokenFile":
    from waypost.faces.guard.tokens import TokenFile

    return TokenFile(config.load().home)
