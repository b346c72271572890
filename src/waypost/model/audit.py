"""Entries of a memory's audit log."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from waypost.model.time import format_time


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """Who did what to which memory, and when. It never contains a memory's text."""

    at: datetime
    action: str
    memory_id: str | None
    source: str
    actor: str
    details: Mapping[str, Any]
    number: int = 0

    def to_json(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "at": format_time(self.at),
            "action": self.action,
            "id": self.memory_id,
            "source": self.source,
            "actor": self.actor,
            "details": dict(self.details),
        }
