"""Whose memory an id is, when it is none of this space's: what other projects share is only read here."""

from collections.abc import Iterable
from dataclasses import replace

from waypost.errors import InvalidInput, Refused
from waypost.flows.open_space import OpenSpace
from waypost.flows.share.sources import AWAY, Giver, given_to
from waypost.model.code_link import LinkedMemory
from waypost.model.ids import check_id
from waypost.model.kinds import COLLECTIONS
from waypost.model.recall import View
from waypost.model.time import Moment
from waypost.store.shares import TAKES


def refuse_shared(space: OpenSpace, ids: Iterable[str]) -> None:
    """Raises Refused where one of these is a memory that another project shares with this one."""
    for memory_id in ids:
        found = find_shared(space, memory_id)
        if found is not None and found.project is not None:
            raise Refused(
                f"The memory {memory_id} belongs to project {found.project.name}: here it can only be read.",
                f"Change it there (project {found.project.id}), or remember something of your own.",
            )


def find_shared(space: OpenSpace, told: str, moment: Moment | None = None) -> LinkedMemory | None:
    """The memory of this id that another project shows to this one now; None where there is none, or it is one's own."""
    try:
        memory_id = check_id(told)
    except InvalidInput:
        return None
    with space.store.read() as reader:
        taken = reader.shares.all(TAKES) if not reader.memories.versions(memory_id) else []
    if not taken:
        return None
    view = View(moment or Moment(space.clock()), COLLECTIONS)
    with given_to(space, taken, view) as given:
        for giver in given.givers:
            try:
                memory = _shown(space, giver, memory_id, view)
            except AWAY:
                continue
            if memory is not None:
                return memory
    return None


def _shown(space: OpenSpace, giver: Giver, memory_id: str, view: View) -> LinkedMemory | None:
    shown = giver.view(view)
    version = None if shown is None else giver.reader.memories.visible([memory_id], shown).get(memory_id)
    if version is None or not giver.offer.admits(version.kind):
        return None
    return replace(giver.linked(space, [version])[version.number], project=giver.project)
