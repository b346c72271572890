"""Rows that answers are made of, with the keys that the command line's --json has."""

from typing import TYPE_CHECKING, Any

from waypost.flows.versions.row import memory_row
from waypost.model.memory import State
from waypost.model.time import format_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from waypost.flows.erase.forget import Forgotten
    from waypost.flows.move.export import Export
    from waypost.flows.write.lifecycle import History
    from waypost.model.code_link import LinkedMemory
    from waypost.model.receipt import Receipt
    from waypost.store.protocol import AuditEntry

_NOW = ("code_refs", "confidence", "is_stale", "stale_reason", "stale_since")


def shown_row(memory: "LinkedMemory") -> dict[str, Any]:
    """Everything about one memory, with its links as they are now."""
    now = memory.to_json()
    return {**memory_row(memory.version, memory.state), **{key: now[key] for key in _NOW}}


def history_row(found: "History") -> dict[str, Any]:
    return {
        "id": found.memory_id,
        "versions": [memory_row(version, State()) | {"number": version.number} for version in found.versions],
        "edges": [{"kind": e.kind, "from": e.from_id, "to": e.to_id} for e in found.edges],
        "related": [memory_row(version, State()) for version in found.related],
    }


def forgotten_row(gone: "Forgotten") -> dict[str, Any]:
    return {
        "id": gone.memory_id,
        "status": "forgotten",
        "versions": gone.versions,
        "complete": gone.complete,
        "exports_changed": list(gone.exports_changed),
        "beyond_reach": list(gone.beyond_reach),
    }


def receipts_row(receipts: "Sequence[Receipt]") -> dict[str, Any]:
    counts: dict[str, int] = {}
    for receipt in receipts:
        counts[receipt.status] = counts.get(receipt.status, 0) + 1
    return {"receipts": [receipt.to_json() for receipt in receipts], "counts": counts}


def audit_row(entry: "AuditEntry") -> dict[str, Any]:
    return {
        "number": entry.number,
        "at": format_time(entry.at),
        "action": entry.action,
        "id": entry.memory_id,
        "source": entry.source,
        "actor": entry.actor,
        "details": dict(entry.details),
    }


def export_row(export: "Export") -> dict[str, Any]:
    return {
        "name": export.path.name,
        "path": str(export.path),
        "memories": export.memories,
        "size": export.size,
        "made_at": format_time(export.made_at),
    }
