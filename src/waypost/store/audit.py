"""The audit log."""

from typing import Protocol

from waypost.model.audit import AuditEntry


class AuditReader(Protocol):
    def entries(self, memory_id: str | None, limit: int) -> list[AuditEntry]:
        """Newest first."""


class AuditWriter(AuditReader, Protocol):
    def add(self, entry: AuditEntry) -> None: ...
