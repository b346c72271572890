"""Code references of memories, and the verdicts on them: whether the code has changed."""

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from waypost.model.code_verdict import CausingCommit, CodeVerdict
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
    cause: CausingCommit | None = None  # the commit that made it stale
    cause_searched_at: str = ""  # the commit that was checked out when no cause was found
