"""What waits for a person: candidates to be approved, and facts whose time has run out."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from waypost.flows.facts.candidates import candidate_of, key_of, waiting
from waypost.flows.facts.proposals import proposal_of
from waypost.flows.open_space import OpenSpace
from waypost.flows.recall.versions import held_versions
from waypost.flows.write.lifetime import expired
from waypost.model.candidate import Candidate, CandidateRow
from waypost.model.code_link import LinkedMemory
from waypost.model.memory import Version
from waypost.model.time import format_time
from waypost.store.protocol import Reader


@dataclass(frozen=True, slots=True)
class Review:
    candidates: tuple[tuple[CandidateRow, Candidate], ...]  # surest first
    stale: tuple[LinkedMemory, ...]  # whose time has run out, longest ago first
    replaced: Mapping[str, Version] = field(
        default_factory=dict
    )  # what a candidate would change, by the candidate's id

    def to_json(self) -> dict[str, Any]:
        return {
            "candidates": [
                candidate_row(row, one) | _changing(row, self.replaced.get(row.candidate_id))
                for row, one in self.candidates
            ],
            "pending_approval": len(self.candidates),
            "stale": [_expired(one) for one in self.stale],
        }


def declined(space: OpenSpace, limit: int) -> list[tuple[CandidateRow, Candidate]]:
    """The candidates that were rejected last, newest first."""
    with space.store.read() as reader:
        return [(row, candidate_of(row)) for row in reader.declined_candidates(limit)]


def review(space: OpenSpace, *, include_archived: bool = False) -> Review:
    candidates = tuple(waiting(space))
    with space.store.read() as reader:
        replaced = {row.candidate_id: _replaced(reader, row) for row, _ in candidates}
    known = {candidate_id: version for candidate_id, version in replaced.items() if version is not None}
    return Review(candidates, tuple(expired(space, include_archived=include_archived)), known)


def _replaced(reader: Reader, row: CandidateRow) -> Version | None:
    """What approving it would replace, correct or retract: what is held of that."""
    proposal = proposal_of(row)
    if proposal is not None:
        held = held_versions(reader, proposal.target)
        return held[-1] if held else None
    key = key_of(row.topic)
    known = reader.find_key(key) if key else None
    return None if known is None or known.fingerprint == row.fingerprint else known


def _changing(row: CandidateRow, known: Version | None) -> dict[str, Any]:
    proposal = proposal_of(row)
    found: dict[str, Any] = {}
    if proposal is not None:
        found = {"action": proposal.action, "proposed_by": dict(proposal.by)}
    if known is not None:
        found |= {"replaces": known.memory_id, "replaces_text": known.text}
    return found


def candidate_row(row: CandidateRow, one: Candidate) -> dict[str, Any]:
    return {
        "id": row.candidate_id,
        "content": one.text,
        "text": one.text,
        "kind": one.kind,
        "confidence": round(row.confidence, 2),
        "source": row.origin,
        "level": one.level,
        "domain": one.domain or None,
        "module": one.module or None,
        "topic": row.topic or None,
        "refs": list(one.refs),
        "evidence": list(one.evidence),
        "reason": row.reason or None,
        "time": None if one.time is None else format_time(one.time),
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
