"""JSON of other memories: the knowledge graph of server-memory, and exports of mem0."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from waypost.compat.agent_memory.notes import ForeignNote, ForeignNotes, read_text, time_text
from waypost.errors import InvalidInput

_LISTS = ("results", "memories", "data")  # where an export of mem0 has its memories
_TEXTS = ("memory", "text", "content", "data")


def read_server_memory(path: Path) -> ForeignNotes:
    """Each observation of an entity, and each relation, from `memory.jsonl`."""
    result = ForeignNotes()
    for number, line in enumerate(read_text(_file(path, "memory.jsonl", "memory.json")).splitlines(), 1):
        if not line.strip():
            continue
        row = _parsed(line)
        notes = list(_graph_notes(row)) if isinstance(row, dict) else []
        result.notes += notes
        if not notes:
            result.skipped.append(f"line {number}: it has neither an entity with observations nor a relation")
    return result


def _graph_notes(row: dict[str, Any]) -> Iterator[ForeignNote]:
    if row.get("type") == "relation" and all(isinstance(row.get(name), str) for name in ("from", "to", "relationType")):
        verb = row["relationType"].replace("_", " ")
        yield ForeignNote(f"{row['from']} {verb} {row['to']}", f"relation of {row['from'][:100]}")
    name, said = row.get("name"), row.get("observations")
    if row.get("type") == "entity" and isinstance(name, str) and isinstance(said, list):
        tags = {"entity": name[:200], "entity_type": str(row.get("entityType") or "-")[:200]}
        for observation in said:
            if isinstance(observation, str) and observation.strip():
                known_name = name.casefold() in observation.casefold()
                text = observation.strip() if known_name else f"{name}: {observation.strip()}"
                yield ForeignNote(text, f"entity {name[:100]}", tags=tags)


def read_mem0(path: Path) -> ForeignNotes:
    """The memories of a mem0 export: what `get_all` returns, or a list of them."""
    data = _parsed(read_text(_file(path, "memories.json")))
    listed = (
        data
        if isinstance(data, list)
        else next((data[k] for k in _LISTS if isinstance(data, dict) and k in data), None)
    )
    if not isinstance(listed, list):
        raise InvalidInput(f"{path} is not an export of mem0.", "Save what `get_all` returns as JSON.")
    result = ForeignNotes()
    for number, row in enumerate(listed, 1):
        text = (
            next((row[name] for name in _TEXTS if isinstance(row.get(name), str)), "") if isinstance(row, dict) else ""
        )
        if not text.strip():
            result.skipped.append(f"memory {number}: it has no text")
        elif row.get("state") in ("deleted", "archived") or row.get("is_deleted"):
            result.skipped.append(f"memory {number}: it was deleted or archived")
        else:
            result.notes.append(_mem0_note(row, text.strip()))
    return result


def _mem0_note(row: dict[str, Any], text: str) -> ForeignNote:
    own = str(row.get("id") or "")[:100]
    names = row.get("categories")
    tags = {name: str(row[name])[:200] for name in ("user_id", "agent_id", "run_id", "app_id") if row.get(name)}
    if isinstance(names, list) and names:
        tags["categories"] = ", ".join(map(str, names))[:200]
    time = time_text(row.get("created_at")) or time_text(row.get("updated_at"))
    return ForeignNote(text, f"mem0 {own}".strip(), key=f"mem0:{own}" if own else "", time=time, tags=tags)


def _file(path: Path, *usual: str) -> Path:
    return next((path / name for name in usual if (path / name).is_file()), path) if path.is_dir() else path


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput("The file is not valid JSON.", "Export it again.") from error
