"""What each database does in its own way when it writes: keyword indexes, vectors and row numbers."""

from collections.abc import Sequence
from typing import Protocol

from waypost.store.memories import PassageRow


class SearchIndex(Protocol):
    def add_keywords(self, passages: Sequence[tuple[int, PassageRow]]) -> None:
        """Index the terms of passages, by passage id.

        Those with `code_terms` go into the code index, those with `terms` into the prose index, others into none.
        """

    def drop_keywords(self, passage_ids: Sequence[int]) -> None:
        """Remove these passages, which are still in their table, from both indexes."""

    def add_vectors(self, rows: Sequence[tuple[int, bytes, str, bytes]]) -> None:
        """Insert (engine id, hash, language, packed vector) where the engine has none for the hash."""

    def load_vectors(self, rows: Sequence[tuple[int, int, bytes, str, bytes]]) -> None:
        """Insert (vector id, engine id, hash, language, packed vector)."""

    def last_number(self, table: str, key: str) -> int:
        """The highest number that this key of a table ever had, as far as the database knows."""

    def set_last_number(self, table: str, key: str, number: int) -> None:
        """Continue counting from this number."""
