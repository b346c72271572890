"""Memories of other projects: shared ones can only be read here."""

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
    """Raise Refused if one of these memories belongs to another project."""
    for memory_id in ids:
        memory = find_shared(space, memory_id)
        if memory is not None and memory.project is not None:
            raise Refused(
                f"The memory {memory_id} belongs to project {memory.project.name}: here it can only be read.",
                f"Change it there (project {memory.project.id}), or remember something of your own.",
            )


def find_shared(space: OpenSpace, text: str, moment: Moment | None = None) -> LinkedMemory | None:
    """The memory with this id that another project shares now, or None. None for own memories too."""
    try:
        memory_id = check_id(text)
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
                memory = _memory_from(space, giver, memory_id, view)
            except AWAY:
                continue
            if memory is not None:
                return memory
    return None


def _memory_from(space: OpenSpace, giver: Giver, memory_id: str, view: View) -> LinkedMemory | None:
    offered = giver.view(view)
    version = None if offered is None else giver.reader.memories.visible([memory_id], offered).get(memory_id)
    if version is None or not giver.offer.admits(version.kind):
        return None
    return replace(giver.linked(space, [version])[version.number], project=giver.project)
