"""What a database has to do for a memory to be moved to another: give and take its tables row by row."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from waypost.store.protocol import PassageRow
    from waypost.store.tables import MovedTable

Row = tuple[Any, ...]  # flags as bool, vectors packed, JSON as it is written


class PassagePlace(NamedTuple):
    """A passage that is stored, and which one of its version's it is."""

    number: int
    place: int
    content_hash: bytes


class TableReader(Protocol):
    def count(self, table: "MovedTable") -> int: ...

    def rows(self, table: "MovedTable", after: Sequence[Any] | None, limit: int) -> list[Row]:
        """The next rows behind this key, in the order of their keys; without one, the first. Notes of a move are not
        among them."""

    def passage_places(self, numbers: Iterable[int]) -> dict[int, PassagePlace]:
        """All passages of these versions by their ids."""

    def keyword_counts(self) -> dict[str, int]:
        """How many passages each index of keywords holds."""


class TableWriter(TableReader, Protocol):
    def load(self, table: "MovedTable", rows: Sequence[Row]) -> None:
        """Rows that are not there yet."""

    def put(self, table: "MovedTable", rows: Sequence[Row]) -> None:
        """Rows in place of those with the same keys, if there are any."""

    def drop(self, table: "MovedTable", keys: Sequence[Sequence[Any]]) -> None:
        """Remove these rows; passages with their keywords."""

    def index_keywords(self, passages: Sequence[tuple[int, "PassageRow"]]) -> None:
        """Put passages, by their ids, into the indexes of keywords."""

    def last_numbers(self) -> dict[str, int]:
        """The highest number that was ever given in each table that counts."""

    def set_last_numbers(self, numbers: Mapping[str, int]) -> None:
        """From now on higher numbers than these are given."""
