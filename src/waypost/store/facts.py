"""Facts: their tree, lifetimes, domains, and pending candidates."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol

from waypost.model.candidate import CandidateRow
from waypost.model.memory import Version
from waypost.model.recall import View

if TYPE_CHECKING:
    from waypost.store.vectors import Vector


class LifetimeRow(NamedTuple):
    """A memory that can expire."""

    memory_id: str
    expires_at: datetime
    on_expire: str
    ttl_seconds: int | None
    refresh: tuple[str, ...]
    is_stale: bool
    protected: bool


class FactReader(Protocol):
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
        """Memories with a lifetime, soonest end first.

        `expired_by` keeps those that have expired by then; `refreshed` keeps those whose TTL a file restarts.
        Protected and archived memories are left out by default. So are memories without a current version,
        except those to be deleted on expiry: their history goes too.
        """

    def candidates(self, *, after: str = "", limit: int = 100) -> list[CandidateRow]:
        """Pending candidates with an id above `after`, oldest first."""

    def candidate(self, candidate_id: str, *, declined: bool = False) -> CandidateRow | None:
        """The waiting candidate with this id, or the declined one."""

    def candidates_like(
        self, fingerprints: Sequence[bytes], topics: Sequence[str], *, declined: bool = False
    ) -> list[CandidateRow]:
        """Waiting (or declined) candidates with one of these fingerprints or topics."""

    def declined_candidates(self, limit: int) -> list[CandidateRow]:
        """The candidates declined last, newest first."""

    def count_candidates(self) -> int: ...

    def domains(self, engine: str, view: View) -> "dict[str, tuple[int, Vector]]":
        """For each domain the number of facts with a vector of this engine, and the unit mean of these vectors.

        A fact counts by its first passage. Facts without a domain are under "". For the current moment these are the
        current facts, for another moment the visible ones.
        """

    def domains_of(self, numbers: Iterable[int]) -> dict[int, str]:
        """The domains of these versions."""


class FactWriter(FactReader, Protocol):
    def put_candidate(self, row: CandidateRow) -> None:
        """Add it, or replace the one with the same id."""

    def drop_candidates(self, candidate_ids: Iterable[str]) -> int:
        """Remove candidates and, as far as the file goes, their text. Returns how many there were."""

    def recount_domains(self, engine: str) -> None:
        """Compute the means of the domains again from the facts. Writes keep them up to date; this repairs them."""
