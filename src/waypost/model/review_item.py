"""What was decided about candidates, and the result of learning from changes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from waypost.model.candidate import Candidate
from waypost.model.json_row import json_row

STORED, REPLACED, MERGED = "stored", "replaced", "merged"  # now a fact
KNOWN, WAITING, REFUSED, OLDER = "known", "waiting", "refused", "older"  # nothing new
HELD = "held"  # newly queued for review
_APPROVED = (STORED, REPLACED, MERGED)


@dataclass(frozen=True, slots=True)
class DecidedCandidate:
    candidate: Candidate
    status: str
    id: str | None = None  # of the fact, or of the candidate while it is in review
    reason: str | None = None

    @property
    def approved(self) -> bool:
        return self.status in _APPROVED

    def to_json(self) -> dict[str, Any]:
        candidate = self.candidate
        return {
            "id": self.id,
            "content": candidate.text,
            "text": candidate.text,
            "confidence": round(candidate.confidence, 2),
            "approved": self.approved,
            "status": self.status,
            "kind": candidate.kind,
            "source": candidate.origin,
            "level": candidate.level,
            "domain": candidate.domain or None,
            "module": candidate.module or None,
            "topic": candidate.topic or None,
            "refs": list(candidate.refs),
            "evidence": list(candidate.evidence),
            "reason": self.reason or candidate.reason or None,
        }


@dataclass(frozen=True, slots=True)
class Learned:
    """The result of learning from changes."""

    taken: tuple[DecidedCandidate, ...]
    commits: int = 0
    files: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)  # how many commits or files gave no candidate, by reason
    pending_approval: int = 0  # everything in review, also from earlier runs
    dry_run: bool = False
    notices: tuple[str, ...] = ()

    def count(self, *statuses: str) -> int:
        return sum(decided.status in statuses for decided in self.taken)

    def to_json(self) -> dict[str, Any]:
        return json_row(self, "taken", status="success", candidates=self.taken)
