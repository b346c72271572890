"""A checkout of the repository on some machine, seen from a memory that has no access to it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from waypost.model.time import format_minute, format_time


@dataclass(frozen=True, slots=True)
class Checkout:
    """Where a memory was used, and when its code references were last checked there."""

    id: str
    root: str  # a path on its own machine
    judged_at: datetime | None = None  # None: never

    @property
    def description(self) -> str:
        """When and in which checkout the code was checked, for people."""
        if not self.root:
            return "never compared with a tree"
        when = (
            f"as of {format_minute(self.judged_at)}" if self.judged_at is not None else "never compared with its tree"
        )
        return f"{when}, checkout {self.root}"

    def to_json(self) -> dict[str, Any]:
        judged = None if self.judged_at is None else format_time(self.judged_at)
        return {"checkout": self.id, "root": self.root, "judged_at": judged}
