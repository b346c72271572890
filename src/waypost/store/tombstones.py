"""Tombstones: marks of what was rejected or forgotten, so that it is not added again."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Protocol


class TombstoneReader(Protocol):
    def any(self) -> bool:
        """Whether anything was ever rejected or forgotten here."""

    def matching(self, digests: Sequence[bytes]) -> set[bytes]:
        """Which of these digests have a tombstone."""


class TombstoneWriter(TombstoneReader, Protocol):
    def add(self, digest: bytes, at: datetime, cause: str = "") -> None:
        """All tombstones of one rejection have the same `cause`, which contains none of the text."""

    def remove(self, digests: Iterable[bytes]) -> int:
        """Remove these tombstones and all others of the same rejections. Returns how many there were."""
