"""Sharing between projects by consent of both: offered by one, accepted by the other, revoked by either (CG-19).

Each side writes its own half into its own memory; the other side's audit log is told. Nothing is copied: what is shared is read
where it is (`share_given`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from waypost.errors import InvalidInput, NotFound, Refused, StoreError, WaypostError
from waypost.flows.open_space import OpenSpace
from waypost.flows.recall.versions import audit
from waypost.flows.share.sources import AWAY
from waypost.flows.share.spaces import Neighbour, Neighbours
from waypost.model.memory import Caller
from waypost.model.share import Offer, ShareRow, SharingProject
from waypost.model.time import format_time
from waypost.store.shares import GIVES, TAKES

OFFERED, ACTIVE, REVOKED, AWAY_STATE = "offered", "active", "revoked", "away"

_SAYS = {
    ("gives", "offered"): "Offered to",
    ("gives", "active"): "Read by",
    ("gives", "revoked"): "No longer read by",
    ("gives", "away"): "Offered to",
    ("takes", "offered"): "Offered by",
    ("takes", "active"): "Reads",
    ("takes", "revoked"): "No longer reads",
    ("takes", "away"): "Reads",
}


@dataclass(frozen=True, slots=True)
class Share:
    """A share as one side sees it, from both halves as they are now."""

    role: str  # "gives": this space is read by the project; "takes": it reads the project
    project: SharingProject  # the other one
    state: str  # offered: not accepted (any more); active; revoked; away: the other cannot be read now
    offer: Offer
    offered_at: datetime | None = None
    offered_by: str | None = None
    accepted_at: datetime | None = None
    accepted_by: str | None = None
    revoked_at: datetime | None = None
    revoked_by: str | None = None
    notices: tuple[str, ...] = ()

    @property
    def says(self) -> str:
        """What stands before the name of the other project."""
        return _SAYS[self.role, self.state]

    def to_json(self) -> dict[str, Any]:
        times = {name: getattr(self, name) for name in ("offered_at", "accepted_at", "revoked_at")}
        return {
            "role": self.role,
            "project": self.project.to_json(),
            "state": self.state,
            "offer": self.offer.to_json(),
            **{name: None if at is None else format_time(at) for name, at in times.items()},
            **{name: getattr(self, name) for name in ("offered_by", "accepted_by", "revoked_by")},
            "notices": list(self.notices),
        }


def offer(space: OpenSpace, told: str, what: Offer, caller: Caller) -> Share:
    """Let another project read these memories, once it has accepted. Another offer than before ends what was accepted; the
    same one changes nothing."""
    _decides(space, caller, "offer")
    neighbours = space.neighbours(space)
    other = _another(space, neighbours.find(told))
    with space.store.write() as writer:
        known = writer.shares.get(GIVES, other.space_id)
        if known is None or not known.stands or known.offer != what:
            known = ShareRow(
                GIVES, other.space_id, other.name, space.new_id(), what, space.clock(), _person(space, caller)
            )
            writer.shares.put(known)
            audit(space, writer, "share_offer", None, caller, _details(GIVES, other) | what.to_json())
            new = True
        else:
            new = False
    notices = _tell(space, neighbours, other, "share_offer", TAKES, caller) if new else ()
    return replace(_seen(space, neighbours, GIVES, other), notices=notices)


def accept(space: OpenSpace, told: str, caller: Caller) -> Share:
    """Read from now on what another project offers to this one."""
    _decides(space, caller, "accept")
    neighbours = space.neighbours(space)
    other = _another(space, neighbours.find(told))
    offered = neighbours.halves(other.space_id).get(GIVES)
    if offered is None or not offered.stands:
        raise NotFound(
            f"{other.name[:60]!r} offers nothing to this project.",
            f"A person offers it there first: waypost share offer {space.identity.space_id}.",
        )
    new = False
    with space.store.write() as writer:
        known = writer.shares.get(TAKES, other.space_id)
        if known is None or not known.stands or known.offer_id != offered.offer_id:
            person = _person(space, caller)
            half = ShareRow(TAKES, other.space_id, other.name, offered.offer_id, offered.offer, space.clock(), person)
            writer.shares.put(half)
            audit(space, writer, "share_accept", None, caller, _details(TAKES, other) | offered.offer.to_json())
            new = True
    notices = _tell(space, neighbours, other, "share_accept", GIVES, caller) if new else ()
    return replace(_seen(space, neighbours, TAKES, other), notices=notices)


def revoke(space: OpenSpace, told: str, caller: Caller, *, role: str | None = None) -> tuple[Share, ...]:
    """End what is shared with a project, in both directions or in one: from this moment on nothing is read."""
    _decides(space, caller, "revoke")
    neighbours = space.neighbours(space)
    other = _agreed_with(space, neighbours, told)
    ended: list[str] = []
    with space.store.write() as writer:
        for one in (GIVES, TAKES):
            half = writer.shares.get(one, other.space_id) if role in (None, one) else None
            if half is not None and half.stands:
                by = _person(space, caller)
                writer.shares.put(replace(half, revoked_at=space.clock(), revoked_by=by))
                audit(space, writer, "share_revoke", None, caller, _details(one, other))
                ended.append(one)
    if not ended:
        raise NotFound(f"Nothing is shared with {other.name[:60]!r}.", "`waypost share list` shows what is.")
    notices: tuple[str, ...] = ()
    for one in ended:
        notices += _tell(space, neighbours, other, "share_revoke", TAKES if one == GIVES else GIVES, caller)
    return tuple(replace(_seen(space, neighbours, one, other), notices=notices) for one in ended)


def shares(space: OpenSpace) -> tuple[Share, ...]:
    """What this space gives and takes, and what is offered to it; those that were revoked too."""
    neighbours = space.neighbours(space)
    with space.store.read() as reader:
        own = reader.shares.all()
    others = {one.other: Neighbour(one.other, "", one.name) for one in own}
    others |= {one.space_id: one for one in neighbours.partners()}
    found = [
        share
        for other in sorted(others.values(), key=lambda one: (one.name.lower(), one.space_id))
        for share in _both_ways(neighbours, other, [row for row in own if row.other == other.space_id])
    ]
    return tuple(found)


def _both_ways(neighbours: Neighbours, other: Neighbour, own: list[ShareRow]) -> Iterator[Share]:
    halves = {row.role: row for row in own}
    theirs, error = _their_halves(neighbours, other)
    for role, opposite in ((GIVES, TAKES), (TAKES, GIVES)):
        if role in halves or (role == TAKES and opposite in theirs and theirs[opposite].stands):
            yield _share(role, other, halves.get(role), theirs.get(opposite), error)


def _seen(space: OpenSpace, neighbours: Neighbours, role: str, other: Neighbour) -> Share:
    with space.store.read() as reader:
        half = reader.shares.get(role, other.space_id)
    theirs, error = _their_halves(neighbours, other)
    return _share(role, other, half, theirs.get(TAKES if role == GIVES else GIVES), error)


def _their_halves(neighbours: Neighbours, other: Neighbour) -> tuple[Mapping[str, ShareRow], WaypostError | None]:
    try:
        return neighbours.halves(other.space_id), None
    except AWAY as error:
        return {}, error


def _share(
    role: str, other: Neighbour, own: ShareRow | None, theirs: ShareRow | None, error: WaypostError | None
) -> Share:
    given, taken = (own, theirs) if role == GIVES else (theirs, own)
    same = given is not None and taken is not None and given.offer_id == taken.offer_id
    accepted = taken if same or given is None else None  # an acceptance of an earlier offer is none of this one
    half = given or taken
    assert half is not None
    revoked = next((row for row in (given, accepted) if row is not None and not row.stands), None)
    if revoked is not None:
        state = REVOKED
    elif error is not None:
        state = AWAY_STATE
    elif given is None:  # the giver has no memory of it: as good as revoked
        state = REVOKED
    else:
        state = ACTIVE if accepted is not None else OFFERED
    return Share(
        role,
        SharingProject(other.space_id, other.name),
        state,
        half.offer,
        None if given is None else given.made_at,
        None if given is None else given.made_by,
        None if accepted is None else accepted.made_at,
        None if accepted is None else accepted.made_by,
        None if revoked is None else revoked.revoked_at,
        None if revoked is None else revoked.revoked_by,
        () if error is None else (error.what,),
    )


def _decides(space: OpenSpace, caller: Caller, what: str) -> None:
    if not caller.decides:
        raise Refused(
            f"Only a person can {what} what projects share.",
            "Run it at a terminal, or with --yes as the owner's word.",
        )
    identity = space.identity
    if identity.kind == "person" and _person(space, caller) != identity.name:
        raise Refused(f"Only {identity.name} can {what} what is remembered of {identity.name}.", "Ask them to do it.")


def _person(space: OpenSpace, caller: Caller) -> str:
    """Whose word it is."""
    return caller.actor if caller.source == "person" else space.settings.person


def _another(space: OpenSpace, other: Neighbour) -> Neighbour:
    if other.space_id == space.identity.space_id:
        raise InvalidInput("A project cannot share with itself.", "Name another project.")
    return other


def _agreed_with(space: OpenSpace, neighbours: Neighbours, told: str) -> Neighbour:
    """The project that something was agreed with, which may be gone: then by its id or the name it had."""
    try:
        return neighbours.find(told)
    except (NotFound, InvalidInput):
        with space.store.read() as reader:
            known = {row.other: row for row in reader.shares.all() if row.stands}
        called = [row for row in known.values() if told in (row.other, row.name)]
        if len(called) != 1:
            raise
        return Neighbour(called[0].other, "", called[0].name)


def _details(role: str, other: Neighbour) -> dict[str, Any]:
    return {"role": role, "project": other.space_id, "name": other.name}


def _tell(
    space: OpenSpace, neighbours: Neighbours, other: Neighbour, action: str, role: str, caller: Caller
) -> tuple[str, ...]:
    """Note in the other side's audit log what was done on this one. What was agreed does not depend on it."""
    own = Neighbour(space.identity.space_id, space.identity.kind, space.identity.name)
    try:
        with neighbours.note(other.space_id) as store:
            if store is not None:
                with store.write() as writer:
                    audit(space, writer, action, None, caller, _details(role, own) | {"done_by": "the other project"})
    except (StoreError, *AWAY) as error:
        return (f"The audit log of {other.name} could not be told: {error.what}",)
    return ()
