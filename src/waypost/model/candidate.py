"""A fact that was learned from a change or found in a tree, before anybody has approved it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

CERTAIN = 0.8  # from here on a candidate is stored without being asked about


@dataclass(frozen=True, slots=True)
class Candidate:
    text: str
    confidence: float  # 0 to 1
    origin: str  # "git_diff", "staged", "file_change", "ast_analysis", "commit_message", "cold_start"
    kind: str = "fact"  # or "fix", "decision", "constraint" …
    level: int | None = None
    domain: str = ""
    module: str = ""
    topic: str = ""  # what it is about, as "dependency:pyproject.toml:httpx": a later one on the same topic replaces it
    refs: tuple[str, ...] = ()  # "path", "path#L1-L9" or "path#Symbol.method"
    evidence: tuple[str, ...] = ()  # "commit 1a2b3c4: Use httpx"
    ttl_class: str | None = None
    time: datetime | None = None  # since when it is true, where that is known
    reason: str = ""  # why it was proposed, for whoever reviews it

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
