"""Code references of memories, and the verdicts on them: whether the code has changed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

from waypost.model.code_verdict import CodeVerdict
from waypost.model.recall import View
from waypost.model.reference import CodeReference


class ReferenceRow(NamedTuple):
    """A reference of a version: its `place`-th."""

    number: int
    place: int
    memory_id: str
    reference: CodeReference


@dataclass(frozen=True, slots=True)
class StoredVerdict:
    """The verdict on a reference in one checkout, for one content of its file."""

    number: int
    place: int
    file_hash: bytes  # SHA-256 of the referenced file; empty if it is missing
    finding: CodeVerdict
    checked_at: datetime
    since: datetime | None = None  # when the referenced code changed
    target_hash: bytes = b""  # of the file the code moved to, if it moved
    tree: str = ""  # state of the checkout, if the verdict depends on more than these files


class ReferenceReader(Protocol):
    def visible(self, view: View, *, numbers: Iterable[int] | None = None) -> list[ReferenceRow]:
        """References of visible memories, all or of these versions. Derived memories are left out."""

    def to_files(self, checkout_id: str, paths: Sequence[str], view: View) -> list[ReferenceRow]:
        """References that name one of these files, or whose code moved there by the current verdict of this checkout.

        A path that ends with `/` stands for everything below it.
        """

    def verdicts(self, checkout_id: str, numbers: Iterable[int]) -> dict[tuple[int, int], StoredVerdict]:
        """The current verdicts on the references of these versions, by version and place."""

    def verdicts_for(
        self, checkout_id: str, files: Mapping[tuple[int, int], bytes]
    ) -> dict[tuple[int, int], StoredVerdict]:
        """Verdicts for these contents of the referenced files, current or not."""

    def count_old_verdicts(self, before: datetime) -> int:
        """How many verdicts `drop_old_verdicts` would remove."""


class ReferenceWriter(ReferenceReader, Protocol):
    def put_verdicts(self, checkout_id: str, verdicts: Iterable[StoredVerdict]) -> None:
        """Make these verdicts current. Earlier ones are kept for the contents they were made for."""

    def inherit_verdicts(self, old: int, new: int) -> None:
        """Copy verdicts of the version `old` to the references of `new` that point at the same code."""

    def repin(self, number: int, place: int, reference: CodeReference) -> None:
        """Replace a reference and remove all verdicts on it."""

    def drop_old_verdicts(self, before: datetime) -> int:
        """Remove verdicts checked before that are not current, or that belong to superseded versions.

        Returns how many.
        """
