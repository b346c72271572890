"""The briefing that an agent gets at the start of a task, within a budget of tokens."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from waypost.context.render import Entry, render
from waypost.errors import InvalidInput
from waypost.flows.hits import hit_of
from waypost.flows.open_space import OpenSpace
from waypost.flows.recall import recall
from waypost.flows.references import looked_at
from waypost.model.kinds import SCOPES
from waypost.model.recall import Hit, View
from waypost.store.protocol import Filter

_MOST_MEMORIES = 40
_MOST_STANDING = 200  # of each sort, the latest
_SHARES = {"always": 0.15, "preferences": 0.15}


@dataclass(frozen=True, slots=True)
class Briefing:
    text: str
    tokens: int
    memories: tuple[Hit, ...]
    confidence: float
    explanation: str

    def to_json(self) -> dict[str, Any]:
        return {
            "text": self.text,
            "tokens": self.tokens,
            "memories": [hit.to_json() for hit in self.memories],
            "confidence": round(self.confidence, 4),
            "explanation": self.explanation,
        }


def brief(space: OpenSpace, task: str, view: View, *, tokens: int, now: datetime | None = None) -> Briefing:
    """What is always true (level 0), preferences, and what is known about the task, ranked as one."""
    check_budget(tokens)
    answer = recall(space, task, view, k=_MOST_MEMORIES, now=now)
    standing = [Entry("always", hit) for hit in _listed(space, view, Filter(level=0))]
    standing += [Entry("preferences", hit) for hit in _listed(space, view, Filter(kinds=("preference",)))]
    known = {entry.hit.id for entry in standing}
    ranked = [Entry(_section(hit), hit) for hit in answer.hits if hit.id not in known]
    rendered = render([*standing, *ranked], tokens, _SHARES)
    found = {entry.hit.id for entry in ranked}  # what is always told says nothing about the task
    confidence = max((hit.score for hit in rendered.used if hit.id in found), default=0.0)
    return Briefing(
        rendered.text,
        rendered.tokens,
        rendered.used,
        confidence,
        _explain(rendered.used, rendered.left_out, rendered.tokens, tokens, answer.notices),
    )


def check_budget(tokens: int) -> None:
    if isinstance(tokens, bool) or not isinstance(tokens, int) or not 1 <= tokens <= 1_000_000:
        raise InvalidInput(f"A budget of {tokens} tokens cannot be kept.", "Give a whole number from 1 to 1,000,000.")


def _listed(space: OpenSpace, view: View, chosen: Filter) -> list[Hit]:
    with space.store.read() as reader:
        versions = reader.latest(view, chosen, _MOST_STANDING)
        memories = looked_at(space, reader, versions)
    return [hit_of(memories[version.number], 1.0, {}) for version in reversed(versions)]


def _section(hit: Hit) -> str:
    if hit.collection in SCOPES["facts"]:
        return "facts"
    return "journal" if hit.collection == "journal" else "code"


def _explain(used: tuple[Hit, ...], left_out: int, tokens: int, limit: int, notices: tuple[str, ...]) -> str:
    if not used:
        parts = ["Nothing was found." if not left_out else f"None of {left_out} memories fits into {limit} tokens."]
    else:
        parts = [
            f"{len(used)} memories in {tokens} of {limit} tokens" + (f", {left_out} left out." if left_out else ".")
        ]
    return " ".join((*parts, *notices))
