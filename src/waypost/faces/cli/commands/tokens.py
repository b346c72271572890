"""Commands on the tokens by which programs reach a server: each agent has its own, and loses it alone."""

from typing import TYPE_CHECKING, Annotated

import typer

from waypost.errors import InvalidInput
from waypost.faces.cli.framework import Ctx, Json, app, session_of
from waypost.faces.cli.output.memories import print_json
from waypost.faces.cli.session import interactive

if TYPE_CHECKING:
    from waypost.faces.guard.identity import Kind, Rights
    from waypost.faces.guard.tokens import TokenFile

token_app = typer.Typer(help="Tokens for those who reach a server by HTTP.", no_args_is_help=True)
app.add_typer(token_app, name="token")

Name = Annotated[str, typer.Argument(metavar="NAME", help="Who has it: an agent, a device.")]


@token_app.command("make")
def make(
    context: Ctx,
    name: Name,
    person: Annotated[bool, typer.Option("--person", help="It is for a person: what it says is their word.")] = False,
    read_only: Annotated[bool, typer.Option("--read-only", help="It may ask, and change nothing.")] = False,
    everywhere: Annotated[
        bool, typer.Option("--everywhere", help="For every memory of this machine, not only this project's.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="With --person: the owner says so, where nobody is at a terminal.")
    ] = False,
    json: Json = False,
) -> None:
    """Make a token for this project's memory and print it, this once: only its hash is kept."""
    from waypost.model.time import utc_now

    if person and not yes and not interactive():
        raise InvalidInput(
            "A token for a person is made by a person: nobody is at a terminal.", "Run it there, or add --yes."
        )
    kind: Kind = "person" if person else "agent"
    rights: Rights = "read" if read_only else "write"
    space = "" if everywhere else session_of(context).memory().identity.space_id
    made = _tokens().make(name, kind=kind, rights=rights, space=space, clock=utc_now)
    row = {"name": name, "kind": kind, "rights": rights, "space": space, "token": made}
    print_json(row) if json else print(made)


@token_app.command("list")
def list_(json: Json = False) -> None:
    """Who has a token, since when, and what it allows. The owner's own is a file that the server names."""
    named = _tokens().named()
    if json:
        print_json({"tokens": [one.to_json() for one in named]})
        return
    for one in named:
        rights = "may write" if one.rights == "write" else "may only ask"
        print(f"{one.name}  {one.kind}, {rights}, {one.space or 'everywhere'}, since {one.created}")
    if not named:
        print("No agent has a token. Make one: waypost token make NAME")


@token_app.command("revoke")
def revoke(name: Name, json: Json = False) -> None:
    """From now on this token opens nothing, also where a server is running."""
    _tokens().revoke(name)
    print_json({"name": name, "status": "revoked"}) if json else print(f"Revoked {name}.")


def _tokens() -> "TokenFile":
    from waypost import config
    from waypost.faces.guard.tokens import TokenFile

    return TokenFile(config.load().home)
