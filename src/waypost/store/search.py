"""Search by keywords and by vectors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

from waypost.model.recall import View

if TYPE_CHECKING:
    from waypost.store.vectors import Vector


class FoundPassage(NamedTuple):  # hundreds are made for each question: a tuple takes a quarter of a dataclass's time
    """A passage that matches, and the version it belongs to."""

    passage_id: int
    number: int  # of the version
    memory_id: str
    score: float  # higher is better: BM25 or cosine


@dataclass(frozen=True, slots=True)
class Population:
    """How an engine's cosines for one question spread over all passages of a language."""

    count: int
    mean: float
    deviation: float


@dataclass(frozen=True, slots=True)
class VectorAnswer:
    hits: tuple[FoundPassage, ...]
    population: Mapping[str, Population]  # by language


@dataclass(frozen=True, slots=True)
class TermCounts:
    """How common words are, whatever a view shows."""

    passages: int  # in all
    counts: Mapping[str, int]  # passages by term; terms that are nowhere are missing


@dataclass(frozen=True, slots=True)
class Twin:
    """A current memory whose passage resembles one of the given vectors."""

    index: int  # of the given vector
    number: int
    memory_id: str
    similarity: float


class SearchReader(Protocol):
    def keywords(self, terms: Sequence[str], limit: int, view: View) -> list[FoundPassage]: ...

    def code_keywords(
        self, terms: Sequence[str], weights: Sequence[float], limit: int, view: View
    ) -> list[FoundPassage]:
        """As `keywords`, over code. `weights` are those of name, path, doc and body."""

    def term_counts(self, terms: Sequence[str]) -> "TermCounts":
        """How many passages contain each term, prose and code together."""

    def vectors(self, engine: str, vector: "Vector", limit: int, view: View) -> VectorAnswer: ...

    def vector_scores(self, engine: str, vector: "Vector", numbers: Sequence[int]) -> dict[int, float]:
        """The best cosine of each version's passages."""

    def cosines_between(self, engine: str, numbers: Sequence[int]) -> dict[tuple[int, int], float]:
        """The best cosine of the passages of each two of these versions, by (lower number, higher number)."""

    def twins(
        self, engine: str, vectors: "Vector", kind: str, domain: str, above: float, since_number: int = 0
    ) -> list[Twin]:
        """Current memories of this kind and domain with a number above `since_number` that resemble a given vector."""


class SearchWriter(SearchReader, Protocol):
    def drop_damaged_keywords(self) -> None:
        """Empty a damaged keyword index, so that `MemoryChanges.replace_passages` can fill it again."""
