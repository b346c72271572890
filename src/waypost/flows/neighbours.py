"""The other memories beside a space, as sharing needs them. Implemented where spaces are opened."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from waypost.store.protocol import Store

if TYPE_CHECKING:
    from waypost.model.share import ShareRow


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another memory in the same data directory or database."""

    space_id: str
    kind: str  # project | person
    name: str


class Neighbours(Protocol):
    def listed(self) -> list[Neighbour]:
        """All readable memories by name, without the space itself."""

    def partners(self) -> list[Neighbour]:
        """Memories that may have an agreement with this one, by name."""

    def find(self, project: str) -> Neighbour:
        """The memory that a person means by id, unique name or path. Raises NotFound or InvalidInput."""

    def halves(self, space_id: str) -> "Mapping[str, ShareRow]":
        """What that memory has agreed with this one, by role. Raises a WaypostError if it is gone, locked or damaged."""

    def name_of(self, space_id: str) -> str:
        """Its current name. Raises NotFound if it is gone."""

    def opened(self, space_id: str) -> AbstractContextManager[Store]:
        """Its store, for a short read. Raises a WaypostError if it is gone, locked or damaged."""

    def note(self, space_id: str) -> AbstractContextManager[Store | None]:
        """Its store, for an entry in its audit log.

        None if the caller may not write there, and the team directory has noted it.

        Raises a WaypostError as `opened` does.
        """
