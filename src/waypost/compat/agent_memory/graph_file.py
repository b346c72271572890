"""server-memory, the reference server of MCP: a knowledge graph in `memory.jsonl`."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from waypost.compat.agent_memory.notes import LARGEST_JSON, ForeignNote, ForeignNotes, read_text, tag_text, tags_of
from waypost.errors import InvalidInput

_NAMES = ("memory.jsonl", "memory.json")  # the second in versions before 2025


def read_server_memory(path: Path) -> ForeignNotes:
    """A note for each observation of an entity, and for each relation."""
    file = (
        next((path / name for name in _NAMES if (path / name).is_file()), path / _NAMES[0]) if path.is_dir() else path
    )
    result = ForeignNotes()
    for number, line in enumerate(read_text(file, LARGEST_JSON).split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            result.skipped.append(f"line {number}: it is not valid JSON")
            continue
        notes = list(_notes(row)) if isinstance(row, dict) else []
        result.notes += notes
        if not notes:
            result.skipped.append(f"line {number}: it has neither an observation nor a relation")
    if not result.notes and result.skipped:
        raise InvalidInput(f"{file} has no memory of server-memory: {result.skipped[0]}.", "Name its memory.jsonl.")
    return result


def _notes(row: dict[str, Any]) -> Iterator[ForeignNote]:
    name, observations = row.get("name"), row.get("observations")
    if row.get("type") == "relation":
        ends = [row.get("from"), row.get("relationType"), row.get("to")]
        if all(isinstance(end, str) and end.strip() for end in ends):
            subject, verb, other = (str(end).replace("_", " ") for end in ends)
            yield ForeignNote(f"{subject} {verb} {other}", f"relation of {tag_text(row['from'])}")
    elif row.get("type") == "entity" and isinstance(name, str) and isinstance(observations, list):
        tags = tags_of(entity=name, entity_type=row.get("entityType"))
        for observation in observations:
            if isinstance(observation, str) and observation.strip():
                has_name = name.casefold() in observation.casefold()
                text = observation.strip() if has_name else f"{name.replace('_', ' ')}: {observation.strip()}"
                yield ForeignNote(text, f"entity {tag_text(name)}", tags=tags)
