"""The journal: which files have been read, and which entries they contain."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from waypost.model.memory import Version
from waypost.model.recall import View


class KnownFile(NamedTuple):
    """A file as it was when it was last read or written."""

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
    def files(self, journal: str, *, archive: bool = True) -> dict[str, KnownFile]:
        """The files of a journal by path, with or without its archive."""

    def places(self, journal: str, paths: Iterable[str]) -> list[PlacedEntry]:
        """The entries of these files, in order."""

    def places_of(self, memory_ids: Iterable[str]) -> list[tuple[str, PlacedEntry]]:
        """Journal and place of each of these memories."""

    def places_like(self, journal: str, digests: Sequence[bytes]) -> list[PlacedEntry]:
        """The places with exactly this text."""

    def unfiled(self, limit: int) -> list[str]:
        """Ids of journal memories that are in no file of any journal, in the order they were recorded."""

    def entries_between(self, start: datetime, end: datetime, view: View) -> list[Version]:
        """The visible entries from `start` until before `end`, in order."""


class JournalWriter(JournalReader, Protocol):
    def put_file(self, journal: str, path: str, file: KnownFile, places: Sequence[PlacedEntry]) -> None:
        """Replace what is stored about the file."""

    def extend_file(self, journal: str, path: str, file: KnownFile | None, places: Sequence[PlacedEntry]) -> None:
        """Add entries at the end of the file; `file` also updates its size and time."""

    def drop_file(self, journal: str, path: str) -> None: ...
