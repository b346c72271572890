"""The audit log."""

import json

from waypost.model.memory import AuditEntry
from waypost.model.time import from_micros, to_micros
from waypost.store.sql.database import Database, TablePart
from waypost.store.sql.rows import as_json


class AuditRows(TablePart):
    def entries(self, memory_id: str | None, limit: int) -> list[AuditEntry]:
        """Newest first."""
        chosen, parameters = ("", []) if memory_id is None else ("WHERE memory_id = ?", [memory_id])
        rows = self._db.rows(
            "SELECT at, action, memory_id, source, actor, details, number FROM audit"
            f" {chosen} ORDER BY number DESC LIMIT ?",
            [*parameters, limit],
        )
        return [AuditEntry(from_micros(r[0]), r[1], r[2], r[3], r[4], json.loads(r[5]), r[6]) for r in rows]


class AuditChanges(AuditRows):
    def __init__(self, database: Database, actor: str) -> None:
        """`actor` is the SQL expression for an entry's actor."""
        super().__init__(database)
        self._actor = actor

    def add(self, entry: AuditEntry) -> None:
        self._db.change(
            f"INSERT INTO audit (at, action, memory_id, source, actor, details) VALUES (?, ?, ?, ?, {self._actor}, ?)",
            (
                to_micros(entry.at),
                entry.action,
                entry.memory_id,
                entry.source,
                entry.actor,
                as_json(dict(entry.details)),
            ),
        )
