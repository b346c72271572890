"""Commands on what projects let each other read."""

from typing import TYPE_CHECKING, Annotated

import typer

from waypost.errors import InvalidInput
from waypost.faces.cli.framework import Ctx, Json, Yes, app, session_of
from waypost.faces.cli.output.memories import console, print_json, print_notices, safe

if TYPE_CHECKING:
    from waypost.faces.cli.session import CommandSession
    from waypost.flows.share.agreements import Share

share_app = typer.Typer(help="What projects let each other read, by consent of both.", no_args_is_help=True)
app.add_typer(share_app, name="share")

Project = Annotated[
    str, typer.Argument(metavar="PROJECT", help="The other project: its path, its name, or its id.", show_default=False)
]


@share_app.command("offer")
def offer(
    context: Ctx,
    project: Project,
    kind: Annotated[
        list[str] | None, typer.Option("--kind", help="Only this kind: fact, decision, learning, fix, …")
    ] = None,
    domain: Annotated[list[str] | None, typer.Option("--domain", help="Only this domain.")] = None,
    level: Annotated[list[int] | None, typer.Option("--level", help="Only this level, 0 to 3.")] = None,
    code: Annotated[bool, typer.Option("--code", help="Also what was read out of the tree.")] = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Let another project read facts and decisions of this one, once it has accepted."""
    session = session_of(context)
    memory = session.memory(yes=yes)
    made = memory.admin.shares.offer(
        _told(session, project), kinds=kind or (), domains=domain or (), levels=level or (), code=code
    )
    print_json(made.to_json()) if json else _print(made, memory.identity.space_id)


@share_app.command("accept")
def accept(context: Ctx, project: Project, yes: Yes = False, json: Json = False) -> None:
    """Read from now on what another project offers to this one."""
    session = session_of(context)
    memory = session.memory(yes=yes)
    made = memory.admin.shares.accept(_told(session, project))
    print_json(made.to_json()) if json else _print(made, memory.identity.space_id)


@share_app.command("revoke")
def revoke(
    context: Ctx,
    project: Project,
    given: Annotated[bool, typer.Option("--given", help="Only what this project gives.")] = False,
    taken: Annotated[bool, typer.Option("--taken", help="Only what this project takes.")] = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """End what is shared with a project, from either side, at once."""
    if given and taken:
        raise InvalidInput("--given and --taken together are both directions.", "Leave them out.")
    role = "gives" if given else "takes" if taken else None
    session = session_of(context)
    memory = session.memory(yes=yes)
    ended = memory.admin.shares.revoke(_told(session, project), role=role)
    if json:
        print_json({"shares": [one.to_json() for one in ended]})
        return
    for one in ended:
        _print(one, memory.identity.space_id)


@share_app.command("list")
def list_(context: Ctx, json: Json = False) -> None:
    """What this project gives, takes, and is offered."""
    memory = session_of(context).memory()
    found = memory.admin.shares.list()
    if json:
        print_json({"shares": [one.to_json() for one in found]})
        return
    for one in found:
        _print(one, memory.identity.space_id)
    if not found:
        print("Nothing is shared with another project. Offer something: waypost share offer PROJECT")


def _told(session: "CommandSession", project: str) -> str:
    """A path as a person wrote it from where they are; a name or an id as it is."""
    from pathlib import Path

    is_path = "/" in project or "\\" in project or project.startswith(".")
    return str(session.path(Path(project)).absolute()) if is_path else project


def _print(share: "Share", own: str) -> None:
    out = console()
    out.print(f"[bold]{share.says}[/bold] ", end="")
    out.print(safe(f"{share.project.name} ({share.project.id}): {share.offer}"), markup=False)
    told = [
        f"{word} {at:%Y-%m-%d} by {by}"
        for word, at, by in (
            ("offered", share.offered_at, share.offered_by),
            ("accepted", share.accepted_at, share.accepted_by),
            ("revoked", share.revoked_at, share.revoked_by),
        )
        if at is not None
    ]
    if told:
        out.print(safe(f"   {', '.join(told)}"), markup=False, style="dim")
    if share.state == "offered":
        where = (
            f"there: waypost share accept {own}"
            if share.role == "gives"
            else f"waypost share accept {share.project.id}"
        )
        out.print(f"   waits to be accepted; {where}", markup=False, style="dim")
    print_notices(share.notices)
