"""What became of candidates, and what waits for a person."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from waypost.model.candidate import Candidate

STORED, REPLACED, MERGED = "stored", "replaced", "merged"  # it is a fact now
KNOWN, WAITING, REFUSED, OLDER = "known", "waiting", "refused", "older"  # nothing new
HELD = "held"  # waits for approval from now on
_APPROVED = (STORED, REPLACED, MERGED)


@dataclass(frozen=True, slots=True)
class DecidedCandidate:
    """A candidate and what became of it."""

    candidate: Candidate
    status: str
    id: str | None = None  # of the fact, or of the candidate while it waits
    reason: str | None = None

    @property
    def approved(self) -> bool:
        return self.status in _APPROVED

    def to_json(self) -> dict[str, Any]:
        one = self.candidate
        return {
            "id": self.id,
            "content": one.text,
            "text": one.text,
            "confidence": round(one.confidence, 2),
            "approved": self.approved,
            "status": self.status,
            "kind": one.kind,
            "source": one.origin,
            "level": one.level,
            "domain": one.domain or None,
            "module": one.module or None,
            "topic": one.topic or None,
            "refs": list(one.refs),
            "evidence": list(one.evidence),
            "reason": self.reason or one.reason or None,
        }


@dataclass(frozen=True, slots=True)
class Learned:
    """What a look at changes brought."""

    taken: tuple[DecidedCandidate, ...]
    commits: int = 0
    files: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)  # how many commits or files said nothing, by reason
    pending_approval: int = 0  # all that waits, also from before
    dry_run: bool = False
    notices: tuple[str, ...] = ()

    def count(self, *statuses: str) -> int:
        return sum(one.status in statuses for one in self.taken)

    def to_json(self) -> dict[str, Any]:
        return {
            "status": "success",
            "candidates": [one.to_json() for one in self.taken],
            "pending_approval": self.pending_approval,
            "commits": self.commits,
            "files": self.files,
            "skipped": dict(self.skipped),
            "dry_run": self.dry_run,
            "notices": list(self.notices),
        }
