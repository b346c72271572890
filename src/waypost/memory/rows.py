"""Rows that the faces answer with: the same keys over REST and with --json."""

from typing import TYPE_CHECKING, Any

from waypost.flows.versions.row import memory_row
from waypost.model.json_row import json_row
from waypost.model.memory import State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from waypost.flows.erase.forget import Forgotten
    from waypost.flows.move.export import Export
    from waypost.flows.write.lifecycle import History
    from waypost.model.code_link import LinkedMemory
    from waypost.model.receipt import Receipt

_NOW = ("code_refs", "confidence", "is_stale", "stale_reason", "stale_since", "conflict")


def full_row(memory: "LinkedMemory") -> dict[str, Any]:
    """All fields of a memory, with the current state of its links."""
    now = memory.to_json()
    return {**memory_row(memory.version, memory.state), **{key: now[key] for key in _NOW if key in now}}


def history_row(history: "History") -> dict[str, Any]:
    return {
        "id": history.memory_id,
        "versions": [memory_row(version, State()) | {"number": version.number} for version in history.versions],
        "edges": [{"kind": edge.kind, "from": edge.from_id, "to": edge.to_id} for edge in history.edges],
        "related": [memory_row(version, State()) for version in history.related],
    }


def forgotten_row(forgotten: "Forgotten") -> dict[str, Any]:
    return json_row(forgotten, "memory_id", "files_changed", id=forgotten.memory_id, status="forgotten")


def receipts_row(receipts: "Sequence[Receipt]") -> dict[str, Any]:
    counts: dict[str, int] = {}
    for receipt in receipts:
        counts[receipt.status] = counts.get(receipt.status, 0) + 1
    return {"receipts": [receipt.to_json() for receipt in receipts], "counts": counts}


def export_row(export: "Export") -> dict[str, Any]:
    return json_row(export, "is_damaged", "skipped", name=export.path.name)
