"""Which rows go when memories are erased, in the database and in its snapshots."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from waypost.facts.identity import tombstone
from waypost.facts.rejection.marks import rejection_marks
from waypost.flows.journal_files.adopt import id_mark
from waypost.flows.journal_files.write import is_filed
from waypost.flows.write.proposals import proposals_about, topic_about
from waypost.model.candidate import CandidateRow
from waypost.model.memory import Version
from waypost.store.protocol import Reader, Writer

PIECE = 48  # characters: too long to occur in another memory by chance
_MOST_PIECES = 16


@dataclass(slots=True)
class ErasureTargets:
    """What to erase: memories and candidates by id, and every version with one of these fingerprints."""

    ids: set[str] = field(default_factory=set)
    fingerprints: set[bytes] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(self.ids or self.fingerprints)

    @property
    def topics(self) -> list[str]:
        """Topics of the proposals about these memories."""
        return [topic_about(memory_id) for memory_id in self.ids]

    def to_json(self) -> str:
        row = {"ids": sorted(self.ids), "fingerprints": sorted(fingerprint.hex() for fingerprint in self.fingerprints)}
        return json.dumps(row) if self else ""

    @classmethod
    def of(cls, text: str | None) -> "ErasureTargets":
        row = json.loads(text or "{}")
        return cls(set(row.get("ids", ())), {bytes.fromhex(digest) for digest in row.get("fingerprints", ())})


@dataclass(frozen=True, slots=True)
class TargetRows:
    """The rows of one database that will be erased."""

    versions: list[Version]
    memories: set[str]  # those that lose every version
    same: list[CandidateRow]  # candidates, pending or rejected, with the same value or one of the ids
    about: list[CandidateRow]  # other proposals about these memories, pending or rejected

    @property
    def candidates(self) -> list[CandidateRow]:
        return [*self.same, *self.about]

    @property
    def candidate_texts(self) -> list[str]:
        return [str(row.draft.get("text", "")) for row in self.candidates]

    @property
    def texts(self) -> list[str]:
        return [version.text for version in self.versions] + self.candidate_texts


def rows_to_erase(reader: Reader, targets: ErasureTargets) -> TargetRows:
    versions = {version.number: version for memory_id in targets.ids for version in reader.memories.versions(memory_id)}
    for value in targets.fingerprints:
        versions |= {version.number: version for version in reader.memories.with_fingerprint(value)}
    touched = {version.memory_id for version in versions.values()}
    emptied = {
        memory_id
        for memory_id in touched
        if all(version.number in versions for version in reader.memories.versions(memory_id))
    }
    memories = emptied | targets.ids
    same, about = dict[str, CandidateRow](), dict[str, CandidateRow]()
    for declined in (False, True):
        same |= _by_id(reader.facts.candidates_like(sorted(targets.fingerprints), [], declined=declined))
        same |= _by_id(
            row
            for memory_id in targets.ids
            if (row := reader.facts.candidate(memory_id, declined=declined)) is not None
        )
        about |= _by_id(row for memory_id in memories for row in proposals_about(reader, memory_id, declined=declined))
    others = [row for candidate_id, row in about.items() if candidate_id not in same]
    return TargetRows(list(versions.values()), memories, list(same.values()), others)


def erase_rows(writer: Writer, rows: TargetRows) -> dict[str, int]:
    """Erase the rows. Returns the number of erased versions for each memory."""
    numbers: dict[str, list[int]] = {}
    for version in rows.versions:
        numbers.setdefault(version.memory_id, []).append(version.number)
    for memory_id, own in numbers.items():
        writer.memories.erase(memory_id, own)
    writer.facts.drop_candidates(row.candidate_id for row in rows.candidates)
    return {memory_id: len(own) for memory_id, own in numbers.items()}


def _by_id(rows: Iterable[CandidateRow]) -> dict[str, CandidateRow]:
    return {row.candidate_id: row for row in rows}


def erased_marks(key: bytes, version: Version) -> list[bytes]:
    """The tombstones to leave for a forgotten version.

    A journal entry is also recognised by its id, and by its text without a time.
    """
    if not is_filed(version):
        return rejection_marks(key, version)
    timeless = replace(version, time=None)
    return [*rejection_marks(key, version), tombstone(key, timeless), id_mark(key, version.memory_id)]


def traces_of(texts: Iterable[str]) -> list[str]:
    """Pieces of these texts. A file that contains none of them holds nothing of the texts."""
    pieces: dict[str, None] = {}
    for text in texts:
        step = max(PIECE, len(text) // _MOST_PIECES)
        for start in range(0, len(text), step):
            pieces[text[start : start + PIECE]] = None
    return [piece for piece in pieces if len(piece) >= PIECE // 2][:_MOST_PIECES]
