"""A tree on some machine, as a memory that is not beside it knows it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from waypost.model.time import format_time


@dataclass(frozen=True, slots=True)
class Checkout:
    """Where a memory was used, and when what points into that tree was compared with it last."""

    id: str
    root: str  # as its own machine calls it
    judged_at: datetime | None = None  # None: never

    @property
    def told(self) -> str:
        """As of when, and of which checkout, a verdict is: for people."""
        if not self.root:
            return "never compared with a tree"
        when = f"as of {minute(self.judged_at)}" if self.judged_at is not None else "never compared with its tree"
        return f"{when}, checkout {self.root}"

    def to_json(self) -> dict[str, Any]:
        judged = None if self.judged_at is None else format_time(self.judged_at)
        return {"checkout": self.id, "root": self.root, "judged_at": judged}


def minute(at: datetime) -> str:
    return format_time(at)[:16].replace("T", " ")
