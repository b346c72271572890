"""`waypost adopt`: a person decides which memory a checkout uses."""

import os
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
from waypost.memory.storage import open_stored, stored_space
from waypost.model.json_row import json_row
from waypost.model.memory import Caller, StoredSpace
from waypost.model.time import Clock, Moment, utc_now
from waypost.space.alias import aliases, first_step, identify_here, last_step, set_alias
from waypost.space.identity import SPACE_ID, Identity, identify
from waypost.space.place import space_directory

if TYPE_CHECKING:
    from waypost.flows.checkouts.relatives import Relative
    from waypost.memory import Memory

CONFIRMED, ADOPTED, MERGED, UNDONE = "confirmed", "adopted", "merged", "undone"


@dataclass(frozen=True, slots=True)
class AdoptionPlan:
    deed: str  # confirmed | adopted | merged
    space_id: str  # the memory that this checkout will use
    name: str
    memories: int  # how many memories it gains
    root: Path
    other: str | None = None  # the adopted or merged memory; it does not change
    checkouts: tuple[str, ...] = ()  # checkouts that use it already
    left_out: tuple[str, ...] = ()  # why memories could not be merged

    def to_json(self) -> dict[str, Any]:
        row = json_row(self, "deed", "space_id", "other", status=self.deed, space=self.space_id)
        return row | {"from": self.other}


class Adoption:
    """The adoption of a memory by one checkout. `plan` returns what would be done, `run` does it."""

    def __init__(self, directory: Path, settings: Settings, caller: Caller, clock: Clock = utc_now) -> None:
        self._directory, self._settings, self._caller, self._clock = directory, settings, caller, clock
        self._identity = locate(directory, settings, clock)
        self._is_unknown = self._is_refused()

    def plan(self, target: str | None = None) -> AdoptionPlan:
        """What adopting `target` would do. It is the id of a memory, or a path where it was used.

        The default is the memory of the same repository, found by shared commits. Otherwise it is the memory of this
        folder's remote, if that refuses the folder so far. Raises NotFound without a match, InvalidInput for several.
        """
        if self._root is None:
            raise InvalidInput("A person has no checkout.", "Run this in a project, without --person.")
        if target is None:
            relative = self._only_relative()
            return self._confirmation() if relative is None else self._union(relative)
        stored = self._find(target)
        if stored.space_id == self._identity.space_id:
            if self._is_unknown:
                return self._confirmation()
            raise InvalidInput(f"This folder uses {stored.space_id} already.", "No action is needed.")
        return self._union(self._relative_of(stored))

    def run(self, plan: AdoptionPlan) -> AdoptionPlan:
        """Carry out a plan, and return it with what was done. Only a person may: raises Refused for an agent."""
        if not self._caller.decides:
            raise Refused(
                "Only a person can say which memory a checkout belongs to.", "Run it at a terminal, or with --yes."
            )
        if plan.deed == MERGED:
            return self._merge(plan)
        if plan.other is not None:
            own = self._computed  # other checkouts keep using the memory that refuses this one
            set_alias(self._settings.home, own.checkout_id if self._is_unknown else own.space_id, plan.other)
            self._identity = identify_here(self._directory, self._settings)
        self._confirm()
        return plan

    def undo(self) -> AdoptionPlan:
        """Let the folder use the memory of its own id again. Both memories stay unchanged."""
        own, home, before = self._computed, self._settings.home, self._identity.space_id
        start = first_step(own, aliases(home))
        nothing = NotFound("This folder uses the memory of its own id.", "There is nothing to undo.")
        if start is None:
            raise nothing
        if not self._caller.decides:
            raise Refused("Only a person can undo an adoption.", "Run it at a terminal, or with --yes.")
        set_alias(home, last_step(home, start), None)
        now = locate(self._directory, self._settings, self._clock).space_id
        if now == before:  # the memory of its remote, under another spelling
            raise nothing
        return AdoptionPlan(UNDONE, now, own.name, 0, own.root or Path(), before)

    def dismiss(self) -> "list[Relative]":
        """Keep the memories of this repository apart, and stop suggesting to adopt them. Returns these memories."""
        if not self._caller.decides:
            raise Refused("Only a person can dismiss memories.", "Run it at a terminal, or with --yes.")
        memory = self._memory()
        relatives = flows.checkouts.relatives.look_for_relatives(memory.space)
        flows.checkouts.relatives.dismiss_relatives(memory.space, [relative.space_id for relative in relatives])
        return relatives

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
        """Whether the memory refuses this checkout. If that of another spelling of the remote opens, use that one."""
        if not is_stored(self._identity.space_id, self._settings):
            return False
        try:
            self._memory().space  # noqa: B018  refused here, if at all
        except UnknownCheckout as refused:
            try:
                self._identity = locate_again(self._identity, refused, self._settings, self._clock)
            except UnknownCheckout:
                return True
        return False

    def _confirmation(self) -> AdoptionPlan:
        own = self._relative_of(stored_space(self._settings, self._identity.space_id))
        root = self._root or Path()
        return AdoptionPlan(CONFIRMED, own.space_id, own.name, own.memories, root, None, own.roots)

    def _union(self, other: "Relative") -> AdoptionPlan:
        """Adopt the other memory, or merge it if this checkout has memories of its own."""
        root, name = self._root or Path(), self._identity.name
        if not self._is_unknown:
            own = self._memory().space
            with own.store.read() as reader:
                count = flows.checkouts.relatives.count_kept(reader, Moment(self._clock()))
            if count:
                own_id = own.identity.space_id
                return AdoptionPlan(MERGED, own_id, name, other.memories, root, other.space_id, other.roots)
        return AdoptionPlan(ADOPTED, other.space_id, other.name, other.memories, root, other.space_id, other.roots)

    def _only_relative(self) -> "Relative | None":
        """The only other memory of this repository; None if this folder's own memory must be confirmed instead."""
        look = flows.checkouts.relatives.look_for_relatives
        relatives = self._relatives_unopened() if self._is_unknown else look(self._memory().space)
        if not relatives and self._is_unknown:
            return None
        if not relatives:
            raise NotFound(
                "No other memory of this repository was found.",
                "Name one: `waypost adopt ID`, or a path where it was used.",
            )
        if len(relatives) > 1:
            listed = "; ".join(f"{relative.where}, {relative.memories} memories" for relative in relatives)
            raise InvalidInput(
                f"{len(relatives)} memories of this repository exist: {listed}.", "Name one: `waypost adopt ID`."
            )
        return relatives[0]

    def _relatives_unopened(self) -> "Sequence[Relative]":
        """The same for a refused checkout, without writing to the memory that refuses it."""
        stored = stored_space(self._settings, self._identity.space_id)
        folder = space_directory(self._settings.memory_root, stored.space_id)
        with open_stored(self._settings, stored, self._clock) as store:
            space = space_on(store, self._identity, self._settings, self._clock, folder)
            return list(flows.checkouts.relatives.find_relatives(space))

    def _find(self, target: str) -> StoredSpace:
        if SPACE_ID.fullmatch(target) and target != self._computed.space_id:
            target = aliases(self._settings.home).get(target, target)
        if SPACE_ID.fullmatch(target) and is_stored(target, self._settings):
            return stored_space(self._settings, target)
        place = Path(os.path.abspath(target))
        for entry in space_entries(self._settings, self._clock):
            if entry.kind == "project" and place in entry.roots and entry.space_id != self._identity.space_id:
                return stored_space(self._settings, entry.space_id)
        if place.is_dir():
            return stored_space(self._settings, identify_here(place, self._settings).space_id)
        raise NotFound(
            f"There is no memory {target[:200]!r} here.", "Give its id, or a path where it was used: `waypost status`."
        )

    def _relative_of(self, stored: StoredSpace) -> "Relative":
        if stored.kind != "project":
            raise InvalidInput(f"{stored.name!r} is the memory of a person.", "Name the memory of a project.")
        with open_stored(self._settings, stored, self._clock) as store, store.read() as reader:
            memories = flows.checkouts.relatives.count_kept(reader, Moment(self._clock()))
            roots = tuple(reader.code.checkouts().values())
        return flows.checkouts.relatives.Relative(stored.space_id, stored.name, memories, roots)

    def _confirm(self) -> None:
        """Record that this checkout belongs to the memory."""
        with open_stored(self._settings, stored_space(self._settings, self._identity.space_id), self._clock) as store:
            flows.checkouts.admission.confirm(
                store, self._identity, self._settings.shared_machine, self._caller, self._clock()
            )
        open_spaces.forget(self._identity.space_id)

    def _merge(self, plan: AdoptionPlan) -> AdoptionPlan:
        """Import the current memories of the other one. Nothing is overwritten."""
        from waypost.memory.catalog import open_by_id

        own, other = self._memory(), open_by_id(self._settings, self._caller, plan.other or "", self._clock)
        rows = list(other.admin.export_rows())
        receipts = own.admin.import_rows(rows)
        left_out = tuple(receipt.reason or receipt.status for receipt in receipts if receipt.id is None)
        if not left_out:
            flows.checkouts.relatives.dismiss_relatives(own.space, [plan.other or ""])
        return replace(plan, memories=len(rows) - len(left_out), left_out=left_out)
