"""What a database has to do for facts: their tree, their lifetimes, and the candidates that wait for approval."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol

from waypost.model.candidate import CandidateRow
from waypost.model.memory import Version
from waypost.model.recall import View

if TYPE_CHECKING:
    from waypost.store.protocol import Edge, Vector


class LifetimeRow(NamedTuple):
    """A memory whose time can run out."""

    memory_id: str
    expires_at: datetime
    on_expire: str
    ttl_seconds: int | None
    refresh: tuple[str, ...]
    is_stale: bool
    protected: bool


class FactReader(Protocol):
    def edges_of(
        self, memory_ids: Iterable[str], kinds: Sequence[str], *, known_at: datetime | None = None
    ) -> "list[Edge]":
        """The edges of these kinds that begin or end at one of these memories; as far as they were known then, if told."""

    def children(self, memory_ids: Iterable[str], view: View) -> list[Version]:
        """The visible versions whose parent is one of these."""

    def lifetimes(
        self,
        *,
        expired_by: datetime | None = None,
        refreshed: bool = False,
        protected: bool = False,
        archived: bool = False,
    ) -> list[LifetimeRow]:
        """Memories with a lifetime, soonest end first: that have reached it by then; or `refreshed`, which a file gives
        their time again. Those that are protected or archived are left out unless wanted, and so is what nobody holds
        any more, but not what is to be deleted at its end: its history is too."""

    def candidates(self, *, after: str = "", limit: int = 100) -> list[CandidateRow]:
        """What waits for approval, oldest first, from the one after this id."""

    def candidate(self, candidate_id: str, *, declined: bool = False) -> CandidateRow | None:
        """The one that waits under this id; or that was `declined`."""

    def candidates_like(
        self, fingerprints: Sequence[bytes], topics: Sequence[str], *, declined: bool = False
    ) -> list[CandidateRow]:
        """Those that wait and say one of these things, or speak on one of these topics; or those that were `declined`."""

    def declined_candidates(self, limit: int) -> list[CandidateRow]:
        """What was declined last, newest first."""

    def count_candidates(self) -> int: ...

    def domains(self, engine: str, view: View) -> "dict[str, tuple[int, Vector]]":
        """For each domain how many facts have a vector of this engine, and the mean of these vectors, of length 1. Facts
        count by their first passage; those without a domain are under "". For now these are the current facts, for
        another moment the visible ones."""

    def domains_of(self, numbers: Iterable[int]) -> dict[int, str]:
        """The domains of these versions."""

    def visible_versions(self, memory_ids: Iterable[str], view: View) -> dict[str, Version]:
        """What of these memories can be seen, by their ids."""


class FactWriter(FactReader, Protocol):
    def recount_domains(self, engine: str) -> None:
        """Make the means of the domains anew from the facts. They are kept with every write; this is for doubt."""

    def put_candidate(self, row: CandidateRow) -> None:
        """Add it, or replace the one with the same id."""

    def drop_candidates(self, candidate_ids: Iterable[str]) -> int:
        """Remove them and, as far as the file goes, their words. Returns how many there were."""
