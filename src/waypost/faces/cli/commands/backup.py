"""Commands for snapshots."""

from typing import TYPE_CHECKING, Annotated

from typer import Argument

from waypost.faces.cli.framework import Ctx, Json, Yes, app, command_group, session_of
from waypost.faces.cli.output.memories import print_json
from waypost.faces.cli.output.progress import working
from waypost.faces.cli.session import confirm
from waypost.model.time import format_minute
from waypost.text.plural import counted

if TYPE_CHECKING:
    from waypost.flows.backup.restore import RestorePlan
    from waypost.flows.backup.snapshots import MemoryBackup

backup_app = command_group("Make, list and restore snapshots of this memory.")
app.add_typer(backup_app, name="backup")
_MEGABYTE = 1_000_000


@backup_app.command("list")
def list_(context: Ctx, json: Json = False) -> None:
    """List snapshots, newest first."""
    snapshots = session_of(context).backups().list()
    if json:
        print_json({"backups": [snapshot.to_json() for snapshot in snapshots]})
        return
    for snapshot in snapshots:
        print(_line(snapshot))
    if not snapshots:
        print("No snapshots yet. `waypost backup make` makes one now; `waypost maintain` makes one a day.")


@backup_app.command("make")
def make_(context: Ctx, json: Json = False) -> None:
    """Make a snapshot now."""
    with working("Making a snapshot", json=json):
        snapshot = session_of(context).backups().make()
    if json:
        print_json(snapshot.to_json())
        return
    print(f"Made {snapshot.id}: {counted(snapshot.memories, 'memory', 'memories')}, {_size(snapshot)}.")


@backup_app.command("restore")
def restore_(
    context: Ctx,
    which: Annotated[str, Argument(metavar="[ID|latest]", help="The snapshot's id or number.")] = "latest",
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Restore a snapshot. Rejected and forgotten memories stay removed."""
    backups = session_of(context).backups(yes=yes)
    plan = backups.plan(which)
    if not json:
        print(_plan_text(plan))
    if not plan.changes_nothing:
        confirm("Restore it?", yes=yes)
    with working("Restoring", json=json):
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


def _line(snapshot: "MemoryBackup") -> str:
    when = format_minute(snapshot.made_at) if snapshot.made_at else "unknown time"
    state = "intact" if snapshot.is_sound else f"DAMAGED: {snapshot.problem}"
    return f"{snapshot.id}  {when}  {counted(snapshot.memories, 'memory', 'memories'):>16}  {_size(snapshot):>9}  {snapshot.cause:16}  {state}"


def _size(snapshot: "MemoryBackup") -> str:
    return f"{snapshot.size / _MEGABYTE:.1f} MB"


def _plan_text(plan: "RestorePlan") -> str:
    snapshot = plan.backup
    when = format_minute(snapshot.made_at) if snapshot.made_at else "an unknown time"
    head = f"Snapshot {snapshot.id} of {when}, {counted(snapshot.memories, 'memory', 'memories')}."
    if plan.is_damaged:
        return f"{head}\nThe database is damaged or missing. Memories written since the snapshot are not in it."
    if plan.changes_nothing:
        return f"{head}\nThe memory has not changed since."
    parts = (
        (plan.removed, f"removes {counted(plan.removed, 'memory', 'memories')} written since"),
        (plan.changed, f"undoes changes to {counted(plan.changed, 'memory', 'memories')}"),
        (plan.returned, f"brings back {counted(plan.returned, 'memory', 'memories')}"),
        (plan.files, f"changes {counted(plan.files, 'journal file')}"),
    )
    effects = ", ".join(text for count, text in parts if count)
    return f"{head}\nRestoring {effects}.\nA snapshot of the current state is made first."
