"""A briefing: what an agent gets about a task, and its size in tokens."""

from dataclasses import dataclass, field
from typing import Any

from waypost.errors import InvalidInput
from waypost.model.json_row import json_row
from waypost.model.recall import Hit


@dataclass(frozen=True, slots=True)
class Briefing:
    text: str
    tokens: int
    memories: tuple[Hit, ...]
    confidence: float
    explanation: str
    dna: str | None = field(default=None, kw_only=True)  # a trusted DNA.md, for a system prompt

    def to_json(self) -> dict[str, Any]:
        return json_row(self, confidence=round(self.confidence, 4))


def check_budget(tokens: int) -> None:
    if isinstance(tokens, bool) or not isinstance(tokens, int) or not 1 <= tokens <= 1_000_000:
        raise InvalidInput(f"A budget of {tokens} tokens cannot be kept.", "Give a whole number from 1 to 1,000,000.")
