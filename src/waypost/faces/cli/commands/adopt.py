"""`waypost adopt`: choose the memory that this folder uses."""

from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from waypost import config
from waypost.errors import InvalidInput
from waypost.faces.cli.framework import Ctx, Json, Yes, app, session_of
from waypost.faces.cli.output.memories import print_json, print_notices, safe
from waypost.faces.cli.session import caller, confirm, interactive
from waypost.text.plural import counted

if TYPE_CHECKING:
    from waypost.memory.adoption import Adoption, AdoptionPlan


@app.command()
def adopt(
    context: Ctx,
    target: Annotated[
        str | None, Argument(metavar="[ID|PATH]", help="A memory's id, or a folder that used it.")
    ] = None,
    undo: Annotated[bool, Option("--undo", help="Use this folder's own memory again.")] = False,
    dismiss: Annotated[
        bool, Option("--dismiss", help="Keep other memories of this repository separate and stop showing them.")
    ] = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Confirm that this folder belongs to its project, or use a memory made under another id.

    Needed for a clone without a commit in common, after adding an `origin`, or after moving a folder.
    If both memories have content, the other one is copied into this folder's and stays unchanged.
    """
    from waypost.memory.adoption import Adoption

    session, settings = session_of(context), config.load()
    if session.person is not None:
        raise InvalidInput("A personal memory has no checkout.", "Run this in a project, without --person.")
    if (undo and dismiss) or (target is not None and (undo or dismiss)):
        raise InvalidInput("--undo and --dismiss exclude other arguments.", "Use only one of them.")
    adoption = Adoption(session.directory, settings, caller(settings.person, yes=yes))
    if undo:
        _print(adoption.undo(), json=json)
    elif dismiss:
        _dismiss(adoption, json=json)
    else:
        plan = adoption.plan(target)
        if interactive() or yes:  # otherwise `run` refuses
            confirm(_question(plan), yes=yes)
        _print(adoption.run(plan), json=json)


def _dismiss(adoption: "Adoption", *, json: bool) -> None:
    relatives = adoption.dismiss()
    if json:
        print_json({"status": "dismissed", "relatives": [relative.to_json() for relative in relatives]})
    else:
        print(f"{counted(len(relatives), 'memory', 'memories')} of this repository will not be shown again.")


def _question(plan: "AdoptionPlan") -> str:
    some, used = counted(plan.memories, "memory", "memories"), ", ".join(plan.checkouts) or "no checkout so far"
    if plan.deed == "confirmed":
        return safe(
            f"{plan.root} can then read and write {some} of {plan.name!r} ({plan.space_id}), used by {used}. "
            "Waypost found no shared history. Is it the same project?"
        )
    if plan.deed == "merged":
        return safe(f"Copy {some} of {plan.other} (used by {used}) into the memory of {plan.root}?")
    return safe(f"Use {some} of {plan.other} (used by {used}) for {plan.root}?")


def _print(plan: "AdoptionPlan", *, json: bool) -> None:
    if json:
        print_json(plan.to_json())
        return
    some = counted(plan.memories, "memory", "memories")
    messages = {
        "confirmed": f"{plan.root} now uses the memory of {plan.name!r} ({plan.space_id}, {some}).",
        "adopted": f"{plan.root} now uses {plan.space_id} ({some}). `waypost adopt --undo` reverts this.",
        "merged": f"{some} of {plan.other} are now in {plan.space_id}. {plan.other} was not changed.",
        "undone": f"{plan.root} uses {plan.space_id} again. {plan.other} was not changed.",
    }
    print(safe(messages[plan.deed]))
    if plan.left_out:
        lost = counted(len(plan.left_out), "memory", "memories")
        print_notices((f"{lost} could not be merged: {plan.left_out[0]}",))
