"""The projects that let a space read: opened at the moment of the question, so that what they revoke or forget is gone.

Nothing of them is kept: no copy, no cache. What each is asked for is bounded by its own offer, as it stands in the very
transaction that is searched.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace

from waypost.context.one_line import one_line
from waypost.errors import NotFound, SecurityError, StoreError, WaypostError
from waypost.facts.ageing import aged
from waypost.flows.links.staleness import link_memory
from waypost.flows.open_space import OpenSpace
from waypost.flows.share.spaces import Neighbours
from waypost.model.code_link import LinkedMemory
from waypost.model.kinds import CODE_COLLECTIONS
from waypost.model.memory import State, Version
from waypost.model.recall import View
from waypost.model.share import Offer, ShareRow, SharingProject
from waypost.store.protocol import Reader
from waypost.store.share_protocol import GIVES

MOST_GIVERS = 5  # that one question is put to: each costs about as much as a small space of one's own
LONGEST_NAME = 60  # characters of a project's name in an answer
AWAY = (StoreError, NotFound, SecurityError)  # gone, locked or damaged: no reason for an answer to fail


@dataclass(frozen=True, slots=True)
class Giver:
    """A project that is read now."""

    project: SharingProject
    offer: Offer
    reader: Reader

    def view(self, wanted: View) -> View | None:
        """What of a question's view it shows; None: nothing of that sort is offered."""
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
        """The tree in which it was used last: what is derived belongs to one."""
        return self.reader.latest_checkout() or ""

    def linked(self, space: OpenSpace, versions: Sequence[Version]) -> dict[int, LinkedMemory]:
        """Its memories, by number, with what was last found of the code they point at. Its tree is not looked at here."""
        pointing = [version.number for version in versions if version.refs]
        verdicts = self.reader.verdicts(self.checkout, pointing) if pointing else {}
        now = space.clock()
        states = aged(self.reader.states([version.memory_id for version in versions]), now)
        return {
            version.number: link_memory(space, version, states.get(version.memory_id, State()), verdicts, now)
            for version in versions
        }


@dataclass(slots=True)
class Given:
    """Who can be read now, and what the asker should know about those who cannot."""

    givers: list[Giver] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def away(self, name: str, error: WaypostError) -> None:
        self.notes.append(
            f"{one_line(name, LONGEST_NAME)}, which is shared with this, cannot be read now: {error.what}"
        )

    def drop(self, giver: Giver, error: WaypostError) -> None:
        """It failed while it was read."""
        self.givers.remove(giver)
        self.away(giver.project.name, error)


@contextmanager
def given_to(space: OpenSpace, taken: Sequence[ShareRow], view: View) -> Iterator[Given]:
    """The projects behind these acceptances that still give, each in a read transaction of its own.

    A project that has revoked, or offers anew, is left out without a word: that is no news for a question.
    """
    standing = [row for row in taken if row.stands]
    given = Given()
    if view.moment.known_at is not None:
        if standing:
            given.notes.append("Shared projects tell only what they hold now: they were not asked.")
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
                half = reader.share(GIVES, space.identity.space_id)
            except AWAY as error:
                if _still_gives(neighbours, row):
                    given.away(row.name, error)
                continue
            if half is not None and half.stands and half.offer_id == row.offer_id:
                given.givers.append(Giver(SharingProject(row.other, name), half.offer, reader))
        yield given


def _still_gives(neighbours: Neighbours, row: ShareRow) -> bool:
    """Whether somebody should hear that it cannot be read. Of a team's database it cannot be opened once it is revoked."""
    try:
        half = neighbours.halves(row.other).get(GIVES)
    except AWAY:
        return True
    return half is not None and half.stands and half.offer_id == row.offer_id
