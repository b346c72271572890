"""A memory as `show`, `list` and `export` return it."""

from dataclasses import replace
from datetime import datetime
from typing import Any

from waypost.model.kinds import KINDS, labels_of
from waypost.model.memory import IMPORT, SAID_BY, State, Version
from waypost.model.time import format_time
from waypost.retrieve.passages import INDEX_DETAILS


def memory_row(version: Version, state: State) -> dict[str, Any]:
    """A memory as `show`, `list` and `export` give it."""
    row: dict[str, Any] = {
        "id": version.memory_id,
        "text": version.text,
        "kind": version.kind,
        "collection": version.collection,
        "key": version.key,
        "level": version.level,
        **labels_of(version.details),
        "domain": version.domain or None,
        "module": version.module or None,
        "parent": version.parent,
        "session": version.session,
        "speaker": version.speaker,
        "time": _maybe(version.time),
        "source": version.source,
        "actor": version.actor,
        "name": version.name,
        "evidence": list(version.evidence),
        "tags": dict(version.tags),
        "code_refs": [replace(ref, last_verified_at=state.verified_at).to_json() for ref in version.refs],
        "valid_from": format_time(version.valid_from),
        "valid_until": _maybe(version.valid_until),
        "recorded_at": format_time(version.recorded_at),
        "superseded_at": _maybe(version.superseded_at),
        "expires_at": _maybe(state.expires_at),
        "on_expire": state.on_expire if state.expires_at else None,
        "ttl": state.ttl_seconds,
        "ttl_class": state.ttl_class,
        "refresh": list(state.refresh),
        "archived_at": _maybe(state.archived_at),
        "protected": state.protected,
        "is_stale": state.is_stale,
        "stale_reason": state.stale_reason,
    }
    if version.details.get(SAID_BY):
        row["said_by"] = version.details[SAID_BY]
    if version.details.get("claimed"):
        row["claimed"] = version.details["claimed"]
    if version.details.get(IMPORT):
        row["import"] = version.details[IMPORT]
    if KINDS[version.kind].derived:
        row["metadata"] = {name: value for name, value in version.details.items() if name not in INDEX_DETAILS}
    return row


def _maybe(value: datetime | None) -> str | None:
    return None if value is None else format_time(value)
