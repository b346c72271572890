"""What waits for a person: candidates to be approved, and facts whose time has run out."""

from dataclasses import dataclass
from typing import Any

from waypost.flows.candidates import waiting
from waypost.flows.lifetime import expired
from waypost.flows.open_space import OpenSpace
from waypost.model.candidate import Candidate
from waypost.model.linked import Linked
from waypost.model.time import format_time
from waypost.store.fact_protocol import CandidateRow


@dataclass(frozen=True, slots=True)
class Review:
    candidates: tuple[tuple[CandidateRow, Candidate], ...]  # surest first
    stale: tuple[Linked, ...]  # whose time has run out, longest ago first

    def to_json(self) -> dict[str, Any]:
        return {
            "candidates": [_candidate(row, one) for row, one in self.candidates],
            "pending_approval": len(self.candidates),
            "stale": [_expired(one) for one in self.stale],
        }


def review(space: OpenSpace, *, include_archived: bool = False) -> Review:
    return Review(tuple(waiting(space)), tuple(expired(space, include_archived=include_archived)))


def _candidate(row: CandidateRow, one: Candidate) -> dict[str, Any]:
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


def _expired(memory: Linked) -> dict[str, Any]:
    state = memory.state
    return memory.to_json() | {
        "level": memory.version.level,
        "domain": memory.version.domain or None,
        "expires_at": None if state.expires_at is None else format_time(state.expires_at),
        "on_expire": state.on_expire,
        "archived_at": None if state.archived_at is None else format_time(state.archived_at),
    }
