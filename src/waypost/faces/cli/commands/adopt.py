"""`waypost adopt`: which memory this folder belongs to."""

from typing import TYPE_CHECKING, Annotated

import typer

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
        str | None, typer.Argument(metavar="[ID|PATH]", help="A memory by its id, or by a folder that used it.")
    ] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Use the memory of this folder's own id again.")] = False,
    dismiss: Annotated[
        bool, typer.Option("--dismiss", help="Keep other memories of this repository apart, and stop showing them.")
    ] = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Confirm that this folder belongs to its project, or use a memory made for it under another id.

    Needed for a clone that shares no commit with a known one, and after an `origin` was added or a folder was moved. Where
    both memories hold something, the other one is merged into this folder's. It stays as it is.
    """
    from waypost.memory.adoption import Adoption

    session, settings = session_of(context), config.load()
    if session.person is not None:
        raise InvalidInput("A person has no checkout.", "Run this in a project, without --person.")
    if (undo and dismiss) or (target is not None and (undo or dismiss)):
        raise InvalidInput("--undo and --dismiss stand alone.", "Leave the others out.")
    adoption = Adoption(session.directory, settings, caller(settings.person, yes=yes))
    if undo:
        _print(adoption.undo(), json=json)
    elif dismiss:
        _dismiss(adoption, json=json)
    else:
        plan = adoption.plan(target)
        if interactive() or yes:  # else `run` refuses
            confirm(_question(plan), yes=yes)
        _print(adoption.run(plan), json=json)


def _dismiss(adoption: "Adoption", *, json: bool) -> None:
    found = adoption.dismiss()
    if json:
        print_json({"status": "dismissed", "relatives": [one.to_json() for one in found]})
    else:
        print(f"{counted(len(found), 'memory', 'memories')} of this repository will not be shown again.")


def _question(plan: "AdoptionPlan") -> str:
    some, used = counted(plan.memories, "memory", "memories"), ", ".join(plan.checkouts) or "no checkout so far"
    if plan.deed == "confirmed":
        return safe(
            f"{plan.root} can then read and write {some} of {plan.name!r} ({plan.space_id}), used by {used}. "
            "Waypost found no history that they share. Is it the same project?"
        )
    if plan.deed == "merged":
        return safe(f"Copy {some} of {plan.other} (used by {used}) into the memory of {plan.root}?")
    return safe(f"Use {some} of {plan.other} (used by {used}) for {plan.root}?")


def _print(plan: "AdoptionPlan", *, json: bool) -> None:
    if json:
        print_json(plan.to_json())
        return
    some = counted(plan.memories, "memory", "memories")
    told = {
        "confirmed": f"{plan.root} now uses the memory of {plan.name!r} ({plan.space_id}, {some}).",
        "adopted": f"{plan.root} now uses {plan.space_id} ({some}). `waypost adopt --undo` reverts this.",
        "merged": f"{some} of {plan.other} are now in {plan.space_id}. {plan.other} was not changed.",
        "undone": f"{plan.root} uses {plan.space_id} again. {plan.other} was not changed.",
    }
    print(safe(told[plan.deed]))
    if plan.left_out:
        lost = counted(len(plan.left_out), "memory", "memories")
        print_notices((f"{lost} could not be merged: {plan.left_out[0]}",))
