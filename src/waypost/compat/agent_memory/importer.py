"""Import notes of another memory. Each passes the gateway and carries the id of its import, so that it can be undone."""

from pathlib import Path

from waypost.compat.agent_memory.basic_memory import read_basic_memory
from waypost.compat.agent_memory.databases import read_claude_mem, read_memory_service
from waypost.compat.agent_memory.json_files import read_mem0, read_server_memory
from waypost.compat.agent_memory.notes import ForeignNote, ForeignNotes
from waypost.compat.agent_memory.rule_files import read_claude_code, read_rules
from waypost.config import user_home
from waypost.errors import InvalidInput, WaypostError
from waypost.flows.move.imports import Imported, Note, register, unregister, write
from waypost.flows.open_space import OpenSpace
from waypost.model.draft import Draft
from waypost.model.memory import Caller
from waypost.text.secrets.masking import mask

ORIGINS = ("rules", "claude-code", "basic-memory", "claude-mem", "mcp-memory-service", "server-memory", "mem0")
_USUAL = {"claude-code": ".claude", "claude-mem": ".claude-mem", "basic-memory": "basic-memory"}  # below the home


def import_notes(space: OpenSpace, origin: str, path: Path | None, caller: Caller) -> Imported:
    """Import from one of `ORIGINS`. Without a path, from where that program usually keeps its memory.

    Stored memories are not overwritten, and what is stored already is not stored twice.
    """
    place = path if path is not None else usual_place(space, origin)
    if not place.exists():
        raise InvalidInput(f"{place} does not exist.", f"Name it: waypost import --from {origin} PATH.")
    found_notes = read_notes(space, origin, place)
    import_id = space.new_id()
    drafts: list[tuple[int, ForeignNote, Draft]] = []
    notes = [Note(0, None, f"skipped: {mask(what).text}") for what in found_notes.skipped]
    for number, note in enumerate(found_notes.notes, 1):
        try:
            drafts.append((number, note, _draft(note, origin)))
        except WaypostError as error:
            notes.append(Note(number, _shown(note), f"refused: {error.what}"))
    statuses = {"added": 0, "merged": 0, "duplicate": 0, "refused": len(found_notes.notes) - len(drafts)}
    register(space, import_id, origin, place)
    masked = 0
    receipts = write(space, [draft for _, _, draft in drafts], caller, import_id)
    for (number, note, _), receipt in zip(drafts, receipts, strict=True):
        statuses[receipt.status] += 1
        masked += len(receipt.masked)
        if receipt.status == "refused":
            notes.append(Note(number, _shown(note), f"refused: {receipt.reason}"))
    if not statuses["added"]:
        unregister(space, import_id)
    return Imported(import_id if statuses["added"] else None, statuses, 0, 0, masked, tuple(notes))


def usual_place(space: OpenSpace, origin: str) -> Path:
    """Where a program keeps its memory. Raises InvalidInput if that differs from user to user."""
    root = space.identity.root
    if origin == "rules" and root is not None:
        return root
    if origin in _USUAL:
        return user_home() / _USUAL[origin]
    raise InvalidInput("No path given.", f"Name it: waypost import --from {origin} PATH.")


def read_notes(space: OpenSpace, origin: str, path: Path) -> ForeignNotes:
    """The notes of another memory. Raises InvalidInput if the path has none in that program's format."""
    if origin == "rules":
        return read_rules(path)
    if origin == "claude-code":
        return read_claude_code(path, space.identity.root)
    if origin == "claude-mem":
        return read_claude_mem(path, space.identity.root.name if space.identity.root else space.identity.name)
    readers = {
        "basic-memory": read_basic_memory,
        "mcp-memory-service": read_memory_service,
        "server-memory": read_server_memory,
        "mem0": read_mem0,
    }
    return readers[origin](path)


def _draft(note: ForeignNote, origin: str) -> Draft:
    fields = {
        "text": note.text,
        "kind": note.kind,
        "evidence": [note.origin[:200]],
        "tags": {"imported_from": origin, **note.tags},
        "key": note.key or None,
        "valid_from": note.time or None,
    }
    return Draft.of({name: value for name, value in fields.items() if value is not None})


def _shown(note: ForeignNote) -> str:
    return mask(note.origin).text[:80]
