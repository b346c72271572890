"""Removing the traces of what was erased, now or, where somebody is in the way, with a later opening."""

from waypost.errors import StoreBusy
from waypost.flows.open_space import OpenSpace

SCRUB_OWED = "scrub_owed"
RESTORE_OWED = "restore_owed"  # the snapshot whose journal files are still to be put back


def finish_forgetting(space: OpenSpace) -> None:
    """Remove the traces that a killed process or a reader in the way left behind; waits for nobody. A restore that was
    killed is finished too."""
    with space.store.read() as reader:
        owing, restoring = reader.meta(SCRUB_OWED), reader.meta(RESTORE_OWED)
    if restoring:
        from waypost.flows.backup_restore import finish_restore  # only after a kill

        finish_restore(space)
    if owing:
        scrub(space, None, wait=False)


def scrub(space: OpenSpace, traces: list[str] | None, *, wait: bool = True) -> bool:
    """Remove the traces of what was erased, from snapshots too. With None, of what was erased at any time. What cannot
    be removed now stays pending, for the next opening or `doctor`."""
    try:
        complete = space.store.scrub(traces or [], wait=wait, rewrite=traces is None)
    except StoreBusy:  # what was erased is gone already; only its traces are not
        complete = False
    if not space.settings.store:
        from waypost.flows.backup_erase import erase_owed  # only who erases needs it

        complete = erase_owed(space, wait=wait) and complete
    if complete:
        with space.store.write() as writer:
            writer.set_meta(SCRUB_OWED, "")
    return complete
