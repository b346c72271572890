"""Other memories of the same repository: made before its `origin` was added or written in another form, or before its folder
was moved. Looked for once, when a memory opens for a checkout for the first time, and shown until somebody decides."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from waypost.errors import WaypostError
from waypost.flows.checkouts.admission import known_commits, was_moved_to
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
    """Look through all memories here, and remember which are of this repository."""
    found = list(find_relatives(space))
    if space.store.may_write:
        with space.store.write() as writer:
            writer.meta.set(_FOUND, json.dumps([one.space_id for one in found]))
    return found


def relatives(space: OpenSpace) -> list[Relative]:
    """Those that were found and that nobody has decided about."""
    with space.store.read() as reader:
        ids = _listed(reader.meta.get(_FOUND))
        settled = set(_listed(reader.meta.get(_SETTLED)))
    return [one for space_id in ids if space_id not in settled and (one := _looked_at(space, space_id))]


def relative_notices(space: OpenSpace) -> tuple[str, ...]:
    return tuple(one.notice for one in relatives(space))


def settle_relatives(space: OpenSpace, ids: Sequence[str]) -> None:
    """Nobody is told of these any more."""
    with space.store.write() as writer:
        settled = list(dict.fromkeys([*_listed(writer.meta.get(_SETTLED)), *ids]))
        writer.meta.set(_SETTLED, json.dumps(settled))


def count_kept(reader: Reader, moment: Moment) -> int:
    """How many memories people and agents have left."""
    counts = reader.memories.counts(View(moment))
    return sum(count for name, count in counts.items() if name in KEPT_COLLECTIONS)


def find_relatives(space: OpenSpace) -> Iterator[Relative]:
    """Those that nobody has decided about; nothing is noted."""
    if space.identity.root is None:
        return
    with space.store.read() as reader:
        settled = set(_listed(reader.meta.get(_SETTLED)))
    others = [one for one in space.neighbours(space).listed() if one.kind == "project" and one.space_id not in settled]
    found = [one for other in others[:_MOST_LOOKED_AT] if (one := _looked_at(space, other.space_id))]
    held = commits_held(space.identity.root, [commit for one in found for commit in one.commits])
    for one in found:
        shared = [commit for commit in one.commits if commit in held]
        if one.used_this_folder or (shared and why_apart(space.identity.root, shared, ()) is None):
            yield one


def _looked_at(space: OpenSpace, space_id: str) -> Relative | None:
    """The memory of this id; None where it is gone or empty."""
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
    used = any(tree_here(told, machine) == root for told in reader.code.checkouts().values())
    return used or was_moved_to(reader, root, machine)


def _listed(value: str | None) -> list[str]:
    return list(json.loads(value)) if value else []
