"""Other memories of the same repository, from before `origin` was added or the folder was moved.

They are searched once, when a memory first opens for a checkout, and shown until somebody decides.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from waypost.errors import WaypostError
from waypost.flows.checkouts.admission import known_commits, stored_list, was_moved_to
from waypost.flows.checkouts.shared_history import commits_held, why_apart
from waypost.flows.open_space import OpenSpace
from waypost.model.kinds import KEPT_COLLECTIONS
from waypost.model.recall import View
from waypost.model.time import Moment
from waypost.space.identity import tree_here
from waypost.store.protocol import Reader
from waypost.text.plural import counted

_FOUND, _SETTLED = "relatives", "relatives_settled"
_MOST_LOOKED_AT = 1000


@dataclass(frozen=True, slots=True)
class Relative:
    """A memory of this repository under another id."""

    space_id: str
    name: str
    memories: int
    roots: tuple[str, ...]  # the checkouts that used it
    commits: tuple[str, ...] = ()
    used_this_folder: bool = False

    @property
    def where(self) -> str:
        return f"{self.space_id} ({', '.join(self.roots[:2]) or self.name})"

    @property
    def notice(self) -> str:
        some = counted(self.memories, "memory", "memories")
        verb = "exists" if self.memories == 1 else "exist"
        return f"{some} of this repository {verb} under {self.where}; run `waypost adopt`."

    def to_json(self) -> dict[str, Any]:
        return {"space": self.space_id, "name": self.name, "memories": self.memories, "roots": list(self.roots)}


def look_for_relatives(space: OpenSpace) -> list[Relative]:
    """Search all memories here for relatives, and store which were found."""
    relatives_here = list(find_relatives(space))
    if space.store.may_write:
        with space.store.write() as writer:
            writer.meta.set(_FOUND, json.dumps([relative.space_id for relative in relatives_here]))
    return relatives_here


def relatives(space: OpenSpace) -> list[Relative]:
    """Stored relatives that nobody has decided about."""
    with space.store.read() as reader:
        ids = stored_list(reader.meta.get(_FOUND))
        dismissed = set(stored_list(reader.meta.get(_SETTLED)))
    return [relative for space_id in ids if space_id not in dismissed and (relative := _relative_with(space, space_id))]


def relative_notices(space: OpenSpace) -> tuple[str, ...]:
    return tuple(relative.notice for relative in relatives(space))


def dismiss_relatives(space: OpenSpace, ids: Sequence[str]) -> None:
    """Do not show these any more."""
    with space.store.write() as writer:
        dismissed = list(dict.fromkeys([*stored_list(writer.meta.get(_SETTLED)), *ids]))
        writer.meta.set(_SETTLED, json.dumps(dismissed))


def count_kept(reader: Reader, moment: Moment) -> int:
    """The number of memories written by people and agents."""
    counts = reader.memories.counts(View(moment))
    return sum(count for name, count in counts.items() if name in KEPT_COLLECTIONS)


def find_relatives(space: OpenSpace) -> Iterator[Relative]:
    """Relatives that nobody has decided about. Stores nothing."""
    if space.identity.root is None:
        return
    with space.store.read() as reader:
        dismissed = set(stored_list(reader.meta.get(_SETTLED)))
    others = [
        neighbour
        for neighbour in space.neighbours(space).listed()
        if neighbour.kind == "project" and neighbour.space_id not in dismissed
    ]
    candidates = [relative for other in others[:_MOST_LOOKED_AT] if (relative := _relative_with(space, other.space_id))]
    common = commits_held(space.identity.root, [commit for candidate in candidates for commit in candidate.commits])
    for candidate in candidates:
        shared = [commit for commit in candidate.commits if commit in common]
        if candidate.used_this_folder or (shared and why_apart(space.identity.root, shared, ()) is None):
            yield candidate


def _relative_with(space: OpenSpace, space_id: str) -> Relative | None:
    neighbours = space.neighbours(space)
    try:
        with neighbours.opened(space_id) as store, store.read() as reader:
            memories = count_kept(reader, Moment(space.clock()))
            if not memories:
                return None
            roots = tuple(reader.code.checkouts().values())
            return Relative(
                space_id,
                neighbours.name_of(space_id),
                memories,
                roots,
                tuple(known_commits(reader)),
                _used_this_folder(space, reader),
            )
    except WaypostError:  # gone, locked or damaged
        return None


def _used_this_folder(space: OpenSpace, reader: Reader) -> bool:
    root, machine = space.identity.root, space.settings.shared_machine
    if root is None:
        return False
    used = any(tree_here(name, machine) == root for name in reader.code.checkouts().values())
    return used or was_moved_to(reader, root, machine)
