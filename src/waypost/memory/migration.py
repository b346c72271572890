"""Move memories from files into a PostgreSQL database and back."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from waypost import flows
from waypost.config import Settings
from waypost.errors import InvalidInput, NotFound, Refused, WaypostError
from waypost.flows.move.migrate import Ends, Moved, Report, migrate
from waypost.flows.move.new_ids import IdChange, NewIds, new_ids, new_space_id
from waypost.flows.move.notes import DONE, FRESH, MARK, REPLACE, RESUME, Notes, is_done, plan
from waypost.memory.location import identify_memory
from waypost.memory.migration_places import carry_files, make_home, place_of, remove_folder
from waypost.memory.spaces import open_spaces
from waypost.memory.storage import stored_ids, stored_space
from waypost.model.memory import Caller, StoredSpace
from waypost.model.time import Clock, utc_now
from waypost.space.alias import aliases, set_alias
from waypost.space.identity import SPACE_ID, path_id, tree_here
from waypost.store.tables import TABLES


@dataclass(frozen=True, slots=True)
class MovePlan:
    step: str  # fresh | replace | resume | mark | done
    tables: Mapping[str, int]  # rows
    size_bytes: int

    @property
    def rows(self) -> int:
        return sum(self.tables.values())


class SpaceMigration:
    """The move of one memory from the storage of `source` to that of `target`."""

    def __init__(self, source: Settings, target: Settings, space: StoredSpace, clock: Clock = utc_now) -> None:
        if source.store == target.store:
            raise InvalidInput("Source and target are the same.", "Name another place with --to.")
        self.space, self._source, self._target, self._clock = space, source, target, clock
        self._from = place_of(source, space, clock)
        self._ids = self._new_ids()
        self.new_id = self._ids.space.after
        self._to = place_of(target, replace(space, space_id=self.new_id), clock)

    @property
    def source(self) -> str:
        return self._from.description

    @property
    def target(self) -> str:
        return self._to.description

    def look(self) -> MovePlan:
        """The plan. Changes nothing. Raises Refused if the target is taken, SecurityError if it may not be created."""
        step, _ = self._plan()
        with self._from.open() as store, store.read() as reader:
            counts = {name: reader.tables().count(table) for name, table in TABLES.items()}
            return MovePlan(step, counts, store.size_bytes())

    def run(self, caller: Caller, report: Report, *, instead: bool = False) -> Moved:
        """Move the memory, or finish an interrupted move. A failed move leaves the source unchanged.

        `instead`: replace what the target has of this memory. Otherwise another memory there raises Refused.
        """
        open_spaces.drop_all()  # no open space of this process may show an old state
        step, notes = self._plan(instead=instead)
        if step == DONE:
            return Moved("already")
        self._carry(exact=step == RESUME or (step == REPLACE and notes is not None and notes.moved is not None))
        if step in (FRESH, REPLACE):
            self._to.clear()
        with self._from.open() as source, self._to.growing(has_arrived=step == MARK) as copy:

            def arrive() -> None:
                copy.close()
                self._carry(exact=False)
                self._to.arrive()
                self._carry_aliases()

            ends = Ends(source, copy, self.source, self.target, self._remedy, arrive)
            return migrate(ends, notes, step, self._ids, caller, self._clock, report)

    def remove_old(self) -> None:
        """Delete the source after the move. Raises Refused if it was not moved to this target."""
        if self._plan()[0] != DONE:
            raise Refused(f"The memory in {self.source} was not moved to {self.target}.", "Move it first.")
        self._from.remove()
        if self._from.folder != self._to.folder:
            remove_folder(self._from.folder)

    @property
    def _remedy(self) -> str:
        if self._target.store:
            return f'set store = "postgresql://…" ({self.target}) in {self._target.home / "config.toml"}.'
        return f"take `store` out of {self._target.home / 'config.toml'}, on the machine that has it."

    def _plan(self, *, instead: bool = False) -> tuple[str, Notes | None]:
        source, target = self._from.notes(), self._to.growing_notes()
        if source is None:
            raise NotFound(f"There is no memory of {self.space.name!r} in {self.source}.", "There is nothing to move.")
        ends = (self.source, self.target, self.space.space_id)
        if instead and target is not None and not is_done(source, target):
            plan(source, None, *ends)  # raises if the source can't be moved
            return REPLACE, target
        step = plan(source, target, *ends)
        if step == FRESH:
            self._to.check_makeable()
        return step, target

    def _carry(self, *, exact: bool) -> None:
        if self._from.folder != self._to.folder:
            make_home(self._to.folder, replace(self.space, space_id=self.new_id))
            carry_files(self._from.folder, self._to.folder, exact=exact)

    def _carry_aliases(self) -> None:
        """Let folders that use this memory under another id keep using it."""
        before, after = self._source.shared_machine, self._target.shared_machine
        with self._from.open() as store, store.read() as reader:
            roots = [tree_here(path, before) for path in reader.code.checkouts().values()]
        renamed = {path_id(root, before): path_id(root, after) for root in roots if root is not None}
        for folder, space_id in aliases(self._source.home).items():
            if space_id == self.space.space_id:
                set_alias(self._target.home, renamed.get(folder, folder), self.new_id)

    def _new_ids(self) -> NewIds:
        machine = IdChange(self._source.shared_machine, self._target.shared_machine)
        with self._from.open() as store, store.read() as reader:
            checkouts, shares = reader.code.checkouts(), reader.shares.all()
        after = new_space_id(self.space.space_id, self.space.source, checkouts.values(), machine)
        if after is None:
            raise NotFound(
                f"{self.space.name!r} is identified by a path, but by none on {self._source.machine!r}.",
                "Move it on the machine where it was used.",
            )
        others = {share.other: self._other(share.other, machine) for share in shares}
        return new_ids(IdChange(self.space.space_id, after), checkouts, machine, others)

    def _other(self, space_id: str, machine: IdChange) -> str:
        """The id of a sharing partner at the target, whether or not it moves too."""
        after = self._id_after(self._source, space_id, machine)
        if after is not None:
            return after
        back = IdChange(machine.after, machine.before)
        there = (space.space_id for space in readable_spaces(self._target))
        return next((other for other in there if self._id_after(self._target, other, back) == space_id), space_id)

    def _id_after(self, settings: Settings, space_id: str, machine: IdChange) -> str | None:
        try:
            space = stored_space(settings, space_id)
            with place_of(settings, space, self._clock).open() as store, store.read() as reader:
                trees = reader.code.checkouts().values()
        except WaypostError:  # missing or unreadable
            return None
        return new_space_id(space_id, space.source, trees, machine)


def find_stored_space(settings: Settings, directory: Path, person: str | None) -> StoredSpace:
    """The stored memory of a person or of the project of a directory. Raises NotFound if nothing is stored."""
    identity = identify_memory(directory, person, settings, utc_now)
    try:
        stored = stored_space(settings, identity.space_id)
    except NotFound as error:
        raise NotFound(f"There is no memory of {identity.name!r} there.", "Look at `waypost status`.") from error
    with place_of(settings, stored, utc_now).open() as store, store.read() as reader:
        flows.checkouts.admission.need_admission(reader, identity, settings.shared_machine)
    return stored


def readable_spaces(settings: Settings) -> Iterator[StoredSpace]:
    """All readable memories of a data directory or a database."""
    for space_id in sorted(stored_ids(settings)):
        if SPACE_ID.fullmatch(space_id):
            try:
                yield stored_space(settings, space_id)
            except WaypostError:  # not a memory
                continue


def unmoved_names(settings: Settings, clock: Clock = utc_now) -> list[str]:
    """Names of the memories of a data directory or a database that were not moved away."""
    names = list[str]()
    for space in readable_spaces(settings):
        try:
            notes = place_of(settings, space, clock).notes()
        except WaypostError:  # unreadable
            continue
        if notes is not None and notes.moved is None and notes.was_used:
            names.append(space.name)
    return names
