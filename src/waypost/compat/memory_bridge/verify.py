"""Verifies an import: every row of the source is accounted for, and every added memory has the right text."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from waypost.flows.move.imports import batches
from waypost.flows.open_space import OpenSpace
from waypost.model.json_row import json_row
from waypost.store.protocol import Edge

if TYPE_CHECKING:
    from waypost.compat.memory_bridge.write import BridgeTally

_PAGE = 500


@dataclass(frozen=True, slots=True)
class BridgeVerification:
    rows: int  # of the source
    accounted: int  # rows with a status
    readable: int  # added memories that can be read
    checksum: str  # over the current text of the added memories
    links: int  # that exist
    problems: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        return not self.problems

    def to_json(self) -> dict[str, Any]:
        return json_row(self, complete=self.is_complete)


def verify(space: OpenSpace, tally: "BridgeTally", links: Sequence[Edge], rows: int) -> BridgeVerification:
    total = readable = present = 0
    with space.store.read() as reader:
        for memory_id in tally.own:
            versions = reader.memories.versions(memory_id)
            if versions:
                total = (total + checksum(memory_id, versions[0].text)) % (1 << 256)
                readable += any(version.superseded_at is None for version in versions)
        for batch in batches(links, _PAGE):
            there = {
                (e.kind, e.from_id, e.to_id) for e in reader.edges.of_kinds({e.from_id for e in batch}, _kinds(batch))
            }
            present += sum((link.kind, link.from_id, link.to_id) in there for link in batch)
    accounted = sum(tally.statuses.values())
    problems = []
    if accounted != rows:
        problems.append(f"{accounted:,} of {rows:,} rows are accounted for")
    if total != tally.words:
        problems.append("the text of added memories differs from what was written")
    if readable != len(tally.own):
        problems.append(f"{len(tally.own) - readable:,} of {len(tally.own):,} added memories are missing")
    if present != len(links):
        problems.append(f"{len(links) - present:,} of {len(links):,} links are missing")
    return BridgeVerification(rows, accounted, readable, f"{total:064x}", present, tuple(problems))


def _kinds(links: Sequence[Edge]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(link.kind for link in links))


def checksum(memory_id: str, text: str) -> int:
    """A number whose sum over several memories is the same only for the same ids and texts, in any order."""
    return int.from_bytes(hashlib.sha256(f"{memory_id}\0{text}".encode()).digest(), "big")
