"""Shares between projects: each space stores its own half of every agreement.

A share is active while both halves exist, name the same offer, and neither was revoked.
"""

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # loaded only by those who share
    from waypost.model.share import ShareRow

GIVES, TAKES = "gives", "takes"  # the two halves of a share


class ShareReader(Protocol):
    def all(self, role: str | None = None) -> "list[ShareRow]":
        """The halves of this space, revoked ones too, oldest first."""

    def get(self, role: str, other: str) -> "ShareRow | None":
        """The half about this other space."""


class ShareWriter(ShareReader, Protocol):
    def put(self, row: "ShareRow") -> None:
        """Add it, or replace the half with the same role and other space."""
