"""What a database has to do for sharing between projects: each space keeps its own half of every agreement.

A share holds while both halves are there, name the same offer, and neither was revoked.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from waypost.model.share import Offer


@dataclass(frozen=True, slots=True)
class ShareRow:
    """One half: that this space gives to another (what it offered), or takes from it (what it accepted)."""

    role: str  # model.share.GIVES or TAKES
    other: str  # the id of the other space
    name: str  # what the other was called when it was agreed
    offer_id: str  # another one with every offer; an acceptance is of one offer
    offer: Offer  # of an acceptance: what was offered then; what may be read is what the giver's half says now
    made_at: datetime
    made_by: str  # the person who offered or accepted
    revoked_at: datetime | None = None
    revoked_by: str | None = None

    @property
    def stands(self) -> bool:
        return self.revoked_at is None


class ShareReader(Protocol):
    def shares(self, role: str | None = None) -> list[ShareRow]:
        """The halves of this space, revoked ones too, oldest first."""

    def share(self, role: str, other: str) -> ShareRow | None:
        """The half about this other space."""


class ShareWriter(ShareReader, Protocol):
    def put_share(self, row: ShareRow) -> None:
        """Add it, or replace the half with the same role and other space."""
