"""What a person has to review: candidates to approve, and expired facts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from waypost.flows.facts.candidates import candidate_of, key_of, pending_candidates
from waypost.flows.open_space import OpenSpace
from waypost.flows.versions.current import current_versions
from waypost.flows.write.lifetime import expired_memories
from waypost.flows.write.proposals import proposal_of
from waypost.model.candidate import Candidate, CandidateRow
from waypost.model.code_link import LinkedMemory
from waypost.model.memory import Version
from waypost.model.time import format_time
from waypost.store.protocol import Reader


@dataclass(frozen=True, slots=True)
class Review:
    candidates: tuple[tuple[CandidateRow, Candidate], ...]  # most certain first
    stale: tuple[LinkedMemory, ...]  # expired, longest ago first
    replaced: Mapping[str, Version] = field(default_factory=dict)  # what a candidate would change, by its id

    def to_json(self) -> dict[str, Any]:
        return {
            "candidates": [
                candidate_row(row, candidate) | _changes_of(row, self.replaced.get(row.candidate_id))
                for row, candidate in self.candidates
            ],
            "pending_approval": len(self.candidates),
            "stale": [_expired(memory) for memory in self.stale],
        }


def declined(space: OpenSpace, limit: int) -> list[tuple[CandidateRow, Candidate]]:
    """Rejected candidates, newest first."""
    with space.store.read() as reader:
        return [(row, candidate_of(row)) for row in reader.facts.declined_candidates(limit)]


def review(space: OpenSpace, *, include_archived: bool = False) -> Review:
    candidates = tuple(pending_candidates(space))
    with space.store.read() as reader:
        replaced = {row.candidate_id: _changed_by(reader, row) for row, _ in candidates}
    changed = {candidate_id: version for candidate_id, version in replaced.items() if version is not None}
    return Review(candidates, tuple(expired_memories(space, include_archived=include_archived)), changed)


def _changed_by(reader: Reader, row: CandidateRow) -> Version | None:
    proposal = proposal_of(row)
    if proposal is not None:
        current = current_versions(reader, proposal.target)
        return current[-1] if current else None
    key = key_of(row.topic)
    stored = reader.memories.with_key(key) if key else None
    return None if stored is None or stored.fingerprint == row.fingerprint else stored


def _changes_of(row: CandidateRow, changed: Version | None) -> dict[str, Any]:
    proposal = proposal_of(row)
    changes: dict[str, Any] = {}
    if proposal is not None:
        changes = {"action": proposal.action, "proposed_by": dict(proposal.by)}
    if changed is not None:
        changes |= {"replaces": changed.memory_id, "replaces_text": changed.text}
    return changes


def candidate_row(row: CandidateRow, candidate: Candidate) -> dict[str, Any]:
    return {
        "id": row.candidate_id,
        "content": candidate.text,
        "text": candidate.text,
        "kind": candidate.kind,
        "confidence": round(row.confidence, 2),
        "source": row.origin,
        "level": candidate.level,
        "domain": candidate.domain or None,
        "module": candidate.module or None,
        "topic": row.topic or None,
        "refs": list(candidate.refs),
        "evidence": list(candidate.evidence),
        "reason": row.reason or None,
        "time": None if candidate.time is None else format_time(candidate.time),
        "made_at": format_time(row.made_at),
    }


def _expired(memory: LinkedMemory) -> dict[str, Any]:
    state = memory.state
    return memory.to_json() | {
        "level": memory.version.level,
        "domain": memory.version.domain or None,
        "expires_at": None if state.expires_at is None else format_time(state.expires_at),
        "on_expire": state.on_expire,
        "archived_at": None if state.archived_at is None else format_time(state.archived_at),
    }
