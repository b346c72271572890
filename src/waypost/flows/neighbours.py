"""The other memories that there are beside a space, as sharing needs to know them. Implemented where spaces are opened."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from waypost.store.protocol import Store

if TYPE_CHECKING:
    from waypost.model.share import ShareRow


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another memory of the same home or database."""

    space_id: str
    kind: str  # project | person
    name: str


class Neighbours(Protocol):
    def listed(self) -> list[Neighbour]:
        """All that can be read, by name; not the space itself."""

    def partners(self) -> list[Neighbour]:
        """By name, those that may have agreed something with this one."""

    def find(self, project: str) -> Neighbour:
        """The one that a person means: by its id, its name where only one has it, or a path. Raises NotFound or
        InvalidInput, which say what to do."""

    def halves(self, space_id: str) -> "Mapping[str, ShareRow]":
        """By their role, what that memory has agreed with this one. Raises a WaypostError where it is gone, locked or
        damaged."""

    def name_of(self, space_id: str) -> str:
        """What it is called now. Raises NotFound when it is not there any more."""

    def opened(self, space_id: str) -> AbstractContextManager[Store]:
        """Its store, to be read for a moment. Raises a WaypostError where it is gone, locked or damaged."""

    def note(self, space_id: str) -> AbstractContextManager[Store | None]:
        """Its store, for an entry in its audit log; None where whoever asks may not write there, and the directory of the
        team has noted it. Raises a WaypostError as `opened` does."""
