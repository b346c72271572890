"""Memories: their versions, states, and the passages that make them searchable."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from waypost.model.memory import State, Version
from waypost.model.recall import View
from waypost.model.time import Moment


@dataclass(frozen=True, slots=True)
class PassageRow:
    """A piece of a version as it is indexed."""

    content_hash: bytes  # of the text to embed; empty if only keywords find it
    language: str  # starts with "code" for code, which is searched separately from prose
    terms: str = ""  # for the keyword index: stems and whole identifiers, separated by spaces
    code_terms: tuple[str, str, str, str] | None = None  # for the code keyword index: name, path, doc, body


class VersionSketch(NamedTuple):
    """What ranking needs of a version: everything but its text."""

    number: int
    memory_id: str
    kind: str
    collection: str
    level: int | None
    session: str | None
    position: int
    speaker: str | None
    language: str
    traits: int
    micros: int  # when it was said or began to be true


@dataclass(frozen=True, slots=True)
class Filter:
    """Which memories a listing contains."""

    kinds: tuple[str, ...] = ()
    level: int | None = None
    domain: str | None = None
    session: str | None = None
    tags: tuple[tuple[str, str], ...] = ()
    module: str | None = None


class MemoryReader(Protocol):
    def version(self, memory_id: str, moment: Moment) -> Version | None:
        """The version of this memory that is visible at the moment."""

    def versions(self, memory_id: str) -> list[Version]:
        """All versions ever recorded, oldest first."""

    def ids_from(self, beginning: str, limit: int) -> list[str]:
        """Ids of memories and of facts that need review which begin so, in order."""
        ...

    def ids_beside(self, memory_ids: Iterable[str]) -> dict[str, tuple[str, str]]:
        """For each that exists, the id before and the one after it in alphabetical order; empty at the ends."""
        ...

    def by_number(self, numbers: Iterable[int]) -> dict[int, Version]: ...

    def visible(self, memory_ids: Iterable[str], view: View) -> dict[str, Version]:
        """The visible versions of these memories, by memory id."""

    def listing(self, view: View, chosen: Filter, *, after: int = 0, limit: int = 100) -> list[Version]:
        """Visible versions with a number above `after`, in the order they were recorded."""

    def latest(self, view: View, chosen: Filter, limit: int) -> list[Version]:
        """The visible versions recorded last, oldest of them first."""

    def states(self, memory_ids: Iterable[str]) -> dict[str, State]: ...

    def with_key(self, key: str) -> Version | None:
        """The current version with this caller-given key."""

    def with_fingerprint(self, fingerprint: bytes) -> list[Version]:
        """Every version, current or not, with exactly this content and scope, oldest first."""

    def sketches(self, numbers: Iterable[int]) -> dict[int, VersionSketch]: ...

    def followers(self, numbers: Iterable[int], reach: int, view: View) -> list[VersionSketch]:
        """Visible versions at most `reach` positions after one of these, in the same session."""

    def neighbours(self, memory_ids: Iterable[str], reach: int, view: View) -> list[VersionSketch]:
        """These memories and the visible versions at most `reach` positions before or after them."""

    def speakers(self, limit: int) -> list[str]:
        """Names of all speakers, in alphabetical order."""

    def last_number(self) -> int: ...

    def counts(self, view: View) -> dict[str, int]:
        """Visible memories in each collection."""


class MemoryWriter(MemoryReader, Protocol):
    def add(
        self, version: Version, passages: Sequence[PassageRow], engines: Sequence[str], *, urgency: float = 1.0
    ) -> int:
        """Store a version with its passages and return its number.

        Texts that `engines` have not embedded become pending. The most urgent are embedded first.
        """

    def supersede(self, number: int, at: datetime) -> None: ...

    def set_state(self, memory_id: str, **changes: Any) -> None:
        """Change fields of the memory's `State`."""

    def erase(self, memory_id: str, numbers: Sequence[int]) -> None:
        """Remove these versions, and with the last one everything that belongs to the memory.

        Call `Store.scrub` afterwards to remove the traces.
        """

    def replace_passages(self, number: int, passages: Sequence[PassageRow], engines: Sequence[str]) -> None:
        """Index a version again. Vectors of unchanged texts stay."""
