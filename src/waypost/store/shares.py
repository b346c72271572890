"""What a database has to do for sharing between projects: each space keeps its own half of every agreement.

A share holds while both halves are there, name the same offer, and neither was revoked.
"""

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # who shares nothing does not load it
    from waypost.model.share import ShareRow

GIVES, TAKES = "gives", "takes"  # the two halves of a share


class ShareReader(Protocol):
    def shares(self, role: str | None = None) -> "list[ShareRow]":
        """The halves of this space, revoked ones too, oldest first."""

    def share(self, role: str, other: str) -> "ShareRow | None":
        """The half about this other space."""


class ShareWriter(ShareReader, Protocol):
    def put_share(self, row: "ShareRow") -> None:
        """Add it, or replace the half with the same role and other space."""
