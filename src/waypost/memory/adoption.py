"""`waypost adopt`: a person says which memory a checkout belongs to."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waypost import flows
from waypost.config import Settings
from waypost.errors import InvalidInput, NotFound, Refused, UnknownCheckout
from waypost.memory.catalog import space_entries
from waypost.memory.location import is_stored, locate, locate_again
from waypost.memory.spaces import open_spaces, space_on
from waypost.memory.storage import StoredSpace, open_stored, stored_space
from waypost.model.memory import Caller
from waypost.model.time import Clock, Moment, utc_now
from waypost.space.alias import aliases, first_step, identify_here, last_step, set_alias
from waypost.space.identity import Identity, identify
from waypost.space.place import space_directory

if TYPE_CHECKING:
    from waypost.flows.checkouts.relatives import Relative
    from waypost.memory import Memory

_ID = re.compile(r"[0-9a-f]{16}")
CONFIRMED, ADOPTED, MERGED, DISMISSED, UNDONE = "confirmed", "adopted", "merged", "dismissed", "undone"


@dataclass(frozen=True, slots=True)
class AdoptionPlan:
    """What adopting would do."""

    deed: str  # confirmed | adopted | merged
    space_id: str  # the memory that this checkout is going to use
    name: str
    memories: int  # that it sees then for the first time
    root: Path
    other: str | None = None  # the memory that is adopted or merged; it stays as it is
    checkouts: tuple[str, ...] = ()  # that use it so far
    left_out: tuple[str, ...] = ()  # why memories could not be merged

    def to_json(self) -> dict[str, Any]:
        return {
            "status": self.deed,
            "space": self.space_id,
            "name": self.name,
            "memories": self.memories,
            "root": str(self.root),
            "from": self.other,
            "checkouts": list(self.checkouts),
            "left_out": list(self.left_out),
        }


class Adoption:
    """Of one checkout. `plan` says what would be done, `run` does it."""

    def __init__(self, directory: Path, settings: Settings, caller: Caller, clock: Clock = utc_now) -> None:
        self._directory, self._settings, self._caller, self._clock = directory, settings, caller, clock
        self._identity = locate(directory, settings, clock)
        self._is_unknown = self._is_refused()

    def plan(self, target: str | None = None) -> AdoptionPlan:
        """`target` is the id of a memory, or a path where it was used. Without one it is the memory that was made for the
        same repository, which shares commits with this folder, else the memory of this folder's remote, where that does
        not open yet. Raises NotFound where there is nothing to adopt, InvalidInput where there are several."""
        if self._root is None:
            raise InvalidInput("A person has no checkout.", "Run this in a project, without --person.")
        if target is None:
            relative = self._the_relative()
            return self._confirming() if relative is None else self._joining(relative)
        found = self._named(target)
        if found.space_id == self._identity.space_id:
            if self._is_unknown:
                return self._confirming()
            raise InvalidInput(f"This folder uses {found.space_id} already.", "Nothing is to be done.")
        return self._joining(self._look(found))

    def run(self, plan: AdoptionPlan) -> AdoptionPlan:
        """The same plan with what was done. Raises Refused for whoever is not a person."""
        if not self._caller.decides:
            raise Refused(
                "Only a person can say which memory a checkout belongs to.", "Run it at a terminal, or with --yes."
            )
        if plan.deed == MERGED:
            return self._merge(plan)
        if plan.other is not None:
            own = self._computed  # others use the memory that refuses this checkout, and go on doing so
            set_alias(self._settings.home, own.checkout_id if self._is_unknown else own.space_id, plan.other)
            self._identity = identify_here(self._directory, self._settings)
        self._confirm()
        return plan

    def undo(self) -> AdoptionPlan:
        """The folder uses the memory of its own id again; both memories stay as they are."""
        own, home, before = self._computed, self._settings.home, self._identity.space_id
        start = first_step(own, aliases(home))
        nothing = NotFound("This folder uses the memory of its own id.", "Nothing is to be undone.")
        if start is None:
            raise nothing
        if not self._caller.decides:
            raise Refused("Only a person can undo an adoption.", "Run it at a terminal, or with --yes.")
        set_alias(home, last_step(home, start), None)
        now = locate(self._directory, self._settings, self._clock).space_id
        if now == before:  # that of its remote, under another spelling
            raise nothing
        return AdoptionPlan(UNDONE, now, own.name, 0, own.root or Path(), before)

    def dismiss(self) -> "list[Relative]":
        """Keep the memories of this repository apart: nobody is told of them any more."""
        if not self._caller.decides:
            raise Refused("Only a person can dismiss memories.", "Run it at a terminal, or with --yes.")
        memory = self._memory()
        found = flows.checkouts.relatives.look_for_relatives(memory.space)
        flows.checkouts.relatives.settle_relatives(memory.space, [one.space_id for one in found])
        return found

    @property
    def _root(self) -> Path | None:
        return self._identity.root

    @property
    def _computed(self) -> Identity:
        return identify(self._directory, machine=self._settings.shared_machine)

    def _memory(self) -> "Memory":
        from waypost.memory import Memory

        return Memory(self._identity, self._settings, self._caller, self._clock)

    def _is_refused(self) -> bool:
        """Whether the memory does not open. Where that of another spelling of the remote does, it is taken."""
        if not is_stored(self._identity.space_id, self._settings):
            return False
        try:
            self._memory().space  # noqa: B018  opening it is the question
        except UnknownCheckout as refused:
            try:
                self._identity = locate_again(self._identity, refused, self._settings, self._clock)
            except UnknownCheckout:
                return True
        return False

    def _confirming(self) -> AdoptionPlan:
        found = self._look(stored_space(self._settings, self._identity.space_id))
        root = self._root or Path()
        return AdoptionPlan(CONFIRMED, found.space_id, found.name, found.memories, root, None, found.roots)

    def _joining(self, found: "Relative") -> AdoptionPlan:
        root, name = self._root or Path(), self._identity.name
        if not self._is_unknown:
            own = self._memory().space
            with own.store.read() as reader:
                kept = flows.checkouts.relatives.count_kept(reader, Moment(self._clock()))
            if kept:
                own_id = own.identity.space_id
                return AdoptionPlan(MERGED, own_id, name, found.memories, root, found.space_id, found.roots)
        return AdoptionPlan(ADOPTED, found.space_id, found.name, found.memories, root, found.space_id, found.roots)

    def _the_relative(self) -> "Relative | None":
        """The one other memory of this repository; None where there is none, and this folder's own is to be confirmed."""
        found = self._relatives_apart() if self._is_unknown else self._relatives()
        if not found and self._is_unknown:
            return None
        if not found:
            raise NotFound(
                "No other memory of this repository was found.",
                "Name one: `waypost adopt ID`, or a path where it was used.",
            )
        if len(found) > 1:
            listed = "; ".join(f"{one.where}, {one.memories} memories" for one in found)
            raise InvalidInput(
                f"{len(found)} memories of this repository exist: {listed}.", "Name one: `waypost adopt ID`."
            )
        return found[0]

    def _relatives(self) -> "Sequence[Relative]":
        return flows.checkouts.relatives.look_for_relatives(self._memory().space)

    def _relatives_apart(self) -> "Sequence[Relative]":
        """The same for a checkout that is refused: nothing is written to the memory that refuses it."""
        stored = stored_space(self._settings, self._identity.space_id)
        folder = space_directory(self._settings.memory_root, stored.space_id)
        with open_stored(self._settings, stored, self._clock) as store:
            space = space_on(store, self._identity, self._settings, self._clock, folder)
            return list(flows.checkouts.relatives.find_relatives(space))

    def _named(self, target: str) -> StoredSpace:
        if _ID.fullmatch(target) and target != self._computed.space_id:
            target = aliases(self._settings.home).get(target, target)
        if _ID.fullmatch(target) and is_stored(target, self._settings):
            return stored_space(self._settings, target)
        place = Path(os.path.abspath(target))
        for known_space in space_entries(self._settings, self._clock):
            if (
                known_space.kind == "project"
                and place in known_space.roots
                and known_space.space_id != self._identity.space_id
            ):
                return stored_space(self._settings, known_space.space_id)
        if place.is_dir():
            return stored_space(self._settings, identify_here(place, self._settings).space_id)
        raise NotFound(
            f"No memory {target[:200]!r} is here.", "Give its id, or a path where it was used: `waypost status`."
        )

    def _look(self, stored: StoredSpace) -> "Relative":
        if stored.kind != "project":
            raise InvalidInput(f"{stored.name!r} is the memory of a person.", "Name the memory of a project.")
        with open_stored(self._settings, stored, self._clock) as store, store.read() as reader:
            memories = flows.checkouts.relatives.count_kept(reader, Moment(self._clock()))
            roots = tuple(reader.checkouts().values())
        return flows.checkouts.relatives.Relative(stored.space_id, stored.name, memories, roots)

    def _confirm(self) -> None:
        """Open the memory for this checkout."""
        with open_stored(self._settings, stored_space(self._settings, self._identity.space_id), self._clock) as store:
            flows.checkouts.admission.confirm(
                store, self._identity, self._settings.shared_machine, self._caller, self._clock()
            )
        open_spaces.forget(self._identity.space_id)

    def _merge(self, plan: AdoptionPlan) -> AdoptionPlan:
        """Take in what the other memory holds now, through the gateway; nothing that is here is overwritten."""
        from waypost.memory.catalog import open_by_id

        own, other = self._memory(), open_by_id(self._settings, self._caller, plan.other or "", self._clock)
        rows = list(other.admin.export_rows())
        left_out = tuple(
            import_row.reason or import_row.status
            for import_row in own.admin.import_rows(rows)
            if import_row.id is None
        )
        if not left_out:
            flows.checkouts.relatives.settle_relatives(own.space, [plan.other or ""])
        return replace(plan, memories=len(rows) - len(left_out), left_out=left_out)
