"""Projects that share with a space. They are opened for each question, so revoked or forgotten memories are gone.

Nothing of them is copied or cached. The offer is read in the same transaction that is searched.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace

from waypost.context.one_line import one_line
from waypost.errors import NotFound, SecurityError, StoreError, WaypostError
from waypost.facts.ageing import with_expiry
from waypost.flows.links.staleness import link_memory
from waypost.flows.neighbours import Neighbours
from waypost.flows.open_space import OpenSpace
from waypost.model.code_link import LinkedMemory
from waypost.model.kinds import CODE_COLLECTIONS
from waypost.model.memory import State, Version
from waypost.model.recall import View
from waypost.model.share import Offer, ShareRow, SharingProject
from waypost.store.protocol import Reader
from waypost.store.shares import GIVES

MOST_GIVERS = 5  # searched for one question: each costs about as much as a small space
LONGEST_NAME = 60  # characters of a project's name in an answer
AWAY = (StoreError, NotFound, SecurityError)  # gone, locked or damaged: the answer comes without it


@dataclass(frozen=True, slots=True)
class Giver:
    """A project that shares, opened for reading."""

    project: SharingProject
    offer: Offer
    reader: Reader

    def view(self, wanted: View) -> View | None:
        """The part of a view that is offered, or None if nothing of it is."""
        collections = tuple(name for name in self.offer.collections if name in wanted.collections)
        if not collections:
            return None
        return View(
            replace(wanted.moment, known_at=None),
            collections,
            self.checkout if any(name in CODE_COLLECTIONS for name in collections) else None,
            domains=self.offer.domains or None,
            levels=self.offer.levels or None,
        )

    @property
    def checkout(self) -> str:
        """The checkout that used it last: code belongs to one."""
        return self.reader.code.latest_checkout() or ""

    def linked(self, space: OpenSpace, versions: Sequence[Version]) -> dict[int, LinkedMemory]:
        """Its memories by number, with the last verdicts on their code. Its tree is not read here."""
        pointing = [version.number for version in versions if version.refs]
        verdicts = self.reader.references.verdicts(self.checkout, pointing) if pointing else {}
        now = space.clock()
        states = with_expiry(self.reader.memories.states([version.memory_id for version in versions]), now)
        return {
            version.number: link_memory(space, version, states.get(version.memory_id, State()), verdicts, now)
            for version in versions
        }


@dataclass(slots=True)
class Given:
    """The projects that can be read now, and notices about those that can't."""

    givers: list[Giver] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def away(self, name: str, error: WaypostError) -> None:
        self.notes.append(
            f"{one_line(name, LONGEST_NAME)}, which is shared with this, cannot be read now: {error.what}"
        )

    def drop(self, giver: Giver, error: WaypostError) -> None:
        """Leave out a project that failed while it was read."""
        self.givers.remove(giver)
        self.away(giver.project.name, error)


@contextmanager
def given_to(space: OpenSpace, taken: Sequence[ShareRow], view: View) -> Iterator[Given]:
    """The projects that still share, each in a read transaction of its own.

    A project that has revoked its offer, or replaced it, is left out without a notice.
    """
    standing = [row for row in taken if row.stands]
    given = Given()
    if view.moment.known_at is not None:
        if standing:
            given.notes.append("Shared projects only show current memories: they were not searched.")
        yield given
        return
    if len(standing) > MOST_GIVERS:
        given.notes.append(
            f"Only {MOST_GIVERS} of {len(standing)} shared projects were asked, the oldest shares first."
        )
    neighbours = space.neighbours(space)
    with ExitStack() as stack:
        for row in standing[:MOST_GIVERS]:
            try:
                name = one_line(neighbours.name_of(row.other), LONGEST_NAME)
                reader = stack.enter_context(stack.enter_context(neighbours.opened(row.other)).read())
                half = reader.shares.get(GIVES, space.identity.space_id)
            except AWAY as error:
                if _still_gives(neighbours, row):
                    given.away(row.name, error)
                continue
            if half is not None and half.stands and half.offer_id == row.offer_id:
                given.givers.append(Giver(SharingProject(row.other, name), half.offer, reader))
        yield given


def _still_gives(neighbours: Neighbours, row: ShareRow) -> bool:
    """Whether to report that it can't be read. A team's database refuses to open once the share is revoked."""
    try:
        half = neighbours.halves(row.other).get(GIVES)
    except AWAY:
        return True
    return half is not None and half.stands and half.offer_id == row.offer_id
