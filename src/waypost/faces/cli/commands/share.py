"""Commands for sharing memories between projects."""

from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from waypost.errors import InvalidInput
from waypost.faces.cli.framework import Ctx, Json, Yes, app, command_group, session_of
from waypost.faces.cli.output.memories import console, print_json, print_notices, safe

if TYPE_CHECKING:
    from waypost.faces.cli.session import CommandSession
    from waypost.flows.share.agreements import Share

share_app = command_group("Share memories between projects. Both sides must agree.")
app.add_typer(share_app, name="share")

Project = Annotated[str, Argument(metavar="PROJECT", help="The other project's path, name or id.", show_default=False)]


@share_app.command("offer")
def offer(
    context: Ctx,
    project: Project,
    kind: Annotated[list[str] | None, Option("--kind", help="Only this kind: fact, decision, learning, fix, …")] = None,
    domain: Annotated[list[str] | None, Option("--domain", help="Only this domain.")] = None,
    level: Annotated[list[int] | None, Option("--level", help="Only this level, 0 to 3.")] = None,
    code: Annotated[bool, Option("--code", help="Also share indexed code.")] = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Offer another project read access to facts and decisions. It must accept."""
    session = session_of(context)
    memory = session.memory(yes=yes)
    share = memory.admin.shares.offer(
        _project_key(session, project), kinds=kind or (), domains=domain or (), levels=level or (), code=code
    )
    print_json(share.to_json()) if json else _print(share, memory.identity.space_id)


@share_app.command("accept")
def accept(context: Ctx, project: Project, yes: Yes = False, json: Json = False) -> None:
    """Accept another project's offer and read what it shares."""
    session = session_of(context)
    memory = session.memory(yes=yes)
    share = memory.admin.shares.accept(_project_key(session, project))
    print_json(share.to_json()) if json else _print(share, memory.identity.space_id)


@share_app.command("revoke")
def revoke(
    context: Ctx,
    project: Project,
    given: Annotated[bool, Option("--given", help="Only what this project shares.")] = False,
    taken: Annotated[bool, Option("--taken", help="Only what this project reads.")] = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Stop sharing with a project immediately. Either side can do it."""
    if given and taken:
        raise InvalidInput("--given and --taken exclude each other.", "Leave both out for both directions.")
    role = "gives" if given else "takes" if taken else None
    session = session_of(context)
    memory = session.memory(yes=yes)
    ended = memory.admin.shares.revoke(_project_key(session, project), role=role)
    if json:
        print_json({"shares": [share.to_json() for share in ended]})
        return
    for share in ended:
        _print(share, memory.identity.space_id)


@share_app.command("list")
def list_(context: Ctx, json: Json = False) -> None:
    """List what this project shares, reads and is offered."""
    memory = session_of(context).memory()
    shares = memory.admin.shares.list()
    if json:
        print_json({"shares": [share.to_json() for share in shares]})
        return
    for share in shares:
        _print(share, memory.identity.space_id)
    if not shares:
        print("Nothing is shared yet. Offer something: waypost share offer PROJECT")


def _project_key(session: "CommandSession", project: str) -> str:
    """An absolute path if `project` is a path, else the name or id as given."""
    from pathlib import Path

    is_path = "/" in project or "\\" in project or project.startswith(".")
    return str(session.path(Path(project)).absolute()) if is_path else project


def _print(share: "Share", own: str) -> None:
    out = console()
    out.print(f"[bold]{share.says}[/bold] ", end="")
    out.print(safe(f"{share.project.name} ({share.project.id}): {share.offer}"), markup=False)
    events = [
        f"{word} {at:%Y-%m-%d} by {by}"
        for word, at, by in (
            ("offered", share.offered_at, share.offered_by),
            ("accepted", share.accepted_at, share.accepted_by),
            ("revoked", share.revoked_at, share.revoked_by),
        )
        if at is not None
    ]
    if events:
        out.print(safe(f"   {', '.join(events)}"), markup=False, style="dim")
    if share.state == "offered":
        where = (
            f"there: waypost share accept {own}"
            if share.role == "gives"
            else f"waypost share accept {share.project.id}"
        )
        out.print(f"   not accepted yet; {where}", markup=False, style="dim")
    print_notices(share.notices)
