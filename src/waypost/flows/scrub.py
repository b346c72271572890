"""Removing the traces of what was erased, now or, where somebody is in the way, with a later opening."""

from waypost.flows.open_space import OpenSpace

SCRUB_OWED = "scrub_owed"


def finish_forgetting(space: OpenSpace) -> None:
    """Remove the traces that a killed process or a reader in the way left behind; waits for nobody."""
    with space.store.read() as reader:
        owing = reader.meta(SCRUB_OWED)
    if owing:
        scrub(space, [], wait=False)


def scrub(space: OpenSpace, traces: list[str], *, wait: bool = True) -> bool:
    """Remove the traces of what was erased; what cannot be removed now stays owed, for the next opening or `doctor`."""
    complete = space.store.scrub(traces, wait=wait)
    if complete:
        with space.store.write() as writer:
            writer.set_meta(SCRUB_OWED, "")
    return complete
