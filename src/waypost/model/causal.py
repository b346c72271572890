"""Why something was decided: decisions, their reasons, consequences and constraints, and the links between them.

Every link points from cause to effect: a reason `justifies` a decision, a decision `leads_to` a consequence, a
constraint `blocks` what a decision could have been (it is shown as "limits"), and something `causes` something else.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from waypost.model.time import format_time

DECISION, REASON, CONSEQUENCE, CONSTRAINT = CAUSAL_KINDS = ("decision", "reason", "consequence", "constraint")
JUSTIFIES, LEADS_TO, BLOCKS, CAUSES = CAUSAL_LINKS = ("justifies", "leads_to", "blocks", "causes")
REPLACES = "supersedes"  # from what is true now to what was true before: no cause, and not followed as one
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
        return {
            "id": self.id,
            "type": self.kind,
            "content": self.text,
            "depth": self.depth,
            "confidence": self.confidence,
            "is_stale": self.is_stale,
            "stale_reason": self.stale_reason,
            "source": self.source,
            "actor": self.actor,
            "domain": self.domain or None,
            "session_id": self.session,
            "evidence": list(self.evidence),
            "created_at": format_time(self.recorded_at),
            "valid_from": format_time(self.valid_from),
            "valid_until": None if self.valid_until is None else format_time(self.valid_until),
        }


@dataclass(frozen=True, slots=True)
class CausalChain:
    """The answer to a why. Without a root nothing was found.

    `nodes` are all that links reach, the root first, then nearest first; each of the others is in at most one of
    `reasons` (what led to the root), `constraints` (what limited it) and `consequences` (what came of it). What only
    shares a reason or a consequence with the root is among `nodes` alone.
    """

    question: str
    depth: int
    root: CausalNode | None = None
    nodes: tuple[CausalNode, ...] = ()
    edges: tuple[CausalEdge, ...] = ()
    reasons: tuple[CausalNode, ...] = ()
    consequences: tuple[CausalNode, ...] = ()
    constraints: tuple[CausalNode, ...] = ()
    replaces: tuple[CausalNode, ...] = ()  # what the root took the place of, the last one first
    replaced_by: tuple[CausalNode, ...] = ()  # what later took its place, the next one first
    replacements: tuple[CausalEdge, ...] = ()  # which of these replaced which
    told: str = ""  # the reason that the root's own words give
    left_out: int = 0  # linked with what is shown, but too far or too many
    confidence: float = 0.0
    mermaid: str = ""
    notices: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        def rows(nodes: tuple[CausalNode, ...]) -> list[dict[str, Any]]:
            return [node.to_json() for node in nodes]

        return {
            "status": "success" if self.root else "not_found",
            "question": self.question,
            "chain": {
                "root": self.root.to_json() if self.root else None,
                "reasons": rows(self.reasons),
                "consequences": rows(self.consequences),
                "constraints": rows(self.constraints),
                "nodes": rows(self.nodes),
                "edges": [edge.to_json() for edge in self.edges],
                "replaces": rows(self.replaces),
                "replaced_by": rows(self.replaced_by),
                "replacements": [edge.to_json() for edge in self.replacements],
                "told": self.told or None,
                "depth": self.depth,
                "left_out": self.left_out,
                "confidence": self.confidence,
            },
            "mermaid": self.mermaid,
            "notices": list(self.notices),
        }
