"""The audit log."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """Who did what to which memory, and when. It never contains the text of a memory."""

    at: datetime
    action: str
    memory_id: str | None
    source: str
    actor: str
    details: Mapping[str, Any]
    number: int = 0


class AuditReader(Protocol):
    def entries(self, memory_id: str | None, limit: int) -> list[AuditEntry]:
        """Newest first."""


class AuditWriter(AuditReader, Protocol):
    def add(self, entry: AuditEntry) -> None: ...
