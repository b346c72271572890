"""A proposed fact, learned from a change or found in a repository, before anyone approves it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

CERTAIN = 0.8  # candidates at or above this confidence are stored without review


@dataclass(frozen=True, slots=True)
class Candidate:
    text: str
    confidence: float  # 0 to 1
    origin: str  # "git_diff", "staged", "file_change", "ast_analysis", "commit_message", "cold_start"
    kind: str = "fact"  # or "fix", "decision", "constraint" …
    level: int | None = None
    domain: str = ""
    module: str = ""
    topic: str = ""  # such as "dependency:pyproject.toml:httpx"; a later candidate on the same topic replaces this one
    refs: tuple[str, ...] = ()  # "path", "path#L1-L9" or "path#Symbol.method"
    evidence: tuple[str, ...] = ()  # "commit 1a2b3c4: Use httpx"
    ttl_class: str | None = None
    time: datetime | None = None  # since when it is true, if known
    reason: str = ""  # why it was proposed, shown in the review

    @property
    def is_certain(self) -> bool:
        return self.confidence >= CERTAIN


@dataclass(frozen=True, slots=True)
class CandidateRow:
    """A stored candidate: pending approval, or declined by a person. `draft` is the memory it would become, as JSON."""

    candidate_id: str
    made_at: datetime
    confidence: float
    origin: str
    topic: str
    reason: str
    fingerprint: bytes  # of its text
    tombstone: bytes  # blocks it once it is rejected
    draft: dict[str, Any]
    declined_at: datetime | None = None  # None: pending
