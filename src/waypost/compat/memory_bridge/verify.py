"""After an import: is every row of the source accounted for, and does what was added read as it was written?"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from waypost.flows.move.imports import batches
from waypost.flows.open_space import OpenSpace
from waypost.store.protocol import Edge

if TYPE_CHECKING:
    from waypost.compat.memory_bridge.write import BridgeRows

_PAGE = 500


@dataclass(frozen=True, slots=True)
class Verified:
    rows: int  # of the source
    accounted: int  # rows of which is known what became of them
    readable: int  # of what was added
    checksum: str  # over the words of what was added, as they are read now
    links: int  # that are here
    problems: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        return not self.problems

    def to_json(self) -> dict[str, Any]:
        return {
            "complete": self.is_complete,
            "rows": self.rows,
            "accounted": self.accounted,
            "readable": self.readable,
            "checksum": self.checksum,
            "links": self.links,
            "problems": list(self.problems),
        }


def verify(space: OpenSpace, taken: "BridgeRows", links: Sequence[Edge], rows: int) -> Verified:
    total = readable = present = 0
    with space.store.read() as reader:
        for memory_id in taken.own:
            versions = reader.memories.versions(memory_id)
            if versions:
                total = (total + checksum(memory_id, versions[0].text)) % (1 << 256)
                readable += any(version.superseded_at is None for version in versions)
        for batch in batches(links, _PAGE):
            there = {
                (e.kind, e.from_id, e.to_id) for e in reader.edges.of_kinds({e.from_id for e in batch}, _kinds(batch))
            }
            present += sum((one.kind, one.from_id, one.to_id) in there for one in batch)
    accounted = sum(taken.statuses.values())
    problems = []
    if accounted != rows:
        problems.append(f"{rows:,} rows were counted, and {accounted:,} were seen")
    if total != taken.words:
        problems.append("what was added does not read as it was written")
    if readable != len(taken.own):
        problems.append(f"{len(taken.own) - readable:,} of {len(taken.own):,} that were added are not there any more")
    if present != len(links):
        problems.append(f"{len(links) - present:,} of {len(links):,} links are missing")
    return Verified(rows, accounted, readable, f"{total:064x}", present, tuple(problems))


def _kinds(links: Sequence[Edge]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.kind for one in links))


def checksum(memory_id: str, text: str) -> int:
    """Sums of these are equal only for the same words under the same ids, in whatever order."""
    return int.from_bytes(hashlib.sha256(f"{memory_id}\0{text}".encode()).digest(), "big")
