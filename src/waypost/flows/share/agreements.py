"""Agreements between two projects: one offers, the other accepts, either revokes.

Each side writes its half into its own memory, and an entry into the other's audit log. Nothing is copied: shared
memories are read where they are (`sources.py`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from waypost.errors import InvalidInput, NotFound, Refused, StoreError, WaypostError
from waypost.flows.neighbours import Neighbour, Neighbours
from waypost.flows.open_space import OpenSpace
from waypost.flows.share.sources import AWAY
from waypost.flows.versions.current import audit
from waypost.model.json_row import json_row
from waypost.model.memory import Caller
from waypost.model.share import Offer, ShareRow, SharingProject
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
    """A share as one side sees it, from the current state of both halves."""

    role: str  # "gives": the project reads this space; "takes": this space reads the project
    project: SharingProject  # the other one
    state: str  # offered: not accepted (any more); active; revoked; away: the project cannot be read now
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
        return _SAYS[self.role, self.state]

    def to_json(self) -> dict[str, Any]:
        return json_row(self)


def offer(space: OpenSpace, project: str, what: Offer, caller: Caller) -> Share:
    """Let another project read these memories once it accepts. A changed offer must be accepted again."""
    _need_person(space, caller, "offer")
    neighbours = space.neighbours(space)
    other = _another(space, neighbours.find(project))
    with space.store.write() as writer:
        half = writer.shares.get(GIVES, other.space_id)
        if half is None or not half.stands or half.offer != what:
            half = ShareRow(
                GIVES, other.space_id, other.name, space.new_id(), what, space.clock(), _person(space, caller)
            )
            writer.shares.put(half)
            audit(space, writer, "share_offer", None, caller, _details(GIVES, other) | what.to_json())
            new = True
        else:
            new = False
    notices = _note_at_other(space, neighbours, other, "share_offer", TAKES, caller) if new else ()
    return replace(_current_share(space, neighbours, GIVES, other), notices=notices)


def accept(space: OpenSpace, project: str, caller: Caller) -> Share:
    _need_person(space, caller, "accept")
    neighbours = space.neighbours(space)
    other = _another(space, neighbours.find(project))
    offered = neighbours.halves(other.space_id).get(GIVES)
    if offered is None or not offered.stands:
        raise NotFound(
            f"{other.name[:60]!r} offers nothing to this project.",
            f"A person offers it there first: waypost share offer {space.identity.space_id}.",
        )
    new = False
    with space.store.write() as writer:
        before = writer.shares.get(TAKES, other.space_id)
        if before is None or not before.stands or before.offer_id != offered.offer_id:
            person = _person(space, caller)
            half = ShareRow(TAKES, other.space_id, other.name, offered.offer_id, offered.offer, space.clock(), person)
            writer.shares.put(half)
            audit(space, writer, "share_accept", None, caller, _details(TAKES, other) | offered.offer.to_json())
            new = True
    notices = _note_at_other(space, neighbours, other, "share_accept", GIVES, caller) if new else ()
    return replace(_current_share(space, neighbours, TAKES, other), notices=notices)


def revoke(space: OpenSpace, project: str, caller: Caller, *, role: str | None = None) -> tuple[Share, ...]:
    """End sharing with a project, in both directions or in one. Takes effect at once."""
    _need_person(space, caller, "revoke")
    neighbours = space.neighbours(space)
    other = _partner(space, neighbours, project)
    ended: list[str] = []
    with space.store.write() as writer:
        for side in (GIVES, TAKES):
            half = writer.shares.get(side, other.space_id) if role in (None, side) else None
            if half is not None and half.stands:
                by = _person(space, caller)
                writer.shares.put(replace(half, revoked_at=space.clock(), revoked_by=by))
                audit(space, writer, "share_revoke", None, caller, _details(side, other))
                ended.append(side)
    if not ended:
        raise NotFound(f"Nothing is shared with {other.name[:60]!r}.", "`waypost share list` shows what is.")
    notices: tuple[str, ...] = ()
    for side in ended:
        notices += _note_at_other(space, neighbours, other, "share_revoke", TAKES if side == GIVES else GIVES, caller)
    return tuple(replace(_current_share(space, neighbours, side, other), notices=notices) for side in ended)


def shares(space: OpenSpace) -> tuple[Share, ...]:
    """What this space gives and takes, what is offered to it, and what was revoked."""
    neighbours = space.neighbours(space)
    with space.store.read() as reader:
        own = reader.shares.all()
    others = {row.other: Neighbour(row.other, "", row.name) for row in own}
    others |= {neighbour.space_id: neighbour for neighbour in neighbours.partners()}
    all_shares = [
        share
        for other in sorted(others.values(), key=lambda neighbour: (neighbour.name.lower(), neighbour.space_id))
        for share in _both_ways(neighbours, other, [row for row in own if row.other == other.space_id])
    ]
    return tuple(all_shares)


def _both_ways(neighbours: Neighbours, other: Neighbour, own: list[ShareRow]) -> Iterator[Share]:
    halves = {row.role: row for row in own}
    theirs, error = _their_halves(neighbours, other)
    for role, opposite in ((GIVES, TAKES), (TAKES, GIVES)):
        if role in halves or (role == TAKES and opposite in theirs and theirs[opposite].stands):
            yield _share(role, other, halves.get(role), theirs.get(opposite), error)


def _current_share(space: OpenSpace, neighbours: Neighbours, role: str, other: Neighbour) -> Share:
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
    accepted = taken if same or given is None else None  # accepting an earlier offer does not accept this one
    half = given or taken
    assert half is not None
    revoked = next((row for row in (given, accepted) if row is not None and not row.stands), None)
    if revoked is not None:
        state = REVOKED
    elif error is not None:
        state = AWAY_STATE
    elif given is None:  # the giver has lost its half: as good as revoked
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


def _need_person(space: OpenSpace, caller: Caller, what: str) -> None:
    if not caller.decides:
        raise Refused(
            f"Only a person can {what} what projects share.",
            "Run it at a terminal, or with --yes to act with owner rights.",
        )
    identity = space.identity
    if identity.kind == "person" and _person(space, caller) != identity.name:
        raise Refused(f"Only {identity.name} can {what} memories of {identity.name}.", "Ask them to do it.")


def _person(space: OpenSpace, caller: Caller) -> str:
    return caller.actor if caller.source == "person" else space.settings.person


def _another(space: OpenSpace, other: Neighbour) -> Neighbour:
    if other.space_id == space.identity.space_id:
        raise InvalidInput("A project cannot share with itself.", "Name another project.")
    return other


def _partner(space: OpenSpace, neighbours: Neighbours, project: str) -> Neighbour:
    """The project of an agreement. If it is gone, by its id or its last name."""
    try:
        return neighbours.find(project)
    except (NotFound, InvalidInput):
        with space.store.read() as reader:
            rows = {row.other: row for row in reader.shares.all() if row.stands}
        called = [row for row in rows.values() if project in (row.other, row.name)]
        if len(called) != 1:
            raise
        return Neighbour(called[0].other, "", called[0].name)


def _details(role: str, other: Neighbour) -> dict[str, Any]:
    return {"role": role, "project": other.space_id, "name": other.name}


def _note_at_other(
    space: OpenSpace, neighbours: Neighbours, other: Neighbour, action: str, role: str, caller: Caller
) -> tuple[str, ...]:
    """Write to the other side's audit log. The agreement does not depend on it."""
    own = Neighbour(space.identity.space_id, space.identity.kind, space.identity.name)
    try:
        with neighbours.note(other.space_id) as store:
            if store is not None:
                with store.write() as writer:
                    audit(space, writer, action, None, caller, _details(role, own) | {"done_by": "the other project"})
    except (StoreError, *AWAY) as error:
        return (f"Could not write to the audit log of {other.name}: {error.what}",)
    return ()
