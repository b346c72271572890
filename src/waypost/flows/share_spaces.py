"""The other memories that there are beside a space, as sharing needs to know them. Implemented where spaces are opened."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from waypost.store.protocol import Store


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another memory of the same home or database."""

    space_id: str
    kind: str  # project | person
    name: str


class Neighbours(Protocol):
    def listed(self) -> list[Neighbour]:
        """All that can be read, by name; not the space itself."""

    def find(self, told: str) -> Neighbour:
        """The one that a person means: by its id, its name where only one has it, or a path. Raises NotFound or
        InvalidInput, which say what to do."""

    def name_of(self, space_id: str) -> str:
        """What it is called now. Raises NotFound when it is not there any more."""

    def opened(self, space_id: str) -> AbstractContextManager[Store]:
        """Its store, for a moment. Raises a WaypostError where it is gone, locked or damaged."""
