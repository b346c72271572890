"""Code: checkouts, their files, and the memories derived from them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from waypost.model.memory import Version
from waypost.model.recall import View
from waypost.store.memories import PassageRow


class CodeSketch(NamedTuple):
    """What ranking needs of a derived memory: everything but its text."""

    number: int
    memory_id: str
    kind: str
    type: str  # "method", "class", "section" …
    name: str
    path: str
    line: int
    end_line: int
    language: str
    traits: int
    referrers: int  # other files that use something of its file


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file of a checkout as it was when it was indexed."""

    path: str
    size: int
    mtime_ns: int
    hash: str  # SHA-256 of its bytes, in hexadecimal digits
    language: str
    lines: int
    changed_at: datetime


class DerivedRow(NamedTuple):
    """What indexing needs of a derived memory."""

    number: int
    memory_id: str
    kind: str
    name: str
    path: str
    fingerprint: bytes


class CodeReader(Protocol):
    def checkouts(self) -> dict[str, str]:
        """Ids and roots of the checkouts that have used this space."""

    def latest_checkout(self) -> str | None:
        """The id of the checkout that was added last."""

    def files(self, checkout_id: str, paths: Iterable[str] | None = None) -> dict[str, FileRow]:
        """Indexed files of a checkout, all or these, ordered by path."""

    def digests(self, checkout_id: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Path and digest of every indexed file, ordered by path."""

    def tracked(self, checkout_id: str) -> list[str]:
        """Paths that were reported as changed and not indexed since."""

    def has_any(self, checkout_id: str | None) -> bool:
        """Whether this checkout has derived memories. None means any checkout."""

    def derived(self, checkout_id: str, paths: Iterable[str], kinds: Sequence[str]) -> list[DerivedRow]:
        """The current memories of these kinds derived from these files."""

    def derived_of_kind(self, checkout_id: str, kind: str) -> list[DerivedRow]: ...

    def derived_counts(self, checkout_id: str) -> dict[tuple[str, str], int]:
        """How many derived memories there are of each kind and type."""

    def sketches(self, numbers: Iterable[int]) -> dict[int, CodeSketch]: ...

    # These return version numbers.

    def symbols_named(self, names: Sequence[str], limit: int, view: View) -> list[int]:
        """Symbols whose name after the last dot is one of these, in any case."""

    def symbols_with_id(self, symbol_id: str, view: View) -> list[int]:
        """Symbols with this SCIP id."""

    def files_ending(self, endings: Sequence[str], limit: int, view: View) -> list[int]:
        """Files whose path is one of these or ends with one of them."""

    def files_at(self, paths: Iterable[str], view: View) -> list[int]:
        """Files with exactly these paths."""


class CodeWriter(CodeReader, Protocol):
    def add_checkout(self, checkout_id: str, root: str, at: datetime) -> None: ...

    def put_file(self, checkout_id: str, row: FileRow, digest: Mapping[str, Any]) -> None: ...

    def touch_file(self, checkout_id: str, row: FileRow) -> None:
        """Update size and times of a file whose content is the same. The digest stays."""

    def drop_file(self, checkout_id: str, path: str) -> None: ...

    def set_referrers(self, checkout_id: str, referrers: Mapping[str, int]) -> None:
        """Set how many other files use something of each file; 0 for files that are not named."""

    def track(self, checkout_id: str, paths: Iterable[str]) -> None: ...

    def untrack(self, checkout_id: str, paths: Iterable[str]) -> None: ...

    def add_derived(
        self, items: Sequence[tuple[Version, Sequence[PassageRow]]], engines: Sequence[str], *, urgency: float = 1.0
    ) -> None:
        """As `MemoryWriter.add`, for many derived memories."""

    def move_derived(self, number: int, version: Version) -> None:
        """Replace everything but the text and passages of a derived memory."""

    def replace_derived(
        self,
        number: int,
        version: Version,
        passages: Sequence[PassageRow],
        engines: Sequence[str],
        *,
        urgency: float = 1.0,
    ) -> None:
        """Replace a derived memory with its text and passages."""

    def erase_derived(self, rows: Sequence[DerivedRow]) -> None:
        """Remove derived memories and everything that belongs to them."""
