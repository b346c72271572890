"""Commands on snapshots."""

from typing import TYPE_CHECKING, Annotated

import typer

from waypost.faces.cli.framework import Ctx, Json, Yes, app, session_of
from waypost.faces.cli.output.memories import print_json
from waypost.faces.cli.session import confirm
from waypost.text.plural import counted

if TYPE_CHECKING:
    from waypost.flows.backup.restore import RestorePlan
    from waypost.flows.backup.snapshots import MemoryBackup

backup_app = typer.Typer(help="Snapshots of this memory.", no_args_is_help=True)
app.add_typer(backup_app, name="backup")
_MEGABYTE = 1_000_000


@backup_app.command("list")
def list_(context: Ctx, json: Json = False) -> None:
    """List snapshots, newest first."""
    found = session_of(context).backups().list()
    if json:
        print_json({"backups": [one.to_json() for one in found]})
        return
    for one in found:
        print(_line(one))
    if not found:
        print("No snapshots yet. `waypost backup make` makes one; `waypost maintain` makes one a day.")


@backup_app.command("make")
def make_(context: Ctx, json: Json = False) -> None:
    """Make a snapshot now."""
    made = session_of(context).backups().make()
    if json:
        print_json(made.to_json())
        return
    print(f"Made {made.id}: {counted(made.memories, 'memory', 'memories')}, {_size(made)}.")


@backup_app.command("restore")
def restore_(
    context: Ctx,
    which: Annotated[str, typer.Argument(metavar="[ID|latest]", help="The snapshot's id or number.")] = "latest",
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Go back to a snapshot. Rejected and forgotten memories stay so."""
    backups = session_of(context).backups(yes=yes)
    plan = backups.plan(which)
    if not json:
        print(_told(plan))
    if not plan.changes_nothing:
        confirm("Go back to it?", yes=yes)
    done = backups.restore(plan.backup.id)
    if json:
        print_json(done.to_json())
        return
    print("Nothing to restore." if done.plan.changes_nothing else "Restored.")
    if done.undo:
        print(f"To undo: waypost backup restore {done.undo}")
    if done.aside:
        print(f"The damaged database is kept in {done.aside}.")
    for notice in done.notices:
        print(notice)


def _line(one: "MemoryBackup") -> str:
    when = f"{one.made_at:%Y-%m-%d %H:%M} UTC" if one.made_at else "unknown time"
    state = "sound" if one.is_sound else f"DAMAGED: {one.problem}"
    return (
        f"{one.id}  {when}  {counted(one.memories, 'memory', 'memories'):>16}  {_size(one):>9}  {one.cause:16}  {state}"
    )


def _size(one: "MemoryBackup") -> str:
    return f"{one.size / _MEGABYTE:.1f} MB"


def _told(plan: "RestorePlan") -> str:
    one = plan.backup
    when = f"{one.made_at:%Y-%m-%d %H:%M} UTC" if one.made_at else "an unknown time"
    head = f"Snapshot {one.id} of {when}, {counted(one.memories, 'memory', 'memories')}."
    if plan.is_damaged:
        return f"{head}\nThe database is damaged or missing. Memories written since the snapshot are not in it."
    if plan.changes_nothing:
        return f"{head}\nThe memory is as it was then."
    parts = (
        (plan.removed, f"removes {counted(plan.removed, 'memory', 'memories')} written since"),
        (plan.changed, f"undoes changes to {counted(plan.changed, 'memory', 'memories')}"),
        (plan.returned, f"brings back {counted(plan.returned, 'memory', 'memories')}"),
        (plan.files, f"changes {counted(plan.files, 'journal file')}"),
    )
    told = ", ".join(text for count, text in parts if count)
    return f"{head}\nThe restore {told}.\nA snapshot of the present state is made first."
