"""What a database has to know of the journal: which files it has read, and which entries stand in them."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from waypost.model.memory import Version
from waypost.model.recall import View


class KnownFile(NamedTuple):
    """A file as it was when it was read or written last."""

    size: int
    mtime: int
    gzipped: bool


class PlacedEntry(NamedTuple):
    """An entry in a file."""

    path: str
    memory_id: str
    place: int  # from 0, in the order of the file
    digest: bytes
    since: datetime
    by_hand: bool = False


class JournalReader(Protocol):
    def journal_files(self, journal: str, *, archive: bool = True) -> dict[str, KnownFile]:
        """The files of a journal by their paths; with or without those of its archive."""

    def journal_places(self, journal: str, paths: Iterable[str]) -> list[PlacedEntry]:
        """The entries of these files, in order."""

    def places_of(self, memory_ids: Iterable[str]) -> list[tuple[str, PlacedEntry]]:
        """Where these memories stand: the journal, and the place in it."""

    def places_like(self, journal: str, digests: Sequence[bytes]) -> list[PlacedEntry]:
        """The places with these very words."""

    def unfiled(self, limit: int) -> list[str]:
        """Memories of the journal's kinds that stand in no file of any journal, in the order they were recorded."""

    def said_between(self, start: datetime, end: datetime, view: View) -> list[Version]:
        """The visible entries of the journal that were said from then until before then, in order."""


class JournalWriter(Protocol):
    def put_journal_file(self, journal: str, path: str, known: KnownFile, places: Sequence[PlacedEntry]) -> None:
        """From now on this is what is known of the file."""

    def extend_journal_file(
        self, journal: str, path: str, known: KnownFile | None, places: Sequence[PlacedEntry]
    ) -> None:
        """More entries stand in the file, behind the others; it looks so now, if that is told."""

    def drop_journal_file(self, journal: str, path: str) -> None: ...
