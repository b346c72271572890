"""Why something was decided: decisions, their reasons, consequences and constraints, and the links between them.

Every link points from cause to effect. A reason `justifies` a decision, and a decision `leads_to` a consequence.
A constraint `blocks` alternatives of a decision (shown as "limits"). `causes` links any other two memories.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from waypost.model.json_row import json_row

DECISION, REASON, CONSEQUENCE, CONSTRAINT = CAUSAL_KINDS = ("decision", "reason", "consequence", "constraint")
JUSTIFIES, LEADS_TO, BLOCKS, CAUSES = CAUSAL_LINKS = ("justifies", "leads_to", "blocks", "causes")
REPLACES = "supersedes"  # from the current memory to the one it replaced; not a cause, so chains do not follow it
MOST_DEPTH = 20


@dataclass(frozen=True, slots=True)
class CausalEdge:
    kind: str  # one of CAUSAL_LINKS, or REPLACES
    from_id: str  # the cause
    to_id: str  # the effect
    strength: float = 1.0  # 0 to 1

    def to_json(self) -> dict[str, Any]:
        strength = round(self.strength, 4)
        return {"type": self.kind, "from": self.from_id, "to": self.to_id, "strength": strength}


@dataclass(frozen=True, slots=True)
class CausalNode:
    """A memory as a chain shows it."""

    id: str
    kind: str
    text: str
    source: str
    actor: str
    valid_from: datetime
    recorded_at: datetime
    valid_until: datetime | None = None
    session: str | None = None
    domain: str = ""
    evidence: tuple[str, ...] = ()
    confidence: float = 1.0
    is_stale: bool = False
    stale_reason: str | None = None
    depth: int = 0  # links between it and the root

    def to_json(self) -> dict[str, Any]:
        named = {"type": self.kind, "content": self.text, "session_id": self.session, "created_at": self.recorded_at}
        return json_row(self, "kind", "text", "session", "recorded_at", domain=self.domain or None, **named)


@dataclass(frozen=True, slots=True)
class CausalChain:
    """The answer to a why question. Without a root, nothing matched.

    `nodes` has every memory that links reach: the root first, then the nearest. Each other node is in at most one of
    `reasons`, `constraints` and `consequences`. A node that only shares a reason or a consequence with the root is in
    none of them.
    """

    question: str
    depth: int
    root: CausalNode | None = None
    nodes: tuple[CausalNode, ...] = ()
    edges: tuple[CausalEdge, ...] = ()
    reasons: tuple[CausalNode, ...] = ()
    consequences: tuple[CausalNode, ...] = ()
    constraints: tuple[CausalNode, ...] = ()
    replaces: tuple[CausalNode, ...] = ()  # what the root replaced, latest first
    replaced_by: tuple[CausalNode, ...] = ()  # what replaced the root, earliest first
    replacements: tuple[CausalEdge, ...] = ()  # the links between the replaced and the replacing
    stated_reason: str = ""  # the reason given in the root's own text
    left_out: int = 0  # linked to these nodes, but too far away or too many
    confidence: float = 0.0
    mermaid: str = ""
    notices: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        apart = ("question", "mermaid", "notices")
        return {
            "status": "success" if self.root else "not_found",
            "question": self.question,
            "chain": json_row(self, *apart, "stated_reason", told=self.stated_reason or None),
            "mermaid": self.mermaid,
            "notices": list(self.notices),
        }
