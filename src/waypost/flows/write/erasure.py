"""Which rows go when memories are erased: the same ones in the memory itself and in its snapshots."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field

from waypost.flows.facts.proposals import proposals_about, topic_about
from waypost.model.candidate import CandidateRow
from waypost.model.memory import Version
from waypost.store.protocol import Reader, Writer


@dataclass(slots=True)
class Doomed:
    """What is to be erased: memories and candidates by their ids, and every version that says one of these things."""

    ids: set[str] = field(default_factory=set)
    fingerprints: set[bytes] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(self.ids or self.fingerprints)

    @property
    def topics(self) -> list[str]:
        """Those of the proposals about these memories."""
        return [topic_about(one) for one in self.ids]

    def to_json(self) -> str:
        told = {"ids": sorted(self.ids), "fingerprints": sorted(one.hex() for one in self.fingerprints)}
        return json.dumps(told) if self else ""

    @classmethod
    def of(cls, told: str | None) -> "Doomed":
        given = json.loads(told or "{}")
        return cls(set(given.get("ids", ())), {bytes.fromhex(one) for one in given.get("fingerprints", ())})


@dataclass(frozen=True, slots=True)
class DoomedRows:
    """What a database holds of it."""

    versions: list[Version]
    memories: set[str]  # those that lose every version
    same: list[CandidateRow]  # candidates that say the same, or have one of the ids; in review or rejected
    about: list[CandidateRow]  # other proposals about these memories; in review or rejected

    @property
    def candidates(self) -> list[CandidateRow]:
        return [*self.same, *self.about]

    @property
    def candidate_texts(self) -> list[str]:
        return [str(row.draft.get("text", "")) for row in self.candidates]

    @property
    def texts(self) -> list[str]:
        return [version.text for version in self.versions] + self.candidate_texts


def doomed_rows(reader: Reader, doomed: Doomed) -> DoomedRows:
    found = {version.number: version for one in doomed.ids for version in reader.versions(one)}
    for value in doomed.fingerprints:
        found |= {version.number: version for version in reader.find_fingerprint(value)}
    touched = {version.memory_id for version in found.values()}
    emptied = {one for one in touched if all(version.number in found for version in reader.versions(one))}
    memories = emptied | doomed.ids
    same, about = dict[str, CandidateRow](), dict[str, CandidateRow]()
    for declined in (False, True):
        same |= _by_id(reader.candidates_like(sorted(doomed.fingerprints), [], declined=declined))
        same |= _by_id(row for one in doomed.ids if (row := reader.candidate(one, declined=declined)) is not None)
        about |= _by_id(row for one in memories for row in proposals_about(reader, one, declined=declined))
    others = [row for one, row in about.items() if one not in same]
    return DoomedRows(list(found.values()), memories, list(same.values()), others)


def erase_rows(writer: Writer, rows: DoomedRows) -> dict[str, int]:
    """Erase them. Returns how many versions went of each memory."""
    numbers: dict[str, list[int]] = {}
    for version in rows.versions:
        numbers.setdefault(version.memory_id, []).append(version.number)
    for memory_id, own in numbers.items():
        writer.erase(memory_id, own)
    writer.drop_candidates(row.candidate_id for row in rows.candidates)
    return {memory_id: len(own) for memory_id, own in numbers.items()}


def _by_id(rows: Iterable[CandidateRow]) -> dict[str, CandidateRow]:
    return {row.candidate_id: row for row in rows}
